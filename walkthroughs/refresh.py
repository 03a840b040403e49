"""refresh.py CALLPATH [NN...]: takes walkthroughs anew and writes their checked recordings, without what is this machine's or this run's.

A recording is kept for the walkthrough itself and for each variant that a question is about. The tests compare them with fresh ones.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = str(HERE.parent)
ADDRESS = re.compile(r"0x[0-9a-f]{8,}")
SCRATCH = re.compile(r"/[\w/]*/callpath\.\w{6}/")


def settled(value: object, key: str = "") -> object:
    """The same record with this clone at /callpath, temporary folders at /tmp/callpath, and no address, thread number or CPU name."""
    if isinstance(value, dict):
        return {k: settled(v, k) for k, v in value.items() if k not in ("pc", "tid", "cpu")} | ({"tid": 1} if "tid" in value else {}) | ({"cpu": ""} if "cpu" in value else {})
    if isinstance(value, list):
        return [settled(v, key) for v in value]
    if isinstance(value, str):
        return ADDRESS.sub("0x…", SCRATCH.sub("/tmp/callpath/", value.replace(ROOT, "/callpath"))) if key not in ("build_id", "offset") else value
    return value


def kept_variants(walk: dict) -> set[str]:
    """Names of the variants that questions or transfer lines are answered from."""
    asked = {q["of"] for q in [*walk.get("question", []), *walk.get("transfer", [])] if q.get("of")}
    never = {v["name"] for v in walk.get("variant", []) if v.get("stop", {}).get("never")}
    return asked - never


def take(callpath: str, folder: Path, variant: str, out: str) -> None:
    """One recording, by the process route."""
    more = ["--variant", variant] if variant else []
    subprocess.run([callpath, "walk", folder.name[:2], "--route", "process", "--out", out, *more], stdout=subprocess.DEVNULL, check=True)
    record = json.loads((Path(out) / (folder.name + (f"-{variant}" if variant else "") + ".json")).read_text(encoding="utf-8"))
    target = folder / "recordings" / f"{variant or 'main'}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(settled(record), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def main(callpath: str, numbers: list[str]) -> None:
    """Writes the recordings of these walkthroughs, or of all."""
    for folder in sorted(path.parent for path in HERE.glob("*/walk.toml")):
        if numbers and folder.name[:2] not in numbers:
            continue
        walk = tomllib.loads((folder / "walk.toml").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as out:
            for variant in ["", *sorted(kept_variants(walk))]:
                take(callpath, folder, variant, out)
                print(folder.name, variant or "main")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
