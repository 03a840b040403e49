"""A program under trace in which everything happens at once: nothing of it may be harmed, and nothing that was recorded lost or wrong."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SECONDS = int(os.environ.get("CALLPATH_STRESS_SECONDS", "60"))

HELPER = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void* waits(void* none) { for (;;) pause(); return none; }
/* A thread that is cancelled while it waits. */
int cancelled(void) {
  pthread_t thread;
  void* result;
  if (pthread_create(&thread, NULL, waits, NULL)) return 1;
  pthread_cancel(thread);
  pthread_join(thread, &result);
  return result != PTHREAD_CANCELED;
}
"""

THROWS = """
#include <stdexcept>
struct Counts { int* n; ~Counts() { ++*n; } };
__attribute__((noinline)) static void inner(int depth, int* n) {
  Counts one{n};
  if (depth == 0) throw std::runtime_error("thrown");
  inner(depth - 1, n);
}
extern "C" int throws(int depth) {
  int n = 0;
  try { inner(depth, &n); } catch (const std::runtime_error&) { return n; }
  return -1;
}
"""

PROGRAM = """
import ctypes, _ctypes, os, random, signal, sys, threading, time

helper, throws, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
until = time.monotonic() + seconds
counts, failures = {}, []
signal.signal(signal.SIGUSR1, lambda *_: counts.__setitem__("signals", counts.get("signals", 0) + 1))

def power(x, y):
    return x ** y

def calls(chance):
    for _ in range(20): assert power(2.0, 3.0) == 8.0 and power(2.5, 1.0) == 2.5

def loads(chance):
    library = ctypes.CDLL(throws)
    assert library.throws(chance.randrange(1, 30)) > 0
    _ctypes.dlclose(library._handle)

def forks(chance):
    child = os.fork()
    if child == 0:
        os._exit(0 if power(2.0, 3.0) == 8.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

def exceptions(chance):
    try: raise KeyError(power(2.0, 1.0))
    except KeyError as error: assert error.args == (2.0,)

def cancels(chance):
    assert ctypes.CDLL(helper).cancelled() == 0

def signals(chance):
    os.kill(os.getpid(), signal.SIGUSR1)

def threads(chance):
    thread = threading.Thread(target=calls, args=(chance,)); thread.start(); thread.join()

def work(number):
    chance = random.Random(number)
    try:
        while time.monotonic() < until:
            what = chance.choice((calls, calls, calls, loads, forks, exceptions, cancels, signals, threads))
            what(chance)
            counts[what.__name__] = counts.get(what.__name__, 0) + 1
    except BaseException as error:
        failures.append(repr(error))

workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for w in workers: w.start()
for w in workers: w.join()
print(counts, failures)
sys.exit(len(failures))
"""


def test_eight_threads_while_everything_happens(callpath: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    for name, text, compiler in (("helper", HELPER, "gcc"), ("throws", THROWS, "g++")):
        source = tmp_path / f"{name}.{'c' if compiler == 'gcc' else 'cpp'}"
        source.write_text(text)
        subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", source, "-o", tmp_path / f"{name}.so"], check=True)
    (tmp_path / "program.py").write_text(PROGRAM)
    output = tmp_path / "record.json"
    command = ["run", "--quiet", "--at", "float_pow", "--limit", "3000", "-o", output, tmp_path / "program.py", tmp_path / "helper.so", tmp_path / "throws.so", str(SECONDS)]
    done = callpath(*command, timeout=SECONDS * 10 + 300)
    assert done.returncode == 0, (done.stdout, done.stderr)
    print(done.stdout)
    events = json.loads(output.read_text())["events"]
    assert len(events) > 100
    for event in events:
        assert event["complete"], event.get("incomplete_reason")
        pythons = [frame["name"] for frame in event["frames"] if frame["kind"] == "python"]
        assert pythons[-1] in ("_bootstrap", "<module>"), pythons
        assert pythons[0] == "power" or "_find_and_load" in pythons, "the library's own modules compute powers too"
        assert not event["thread"].get("note"), event["thread"]
        assert event["frames"][0]["name"] == "float_pow"
