"""tally.py BROKEN FOLDER...: adds up the JUnit files of test runs and prints the closing line.

Exit status 1 when a test failed, when a runner itself broke (BROKEN is not 0), or when no test ran.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def count(file: Path) -> tuple[int, int, int]:
    """Passed, failed and skipped tests of one JUnit file."""
    passed = failed = skipped = 0
    for case in xml.parse(file).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main(broken: str, *folders: str) -> int:
    sums = [sum(column) for column in zip((0, 0, 0), *(count(f) for folder in folders for f in Path(folder).glob("*.xml")))]
    passed, failed, skipped = sums
    if broken != "0":
        print("A test runner broke, or a room's tests failed: see above.")
    elif not passed + failed:
        print("No test ran.")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or broken != "0" or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
