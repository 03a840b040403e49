"""Python threads that use the same tensors at the same time."""

from __future__ import annotations

from pathlib import Path

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
