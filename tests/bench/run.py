"""run.py [--list] [--json FILE] [NAME...]: runs benchmarks and prints the table. `./callpath bench` calls it when all it needs is built."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent / "powmath")]

import capture  # noqa: E402
import commands  # noqa: E402
import engine  # noqa: E402
import gdb_commands  # noqa: E402
import pages  # noqa: E402
import pow  # noqa: E402
import probes  # noqa: E402
import symbols  # noqa: E402
import training  # noqa: E402
from rows import Report, write_whole  # noqa: E402
from setting import Broken  # noqa: E402

BENCHMARKS = capture.BENCHMARKS | commands.BENCHMARKS | engine.BENCHMARKS | gdb_commands.BENCHMARKS | pages.BENCHMARKS | pow.BENCHMARKS | probes.BENCHMARKS | symbols.BENCHMARKS | training.BENCHMARKS


def chosen(names: list[str]) -> list[str]:
    for name in names:
        if name not in BENCHMARKS:
            near = difflib.get_close_matches(name, BENCHMARKS, 1)
            hint = f" Did you mean '{near[0]}'?" if near else " callpath bench --list names them."
            print(f"callpath: there is no benchmark '{name}'.{hint}", file=sys.stderr)
            sys.exit(2)
    return names or list(BENCHMARKS)


def json_file(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if not path.parent.is_dir():
        print(f"callpath: there is no folder {path.parent} to write to", file=sys.stderr)
        sys.exit(1)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(prog="callpath bench")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        for name, benchmark in BENCHMARKS.items():
            print(f"{name:<22} {(benchmark.__doc__ or '').strip().splitlines()[0]}")
        return 0
    names, file = chosen(options.names), json_file(options.json)
    report, broken = Report(), []
    for name in names:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        try:
            BENCHMARKS[name](report)
        except (Broken, FileNotFoundError) as error:
            broken.append(f"callpath: benchmark {name} did not run: {error}")
    print(report.as_table(), end="")
    if file:
        write_whole(file, report.as_json())
    for text in broken:
        print(text, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
