"""Anomaly mode: each node remembers where forward made it, and a node that fails or returns nan in backward says so."""

from __future__ import annotations

from .. import _C


class set_detect_anomaly:
    """Switch anomaly mode; in a `with`, until its end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._previous = _C._anomaly_mode()
        _C._set_anomaly_mode(mode, check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        _C._set_anomaly_mode(*self._previous)


class detect_anomaly:
    """Anomaly mode within. It is slow: for looking for mistakes only."""

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        self._previous: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._previous.append(_C._anomaly_mode())
        _C._set_anomaly_mode(True, self._check_nan)

    def __exit__(self, *exception: object) -> None:
        _C._set_anomaly_mode(*self._previous.pop())
