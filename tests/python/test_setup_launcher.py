"""Set-up on a fresh machine, as far as it can be had without one: the package tools only take notes (fake_debian.py)."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from fake_debian import FakeDebian


@pytest.fixture
def machine(root: Path, tmp_path: Path) -> FakeDebian:
    return FakeDebian(root, tmp_path)


def listed(root: Path, *levels: str) -> set[str]:
    """Packages of these levels, read without the code under test."""
    lines = (root / "cmake" / "packages.txt").read_text().splitlines()
    return {line.split()[1] for line in lines if line and not line.startswith("#") and line.split()[0].removesuffix("@bookworm") in levels}


def install_lines(machine: FakeDebian) -> list[str]:
    return [line for line in machine.log("apt-get") if " install " in line]


def installed_by(line: str) -> set[str]:
    return {word for word in line.split()[1:] if re.fullmatch(r"[a-z][a-z0-9.+-]*", word) and word not in ("install",)}


def test_first_command_sets_everything_up_then_runs(machine: FakeDebian, root: Path) -> None:
    done = machine.run("walk", "01", "--full")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "built callpath: walk 01 --full\n"
    (line,) = install_lines(machine)
    assert "--no-remove" in line and "--no-install-recommends" in line
    assert installed_by(line) == listed(root, "run")


def test_says_what_it_installs_and_why(machine: FakeDebian, root: Path) -> None:
    done = machine.run("walk", "01")
    for package in listed(root, "run"):
        assert re.search(rf"^  {re.escape(package)} +\S.*\S", done.stderr, re.M), package


def test_llvm_libunwind_is_unpacked_and_never_installed(machine: FakeDebian) -> None:
    machine.run("walk", "01")
    assert not any("libunwind" in line for line in install_lines(machine))
    assert (machine.root / "build/deps/llvm-libunwind/usr/lib/llvm-19/lib/libunwind.a").exists()
    assert sorted(p.name for p in (machine.root / "build/deps").iterdir()) == ["llvm-libunwind"]


def test_nothing_is_ever_removed(machine: FakeDebian) -> None:
    machine.run("walk", "01")
    assert not [line for line in machine.log() if re.search(r"\b(remove|purge|autoremove|upgrade)\b", line.replace("--no-remove", ""))]


def test_second_run_does_no_set_up_work(machine: FakeDebian) -> None:
    machine.run("walk", "01")
    machine.forget()
    again = machine.run("walk", "01")
    assert again.stdout == "built callpath: walk 01\n"
    assert again.stderr == ""
    assert machine.log() == []


def test_only_what_is_missing_is_installed(machine: FakeDebian, root: Path) -> None:
    (machine.home / "installed").write_text("\n".join(listed(root, "run") - {"gdb"}) + "\n")
    machine.run("walk", "01")
    (line,) = install_lines(machine)
    assert installed_by(line) == {"gdb"}


def test_nothing_missing_means_no_apt_get_and_no_root(machine: FakeDebian, root: Path) -> None:
    (machine.home / "installed").write_text("\n".join(listed(root, "run")) + "\n")
    (machine.home / "uid").write_text("1000\n")
    done = machine.run("walk", "01")
    assert done.returncode == 0
    assert install_lines(machine) == [] and machine.log("sudo") == []


def test_package_lists_are_renewed_only_where_they_lack_a_package(machine: FakeDebian) -> None:
    machine.run("walk", "01")
    assert "apt-get update" not in machine.log()


def test_package_lists_that_lack_a_package_are_renewed_first(machine: FakeDebian) -> None:
    machine.set("no-candidates")
    assert machine.run("walk", "01").returncode == 0
    calls = machine.log("apt-get")
    assert calls.index("apt-get update") < calls.index(install_lines(machine)[0])


def test_lists_older_than_the_server_are_renewed_and_tried_again(machine: FakeDebian) -> None:
    machine.set("stale")
    assert machine.run("walk", "01").returncode == 0
    assert "apt-get update" in machine.log()
    assert len(install_lines(machine)) == 2


def test_an_installation_that_was_cut_off_is_finished(machine: FakeDebian) -> None:
    machine.set("cut-off")
    assert machine.run("walk", "01").returncode == 0
    assert "dpkg --configure -a" in machine.log()


def test_without_root_it_prints_the_command_and_fails(machine: FakeDebian, root: Path) -> None:
    (machine.home / "uid").write_text("1000\n")
    done = machine.run("walk", "01")
    assert done.returncode == 1
    (command,) = re.findall(r"^  sudo (apt-get install .*)$", done.stderr, re.M)
    assert "--no-remove" in command and installed_by(command) == listed(root, "run")
    assert install_lines(machine) == []
    assert not (machine.root / "build/teach").exists()


def test_a_user_with_sudo_gets_the_same(machine: FakeDebian, root: Path) -> None:
    (machine.home / "uid").write_text("1000\n")
    machine.set("sudo-works")
    done = machine.run("walk", "01")
    assert done.returncode == 0, done.stderr
    (line,) = [entry for entry in machine.log("sudo") if " install " in entry]
    assert line.startswith("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install")


@pytest.mark.parametrize("packages_are_there", [False, True])
def test_no_network_is_said_and_the_next_run_goes_on(machine: FakeDebian, root: Path, packages_are_there: bool) -> None:
    if packages_are_there:
        (machine.home / "installed").write_text("\n".join(listed(root, "run")) + "\n")
    machine.set("offline")
    done = machine.run("walk", "01")
    assert done.returncode == 1
    assert "network" in done.stderr
    assert done.stdout == ""
    assert not (machine.root / "build/setup/ready-run").exists()
    assert not (machine.root / "build/deps/llvm-libunwind").exists()
    machine.clear("offline")
    assert machine.run("walk", "01").stdout == "built callpath: walk 01\n"


def test_without_apt_get_it_says_which_things_are_needed(root: Path, tmp_path: Path) -> None:
    machine = FakeDebian(root, tmp_path, without=("apt-get", "apt-cache", "dpkg", "dpkg-query"))
    done = machine.run("walk", "01")
    assert done.returncode == 1
    assert "apt-get" in done.stderr
    for package in listed(root, "run"):
        assert package in done.stderr


def interrupt(machine: FakeDebian) -> subprocess.CompletedProcess[str]:
    """Starts a walk, waits until it builds, then presses Ctrl+C: the whole foreground group gets SIGINT."""
    child = subprocess.Popen(
        machine.command("walk", "01"),
        env=machine.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whoever runs the tests in the background ignores SIGINT, children inherit that, and no shell can trap what it found ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 30
    while not (machine.home / "building").exists():
        assert time.monotonic() < deadline and child.poll() is None
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=30)
    return subprocess.CompletedProcess(child.args, child.returncode, out, err)


def test_interrupted_set_up_goes_on_where_it_stopped(machine: FakeDebian) -> None:
    machine.set("build-hangs")
    stopped = interrupt(machine)
    assert stopped.returncode in (130, -signal.SIGINT)
    assert "goes on from here" in stopped.stderr
    assert not (machine.root / "build/setup/ready-run").exists()
    machine.clear("build-hangs")
    machine.forget()
    assert machine.run("walk", "01").stdout == "built callpath: walk 01\n"
    assert install_lines(machine) == []
    assert not [line for line in machine.log("apt-get") if "download" in line]
    assert not machine.log("cmake --preset")


@pytest.mark.parametrize("behaviour", ["configure-fails", "build-fails"])
def test_failed_step_is_not_recorded_as_done(machine: FakeDebian, behaviour: str) -> None:
    machine.set(behaviour)
    failed = machine.run("walk", "01")
    assert failed.returncode == 1 and failed.stdout == ""
    machine.clear(behaviour)
    assert machine.run("walk", "01").stdout == "built callpath: walk 01\n"


def test_two_set_ups_at_once_do_not_work_side_by_side(machine: FakeDebian) -> None:
    """Both end well, and packages were asked for once: the second waited and found nothing left to do."""
    children = [subprocess.Popen(machine.command("walk", "01"), env=machine.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in "ab"]
    for child in children:
        out, _ = child.communicate(timeout=60)
        assert (child.returncode, out) == (0, b"built callpath: walk 01\n")
    assert len(install_lines(machine)) == 1


@pytest.mark.parametrize("change", ["content", "new file", "file gone"])
def test_changed_sources_are_built_again(machine: FakeDebian, change: str) -> None:
    machine.run("walk", "01")
    machine.forget()
    source = machine.root / "tracer" / "some.cpp"
    if change == "content":
        source.write_text("int y = 1;\n")
    elif change == "new file":
        source.with_name("other.cpp").write_text("int z;\n")
    else:
        source.unlink()
    machine.run("walk", "01")
    assert len(machine.log("cmake --build")) == 1
    assert install_lines(machine) == []


def test_moved_folder_is_built_anew(machine: FakeDebian) -> None:
    machine.run("walk", "01")
    moved = machine.root.with_name("elsewhere")
    machine.root.rename(moved)
    machine.root = moved
    machine.forget()
    assert machine.run("walk", "01").returncode == 0
    assert machine.log("cmake --preset")


def test_started_through_a_link(machine: FakeDebian) -> None:
    link = machine.home / "link"
    link.symlink_to(machine.root / "callpath")
    done = subprocess.run([link, "walk", "01"], env=machine.environment(), capture_output=True, text=True, timeout=60)
    assert done.stdout == "built callpath: walk 01\n"


@pytest.mark.parametrize("arguments", [["--help"], [], ["-h"], ["--version"], ["walk", "--help"], ["doctor"]])
def test_answers_before_set_up_and_changes_nothing(machine: FakeDebian, arguments: list[str]) -> None:
    done = machine.run(*arguments)
    assert done.returncode == (1 if arguments == ["doctor"] else 0)
    assert done.stdout.strip()
    assert not (machine.root / "build").exists()
    assert install_lines(machine) == []


def test_version_before_set_up_is_the_build_s(machine: FakeDebian, root: Path) -> None:
    (version,) = re.findall(r"^project\(callpath VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M)
    assert machine.run("--version").stdout == f"callpath {version}\n"


def test_unknown_command_before_set_up_sets_nothing_up(machine: FakeDebian) -> None:
    done = machine.run("wlak", "01")
    assert done.returncode == 2
    assert "wlak" in done.stderr
    assert not (machine.root / "build").exists()


def test_doctor_names_what_is_missing_and_the_command(machine: FakeDebian, root: Path) -> None:
    (machine.home / "installed").write_text("\n".join(listed(root, "run") - {"gdb", "libdw-dev"}) + "\n")
    done = machine.run("doctor")
    assert done.returncode == 1
    assert re.search(r"^  MISSING +gdb ", done.stdout, re.M) and re.search(r"^  MISSING +libdw-dev ", done.stdout, re.M)
    assert re.search(r"sudo apt-get install --no-remove \S+ gdb libdw-dev$", done.stdout, re.M)
    assert re.search(r"^  ok +g\+\+ ", done.stdout, re.M)


def test_doctor_is_content_after_set_up(machine: FakeDebian) -> None:
    machine.run("walk", "01")
    done = machine.run("doctor")
    missing = re.findall(r"^  MISSING +(.*)$", done.stdout, re.M)
    assert (done.returncode, missing) == (0, [])


def test_doctor_names_a_python_it_does_not_know(machine: FakeDebian, tmp_path: Path) -> None:
    python = tmp_path / "python9"
    python.write_text('#!/bin/sh\ncase "$*" in *version_info*) echo 3.99.0 ;; *) echo /nowhere ;; esac\n')
    python.chmod(0o755)
    machine.run("walk", "01")
    done = subprocess.run(
        machine.command("doctor"), env=machine.environment() | {"CALLPATH_PYTHON": str(python)}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert re.search(r"MISSING +Python 3\.99\.0 .*3\.11", done.stdout)


def test_every_package_has_a_level_and_a_reason(root: Path) -> None:
    for line in (root / "cmake" / "packages.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            level, package, reason = line.split(" ", 2)
            assert re.fullmatch("(run|test|bench|build-python)(@bookworm|@trixie)?", level) and re.fullmatch(r"[a-z0-9.+-]+", package) and len(reason) > 10


def test_gate_is_the_test_command(root: Path) -> None:
    lines = [line for line in (root / ".ci" / "run").read_text().splitlines() if line and not line.startswith("#")]
    assert lines == ["set -eu", 'cd -- "$(dirname -- "$0")/.."', "exec ./callpath test"]
