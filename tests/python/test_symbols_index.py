"""The index in the user's cache folder: it answers as the debug information does, and nothing that is wrong with it is ever seen."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import clean_environment
from test_symbols_addresses import PYTHON, text_section
from test_symbols_field_cases import brief, calls_in, compile_sample


class Cached:
    """symbols_probe with a cache folder of its own."""

    def __init__(self, program: Path, cache: Path | str) -> None:
        self.program, self.cache = program, Path(cache)

    def start(self, file: Path, addresses: list[int]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [str(self.program), "at", str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment(XDG_CACHE_HOME=str(self.cache)),
        )
        assert process.stdin
        process.stdin.write("\n".join(map(hex, addresses)))
        process.stdin.close()
        return process

    def at(self, file: Path, addresses: list[int]) -> list[list[dict]]:
        process = self.start(file, addresses)
        assert process.stdout
        answers = [json.loads(line) for line in process.stdout]
        assert process.wait(timeout=60) == 0
        return answers

    def files(self) -> list[Path]:
        return sorted((self.cache / "callpath").glob("*"))


@pytest.fixture
def cached(build: Path, tmp_path: Path) -> Cached:
    return Cached(build / "bin" / "symbols_probe", tmp_path / "cache")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sample(tmp_path_factory.mktemp("sample"), "nested.cpp", "g++", "-O2")


def every_address(file: Path) -> list[int]:
    begin, size = text_section(file)
    return list(range(begin, begin + size))


def test_answers_are_those_of_the_debug_information(cached: Cached) -> None:
    """Three times: read, read and kept, kept; the last time with addresses in units that were not asked about before."""
    begin, size = text_section(PYTHON)
    chance = random.Random(7)
    first, more = ([begin + chance.randrange(size) for _ in range(count)] for count in (300, 2000))
    fresh = Cached(cached.program, "/proc/nowhere")
    assert cached.at(PYTHON, first) == cached.at(PYTHON, first) == fresh.at(PYTHON, first)
    assert cached.at(PYTHON, more) == cached.at(PYTHON, more) == fresh.at(PYTHON, more)
    assert len(cached.files()) == 1


def test_it_stands_in_for_debug_information_that_went(cached: Cached, tmp_path: Path) -> None:
    """So it is really read: with the .dwo gone there is no other source of the inlined frames."""
    file = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2", "-gsplit-dwarf")
    (call,) = calls_in(file, "hot")
    chain = [("inl2", 6), ("inl1", 9), ("hot", 10)]
    assert brief(cached.at(file, [call])[0]) == chain
    for dwo in tmp_path.glob("*.dwo"):
        dwo.unlink()
    assert brief(cached.at(file, [call])[0]) == chain
    assert brief(Cached(cached.program, "/proc/nowhere").at(file, [call])[0]) == [("hot", 6)]


def test_another_file_at_the_same_place_is_another(cached: Cached, tmp_path: Path) -> None:
    file = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2")
    (call,) = calls_in(file, "hot")
    before = cached.at(file, [call])
    subprocess.run(["strip", "-g", str(file)], check=True)  # the build-id stays
    (only,) = cached.at(file, [call])[0]
    assert before[0][0]["confidence"] == "exact" and only["confidence"] == "symbol"


def test_damage_is_noticed(cached: Cached, sample: Path) -> None:
    addresses = every_address(sample)
    right = cached.at(sample, addresses)
    (file,) = cached.files()
    good = file.read_bytes()
    chance = random.Random(3)
    places = [*range(0, 64), *(chance.randrange(len(good)) for _ in range(60))]
    for place in places:
        file.write_bytes(good[:place] + bytes([good[place] ^ (1 << chance.randrange(8))]) + good[place + 1 :])
        assert cached.at(sample, addresses) == right, place
    for length in (0, 1, 63, 64, 200, len(good) // 2, len(good) - 1):
        file.write_bytes(good[:length])
        assert cached.at(sample, addresses) == right, length
    assert file.read_bytes() == good, "what was damaged is written anew"


def test_writers_do_not_harm_each_other(cached: Cached) -> None:
    begin, size = text_section(PYTHON)
    parts = [[begin + size * part // 8 + n * 97 for n in range(100)] for part in range(8)]
    running = [cached.start(PYTHON, part) for part in parts]
    answers = []
    for process in running:
        assert process.stdout
        answers.append([json.loads(line) for line in process.stdout])
        assert process.wait(timeout=60) == 0
    assert len(cached.files()) == 1, "no leftovers"
    for part, answer in zip(parts, answers, strict=True):
        assert cached.at(PYTHON, part) == answer


def test_another_build_does_not_read_it(cached: Cached, sample: Path, tmp_path: Path) -> None:
    addresses = every_address(sample)[:10]
    cached.at(sample, addresses)
    note, other = tmp_path / "note", tmp_path / "other"
    subprocess.run(["objcopy", "--dump-section", f".note.gnu.build-id={note}", str(cached.program), "/dev/null"], check=True)
    note.write_bytes(note.read_bytes()[:-4] + b"else")
    subprocess.run(["objcopy", "--update-section", f".note.gnu.build-id={note}", str(cached.program), str(other)], check=True)
    assert Cached(other, cached.cache).at(sample, addresses) == cached.at(sample, addresses)
    assert len(cached.files()) == 2


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null", "relative"])
def test_without_a_folder_nothing_is_kept_or_said(cached: Cached, sample: Path, tmp_path: Path, place: str) -> None:
    home = Cached(cached.program, place)
    done = subprocess.run(
        [str(home.program), "at", str(sample)],
        input="0x1000",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=clean_environment(XDG_CACHE_HOME=place, HOME="/proc/nowhere"),
    )
    assert done.returncode == 0 and done.stderr == ""
    assert not (tmp_path / "relative").exists()


def test_the_folder_stays_small(cached: Cached, sample: Path) -> None:
    """What was used longest ago goes first."""
    folder = cached.cache / "callpath"
    folder.mkdir(parents=True)
    for number in range(4):
        old = folder / f"{number}.index"
        old.touch()
        os.truncate(old, 200 << 20)
        os.utime(old, (1000 + number, 1000 + number))
    (folder / "0.index.Xy12Zq").write_text("left by a writer that was killed")
    os.utime(folder / "0.index.Xy12Zq", (1, 1))
    cached.at(sample, every_address(sample)[:10])
    names = {file.name for file in cached.files()}
    assert {"2.index", "3.index"} <= names and not names & {"0.index", "1.index", "0.index.Xy12Zq"}
    assert len(names) == 3
    shutil.rmtree(folder)
