"""Python threads that use the same tensors at the same time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from engine_support import evaluate, run_engine


def test_a_gradient_may_be_dropped_while_another_thread_adds_to_it(build: Path) -> None:
    program = """
        import threading, time
        sys.setswitchinterval(1e-6)
        x = torch.ones(1000, requires_grad=True)
        end = time.monotonic() + 2
        def work():
            while time.monotonic() < end:
                (x * 2).sum().backward()
                x.grad = None
        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("done")
    """
    assert run_engine(build, program).stdout == "done\n"


def test_a_model_can_be_made_in_inference_mode(build: Path) -> None:
    setup = "inside = torch.inference_mode()\ninside.__enter__()\n"
    assert evaluate(build, ["torch.ones(2, requires_grad=True).requires_grad", "torch.ones(2).requires_grad_().requires_grad"], setup) == [True, True]


THREADS = (1, 2, 4, 7)
# Each is large enough to be cut up: rows of products, batches, chunks of what becomes one number.
SPLIT = {
    "mm": "a.mm(b)",
    "mm of a transpose": "at.t().mm(b)",
    "mm with a transpose": "a.mm(bt.t())",
    "addmm": "torch.addmm(bias, a, b, beta=0.5, alpha=2)",
    "linear": "torch.nn.functional.linear(a, bt, bias)",
    "double": "a.double().mm(b.double())",
    "bmm": "a[:1200].reshape(8, 150, 190).bmm(b.expand(8, 190, 230))",
    "mv": "a.mv(b[:, 0])",
    "sum": "a.sum()",
    "sum of doubles": "a.double().sum()",
    "sum of integers": "(a * 100).long().sum()",
    "sum of a view": "a.t()[3:].sum()",
    "mean": "a.mean()",
    "prod": "(1 + a / 1e4).double().prod()",
    "max": "a.max()",
    "min": "a.min()",
    "any": "(a > 100).any()",
    "all": "(a < 100).all()",
}


def test_what_is_cut_up_has_the_same_bits_on_any_number_of_threads(build: Path) -> None:
    program = f"""
        torch.manual_seed(1)
        a, b, bias = torch.randn(2300, 190), torch.randn(190, 230), torch.randn(230)
        at, bt = a.t().contiguous(), b.t().contiguous()
        for threads in {THREADS}:
            torch.set_num_threads(threads)
            print(json.dumps([bits(eval(expression)) for expression in {list(SPLIT.values())!r}]))
    """
    rows = [json.loads(line) for line in run_engine(build, program).stdout.splitlines()]
    assert len(rows) == len(THREADS)
    for name, *results in zip(SPLIT, *rows):
        assert len(set(results)) == 1, name


def test_products_and_totals_that_are_cut_up_are_numpys(build: Path) -> None:
    pytest.importorskip("numpy")
    program = """
        import numpy
        torch.manual_seed(2)
        torch.set_num_threads(2)
        # Whole numbers: every order of additions is exact.
        a, b = torch.randint(-9, 10, (2300, 190)), torch.randint(-9, 10, (190, 230))
        x, y = a.numpy(), b.numpy()
        mm = (a.float().mm(b.float()).numpy() == x @ y).all()
        batches = (a.double().reshape(10, 230, 190).bmm(b.double().expand(10, 190, 230)).numpy() == x.reshape(10, 230, 190) @ y).all()
        addmm = (torch.addmm(b[0].double(), a.double(), b.double(), beta=3, alpha=-1).numpy() == 3 * y[0] - x @ y).all()
        totals = [int(a.sum()) == x.sum(), int(a.float().sum()) == x.sum(), int(a.double().t().sum()) == x.sum(), int(a.max()) == x.max()]
        c = torch.randn(1000000)
        exact = math.fsum(c.double().tolist())
        near = abs(float(c.double().sum()) - exact) <= 1e-12 * float(c.abs().double().sum())
        c[654321] = nan
        print(json.dumps([bool(mm), bool(batches), bool(addmm), *map(bool, totals), near, math.isnan(float(c.max())), math.isnan(float(c.sum()))]))
    """
    assert json.loads(run_engine(build, program).stdout) == [True] * 10


def test_products_of_several_threads_at_once(build: Path) -> None:
    """The BLAS library is called by many threads, some of them the engine's own."""
    program = """
        import threading
        torch.manual_seed(3)
        torch.set_num_threads(2)
        pairs = [(torch.randint(-9, 10, (600 + i, 300)).float(), torch.randint(-9, 10, (300, 200 + i)).float()) for i in range(6)]
        expected = [(a.long().mm(b.long())).tolist() for a, b in pairs]
        wrong = []
        def work(i):
            a, b = pairs[i]
            for _ in range(20):
                if a.mm(b).long().tolist() != expected[i]: wrong.append(i)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(wrong)
    """
    assert run_engine(build, program).stdout == "[]\n"
