"""`callpath run` changes nothing that the program can see of itself: each answer is compared with plain Python's."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import clean_environment

Run = Callable[..., subprocess.CompletedProcess[str]]

SEEN = """
import json, os, sys
seen = {
    "argv": sys.argv, "orig_argv": sys.orig_argv, "name": __name__, "file": globals().get("__file__"), "path": sys.path, "flags": str(sys.flags),
    "environ": sorted(os.environ.items()), "executable": sys.executable, "cwd": os.getcwd(), "modules": sorted(sys.modules),
    "descriptors": sorted(os.listdir("/proc/self/fd")), "first_free": os.open("/dev/null", os.O_RDONLY),
    "threads": len(os.listdir("/proc/self/task")), "group": os.getpgid(0) == os.getpgid(os.getppid()),
}
print(json.dumps(seen))
"""


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """script(text): a Python file of that text."""

    def write(text: str) -> Path:
        path = tmp_path / "program.py"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def plain(build: Path, python: str) -> Run:
    """plain(*arguments): the same program without callpath, with the same PYTHONPATH."""

    def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        settings: dict[str, object] = {"capture_output": True, "text": True, "timeout": 60}
        if "input" not in options:
            settings["stdin"] = subprocess.DEVNULL
        settings.update(options)
        environment = clean_environment(PYTHONPATH=str(build / "python"))
        return subprocess.run([python, *map(str, arguments)], env=environment, **settings)  # type: ignore[call-overload]

    return run


def on_float_pow(callpath: Run, record: Path, *program: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    return callpath("run", "--quiet", "--at", "float_pow", "-o", record, *program, **options)


def events(record: Path) -> list[dict]:
    return json.loads(record.read_text())["events"]


@pytest.mark.parametrize("form", ["script", "module", "command"])
def test_what_the_program_sees_of_itself(form: str, callpath: Run, plain: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    text = SEEN + "x = 2.5\nx ** 3.5\n"
    arguments = {
        "script": [script(text), "one", "--if", "-o", "--no-color", "--help", ""],
        "module": ["-m", "program", "--at", "two"],
        "command": ["-c", text, "three", "-m"],
    }[form]
    script(text)
    ours = on_float_pow(callpath, tmp_path / "r.json", *arguments, cwd=tmp_path)
    alone = plain(*arguments, cwd=tmp_path)
    assert alone.returncode == 0, alone.stderr
    assert json.loads(ours.stdout) == json.loads(alone.stdout)
    assert ours.stderr == alone.stderr == ""
    assert ours.returncode == 0
    assert len(events(tmp_path / "r.json")) == 1


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("", 0),
        ("sys.exit(5)", 5),
        ("sys.exit('a message')", 1),
        ("raise ValueError('raised')", 1),
        ("os._exit(7)", 7),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGSEGV); time.sleep(5)", -signal.SIGSEGV),
        ("raise KeyboardInterrupt", -signal.SIGINT),
        ("os.execv('/bin/sh', ['sh', '-c', 'echo executed; exit 6'])", 6),
    ],
)
def test_the_end_is_the_programs_own(
    ending: str, status: int, callpath: Run, plain: Run, script: Callable[[str], Path], tmp_path: Path
) -> None:
    program = script(f"import os, signal, sys, time\nx = 2.5\nprint(x ** 3.5, flush=True)\nprint('to errors', file=sys.stderr)\n{ending}\n")
    ours = on_float_pow(callpath, tmp_path / "r.json", program)
    alone = plain(program)
    assert (ours.returncode, ours.stdout, ours.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert alone.returncode == status
    assert len(events(tmp_path / "r.json")) == 1, "what was recorded is kept"


def test_standard_input_is_the_programs(callpath: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script("x = float(input('? '))\nprint(x ** 3.5)\nprint(input())\n")
    ours = on_float_pow(callpath, tmp_path / "r.json", program, input="4\nsecond line\n")
    assert ours.stdout == "? 128.0\nsecond line\n"


def test_a_record_is_there_while_the_program_still_runs(build: Path, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script("x = 2.5\nx ** 3.5\ninput()\nprint('done')\n")
    record = tmp_path / "r.json"
    command = [build / "bin/callpath", "run", "--quiet", "--at", "float_pow", "-o", record, program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean_environment()) as process:
        deadline = time.monotonic() + 30
        while not record.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(events(record)) == 1
        assert process.communicate("\n")[0] == "done\n"


def test_an_interrupt_of_the_terminal_reaches_the_program_once(build: Path, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script(
        "import signal, time\n"
        "count = 0\n"
        "def count_it(*_):\n    global count\n    count += 1\n"
        "signal.signal(signal.SIGINT, count_it)\n"
        "x = 2.5\nx ** 3.5\nprint('ready', flush=True)\n"
        "end = time.monotonic() + 20\n"
        "while not count and time.monotonic() < end: time.sleep(0.01)\n"
        "time.sleep(0.3)\nprint(count)\n"
    )
    command = [build / "bin/callpath", "run", "--quiet", "--at", "float_pow", "-o", tmp_path / "r.json", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=clean_environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)  # What the terminal does: to everyone in the foreground.
        assert process.stdout.read() == "1\n"
        assert process.wait(20) == 0


def test_a_request_to_end_is_passed_on(build: Path, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script("import time\nx = 2.5\nx ** 3.5\nprint('ready', flush=True)\ntime.sleep(30)\n")
    command = [build / "bin/callpath", "run", "--quiet", "--at", "float_pow", "-o", tmp_path / "r.json", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean_environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(20) == -signal.SIGTERM
    assert len(events(tmp_path / "r.json")) == 1


def test_the_program_goes_on_when_callpath_is_killed(build: Path, script: Callable[[str], Path], tmp_path: Path) -> None:
    done = tmp_path / "done"
    program = script(
        f"import os, time\nprint('ready', flush=True)\ninput()\nx = 2.5\nfor _ in range(100): x ** 3.5\nopen({str(done)!r}, 'w').write('yes')\n"
    )
    command = [build / "bin/callpath", "run", "--quiet", "--at", "float_pow", "--limit", "50", program]
    read, write = os.pipe()
    with subprocess.Popen(command, stdin=read, stdout=subprocess.PIPE, text=True, env=clean_environment()) as process:
        os.close(read)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.kill()
        process.wait()
        os.write(write, b"\n")
        os.close(write)
        deadline = time.monotonic() + 30
        while not (done.exists() and done.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
    assert done.read_text() == "yes"


def test_children_are_not_traced(callpath: Run, plain: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script(
        "import os, subprocess, sys\n"
        "child = os.fork()\n"
        "x = 2.5\n"
        "if child == 0:\n    os._exit(int(x ** 3.5) % 100)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n"
        "subprocess.run([sys.executable, '-c', 'import os; x = 2.5; print(x ** 3.5, sorted(os.environ.items()))'], check=True)\n"
        "print(x ** 3.5)\n"
    )
    ours = callpath("run", "--quiet", "--at", "float_pow", "--limit", "100", "-o", tmp_path / "r.json", program)
    alone = plain(program)
    assert (ours.returncode, ours.stdout, ours.stderr) == (0, alone.stdout, "")
    assert len(events(tmp_path / "r.json")) == 1, "the parent's own; neither the fork's nor the other process's"


def test_threads_are_recorded_under_their_own_ids(callpath: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script(
        "import threading\n"
        "ids = []\n"
        "def work(x):\n    ids.append(threading.get_native_id())\n    for _ in range(5): x ** 3.5\n"
        "threads = [threading.Thread(target=work, args=(2.5 + i,)) for i in range(4)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()\n"
        "print(sorted(ids))\n"
    )
    ours = callpath("run", "--quiet", "--at", "float_pow", "--limit", "20", "-o", tmp_path / "r.json", program)
    assert ours.returncode == 0, ours.stderr
    recorded = events(tmp_path / "r.json")
    assert len(recorded) == 20
    for event in recorded:
        functions = [frame["name"] for frame in event["frames"] if frame["kind"] == "python"]
        assert functions[0] == "work" and functions[-1] == "_bootstrap"
        assert event["complete"]
    if len({event["thread"]["tid"] for event in recorded}) > 1:  # threads of that size may well run one after the other, in one id each
        assert sorted({event["thread"]["tid"] for event in recorded}) == sorted(set(json.loads(ours.stdout)))


def test_a_user_preload_stays(callpath: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script("import os\nx = 2.5\nx ** 3.5\nprint(os.environ['LD_PRELOAD'], 'CALLPATH_AGENT_FD' in os.environ)\n")
    ours = on_float_pow(callpath, tmp_path / "r.json", program, env={"LD_PRELOAD": "libm.so.6"})
    assert ours.stdout == "libm.so.6 False\n"


def test_no_file_is_left_behind(callpath: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script("x = 2.5\nx ** 3.5\n")
    out = tmp_path / "out"
    out.mkdir()
    assert on_float_pow(callpath, out / "r.json", program, cwd=out, env={"TMPDIR": str(out)}).returncode == 0
    assert [path.name for path in out.iterdir()] == ["r.json"]


def test_a_blocked_trap_can_be_seen_and_waited_for(callpath: Run, plain: Run, script: Callable[[str], Path], tmp_path: Path) -> None:
    program = script(
        "import os, signal, threading\nx = 2.5\nx ** 3.5\nTRAP = {signal.SIGTRAP}\nsignal.pthread_sigmask(signal.SIG_BLOCK, TRAP)\n"
        "print(signal.sigpending())\nos.kill(os.getpid(), signal.SIGTRAP)\nprint(signal.sigpending(), signal.sigwait(TRAP), signal.sigpending())\n"
        "signal.raise_signal(signal.SIGTRAP)\ninfo = signal.sigwaitinfo(TRAP)\nprint(info.si_signo, info.si_pid == os.getpid())\n"
        "me = threading.get_ident()\nthreading.Timer(0.2, signal.pthread_kill, (me, signal.SIGTRAP)).start()\n"
        "print(signal.sigtimedwait(TRAP, 30).si_signo, signal.sigtimedwait(TRAP, 0))\nx ** 3.5\n"
    )
    ours = on_float_pow(callpath, tmp_path / "r.json", program, timeout=60)
    alone = plain(program)
    assert alone.returncode == 0, alone.stderr
    assert (ours.stdout, ours.stderr, ours.returncode) == (alone.stdout, alone.stderr, alone.returncode)
