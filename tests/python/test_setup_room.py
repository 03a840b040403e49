"""`room` and `build-python` on a machine whose package tools only take notes (fake_debian.py): what they do, in which order, and what a failure leaves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fake_debian import FakeDebian


@pytest.fixture
def machine(root: Path, tmp_path: Path) -> FakeDebian:
    return FakeDebian(root, tmp_path)


def rooms(machine: FakeDebian) -> list[str]:
    folder = machine.root / "build" / "rooms"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_room_is_made_once_and_entered(machine: FakeDebian) -> None:
    first = machine.run("room", "debian13", "uname")
    assert first.returncode == 0 and first.stdout == "in the room: uname\n", first.stderr
    (made,) = machine.log("debootstrap")
    assert " trixie " in made and made.rstrip().endswith("http://mirror.invalid/debian/")  # from where this machine gets its packages
    machine.forget()
    again = machine.run("room", "debian13", "uname")
    assert again.stdout == first.stdout and machine.log("debootstrap") == []


@pytest.mark.parametrize("command", [["walk", "01"], ["run", "--at", "f", "x.py"], ["test", "gdb"], ["doctor"]])
def test_commands_take_a_room(machine: FakeDebian, command: list[str]) -> None:
    done = machine.run(command[0], "--room", "debian13", *command[1:])
    assert done.returncode == 0 and done.stdout == f"in the room: {machine.root}/callpath {' '.join(command)}\n", done.stderr
    assert not (machine.root / "build" / "teach").exists()  # nothing is built outside


def test_packages_in_a_room_come_without_waiting_for_the_disk_and_without_manuals(machine: FakeDebian) -> None:
    machine.run("room", "debian13", "true")
    made = machine.root / "build/rooms/debian13/root/etc"
    settings = (made / "dpkg/dpkg.cfg.d/room").read_text()
    assert "force-unsafe-io" in settings and "path-exclude=/usr/share/man/*" in settings
    assert 'Install-Recommends "false"' in (made / "apt/apt.conf.d/90room").read_text()


def test_a_room_that_could_not_be_made_is_not_there(machine: FakeDebian) -> None:
    machine.set("offline")
    done = machine.run("room", "debian13", "true")
    assert done.returncode == 1 and "package server cannot be reached" in done.stderr
    assert "debian13" not in rooms(machine)
    machine.clear("offline")
    assert machine.run("room", "debian13", "true").returncode == 0
    assert "debian13.new" not in rooms(machine)


def test_without_root_it_says_so(machine: FakeDebian) -> None:
    (machine.home / "uid").write_text("1000\n")
    done = machine.run("room", "debian13", "true")
    assert done.returncode == 1 and "a room needs root" in done.stderr and machine.log("debootstrap") == []


def test_a_removed_room_is_gone_but_for_what_was_downloaded(machine: FakeDebian) -> None:
    machine.run("room", "debian13", "true")
    assert machine.run("room", "debian13", "--remove").returncode == 0
    assert rooms(machine) == ["cache"]


def test_an_unknown_room_is_named(machine: FakeDebian) -> None:
    done = machine.run("room", "debian7", "true")
    assert done.returncode == 1 and "'debian7'" in done.stderr and "debian13" in done.stderr


def test_a_python_is_fetched_unpacked_configured_and_made(machine: FakeDebian) -> None:
    done = machine.run("build-python", "3.11")
    place = machine.root / "build/pythons/3.11"
    assert done.returncode == 0 and done.stdout == f"{place}/source/build/python\n", done.stderr
    steps = [line.split()[0] for line in machine.log() if re.match(r"(dpkg-source|configure|make) ", line)]
    assert steps == ["dpkg-source", "configure", "make", "make"]
    (configured,) = machine.log("configure")
    assert "-O0 -g3" in configured and "--without-ensurepip" in configured
    assert "[1/1] Python/ceval.c" in done.stderr
    assert (place / "apt/sources.list").read_text() == "deb-src http://mirror.invalid/debian/ bookworm main\n"
    for line in machine.log("apt-get"):
        if re.search(r" (update|source) ", line + " "):
            assert f"Dir::Etc::SourceList={place}/apt/sources.list" in line and "Dir::Etc::SourceParts=/dev/null" in line


def test_a_python_that_is_there_is_only_named(machine: FakeDebian) -> None:
    first = machine.run("build-python", "3.11")
    machine.forget()
    assert machine.run("build-python", "3.11").stdout == first.stdout
    assert not [line for line in machine.log() if line.startswith(("dpkg-source", "configure", "make")) or " source " in line]


@pytest.mark.parametrize(
    ("behaviour", "complaint", "done_before"),
    [("offline", "could not be fetched", []), ("unpacking-fails", "could not be unpacked", ["apt-get"]), ("compiling-fails", "could not be compiled", ["apt-get", "dpkg-source", "configure"])],
)
def test_an_interrupted_build_goes_on_where_it_stopped(machine: FakeDebian, behaviour: str, complaint: str, done_before: list[str]) -> None:
    (machine.home / "installed").write_text("dpkg-dev\nmake\nlibffi-dev\nzlib1g-dev\n")
    machine.set(behaviour)
    failed = machine.run("build-python", "3.11")
    assert failed.returncode == 1 and complaint in failed.stderr and failed.stdout == ""
    machine.clear(behaviour)
    machine.forget()
    again = machine.run("build-python", "3.11")
    assert again.returncode == 0 and again.stdout.endswith("/source/build/python\n")
    repeated = {line.split()[0] for line in machine.log() if " source " in line or line.startswith(("dpkg-source", "configure"))}
    assert not repeated & set(done_before)


def test_only_versions_that_debian_has_are_built(machine: FakeDebian) -> None:
    done = machine.run("build-python", "3.12")
    assert done.returncode == 1 and "3.11 and 3.13" in done.stderr


def test_build_python_needs_root_only_for_packages(machine: FakeDebian) -> None:
    (machine.home / "uid").write_text("1000\n")
    done = machine.run("build-python", "3.11")
    (command,) = re.findall(r"^  sudo apt-get install (.*)$", done.stderr, re.M)
    assert done.returncode == 1 and "dpkg-dev" in command
    (machine.home / "installed").write_text("\n".join(command.split()) + "\n")
    assert machine.run("build-python", "3.11").returncode == 0
    assert machine.log("sudo") == [] or not [line for line in machine.log("sudo") if "apt-get install" in line]
