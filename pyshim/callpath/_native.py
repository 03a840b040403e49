"""libcallpath, loaded when it is first wanted."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class CallpathError(RuntimeError):
    """Something that callpath was asked for could not be done; the text says what and, where it is known, how to mend it."""


def place(*candidates: str) -> Path:
    """The first of these that is there: files of a build tree (relative to the folder of `bin`, `lib` and `python`) or of an installation."""
    build, prefix = Path(__file__).resolve().parents[2], Path(__file__).resolve().parents[4]
    found = [folder / name for name in candidates for folder in (build, prefix) if (folder / name).exists()]
    if not found:
        raise CallpathError(f"{candidates[0]} is neither in {build} nor in {prefix}: build or install callpath again")
    return found[0]


@functools.cache
def library() -> ctypes.PyDLL:
    """The library, whose functions keep the GIL: what they read of Python then stands still."""
    loaded = ctypes.PyDLL(str(place("lib/libcallpath.so")))
    loaded.callpath_recording_new.restype = ctypes.c_void_p
    loaded.callpath_recording_free.argtypes = [ctypes.c_void_p]
    loaded.callpath_record_here.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    loaded.callpath_load_text.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    loaded.callpath_save.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    loaded.callpath_write_html.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    loaded.callpath_json.argtypes = [ctypes.c_void_p]
    loaded.callpath_json.restype = ctypes.c_void_p
    loaded.callpath_show.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int]
    loaded.callpath_show.restype = ctypes.c_void_p
    loaded.callpath_text_free.argtypes = [ctypes.c_void_p]
    loaded.callpath_error.restype = ctypes.c_char_p
    return loaded


def check(answer: int | None) -> int:
    """Raises CallpathError where a function failed: -1, or no pointer."""
    if answer is None or answer == -1:
        raise CallpathError(library().callpath_error().decode(errors="replace"))
    return answer


def text(pointer: int | None) -> str:
    """A text that the library made, which is released."""
    made = check(pointer)
    try:
        return (ctypes.cast(made, ctypes.c_char_p).value or b"").decode(errors="replace")
    finally:
        library().callpath_text_free(made)


@contextmanager
def recording(json: str | None = None) -> Iterator[int]:
    """A recording of the library's, empty or with what a record's JSON says."""
    handle = check(library().callpath_recording_new())
    try:
        if json is not None:
            check(library().callpath_load_text(handle, json.encode(errors="surrogateescape")))
        yield handle
    finally:
        library().callpath_recording_free(handle)


def path_here(label: str, beyond: str) -> str:
    """The record's JSON of the calling thread's path, without the frames inward of the outermost Python frame of the file `beyond`."""
    with recording() as handle:
        check(library().callpath_record_here(handle, label.encode(), os.fsencode(beyond)))
        return text(library().callpath_json(handle))
