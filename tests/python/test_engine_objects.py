"""The Python object of a tensor: it stays what it is while only the engine holds the tensor, and the collector sees through autograd."""

from __future__ import annotations

from pathlib import Path

from engine_support import evaluate, torch_values

# Each function makes a situation and tells what became of it; the same in the engine and in PyTorch.
SETUP = """
import gc, threading, weakref
nn = sys.modules.get(torch.__name__ + ".nn") or __import__(torch.__name__ + ".nn", fromlist=["nn"])

class Sub(torch.Tensor):
    pass

def saved():
    # Held by the graph alone, as what exp() saved and as a leaf.
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    x.tag, y.tag = "leaf", "result"
    key_x, key_y, graph = id(x), id(y), y.sum().grad_fn
    del x, y
    gc.collect()
    [torch.ones(3) for _ in range(100)]
    exp = graph.next_functions[0][0]
    leaf = exp.next_functions[0][0].variable
    return [leaf.tag, id(leaf) == key_x]

def parameter():
    p = nn.Parameter(torch.ones(2))
    p.note = ["mine"]
    y = (p * 2).sum()
    ref = weakref.ref(p)
    del p
    gc.collect()
    again = y.grad_fn.next_functions[0][0].next_functions[0][0].variable
    kept = [type(again).__name__, again.note, ref() is again]
    del again
    kept.append(ref() is not None)
    del y
    gc.collect()
    return kept + [ref() is None]

def gradient():
    x = torch.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    x.grad.mark = 5
    gc.collect()
    first = x.grad
    return [x.grad.mark, x.grad is first]

def base_of_view():
    b = torch.zeros(4, requires_grad=True) * 1
    b.name_ = "base"
    v = b[1:]
    del b
    gc.collect()
    return [v._base.name_, v._base is v._base]

def many_times():
    x = torch.ones(2, requires_grad=True).as_subclass(Sub)
    x.count = 0
    y = torch.Tensor.exp(x * 1).sum()
    z = x.view(2)
    del x
    for _ in range(50):
        b = z._base if z._base is not None else z
        if hasattr(b, "count"): b.count += 1
        del b
    return True

def weak():
    x = torch.ones(2, requires_grad=True)
    ref = weakref.ref(x)
    y = x * 2
    del x
    alive = ref() is not None
    got = ref()
    total = None if got is None else got.sum().item()
    del y, got
    gc.collect()
    return [alive, total, ref() is None]

def weak_outlives_graph():
    x = torch.ones(2, requires_grad=True)
    x.tag = 1
    ref = weakref.ref(x)
    y = x * 2
    del x
    got = ref()
    del y
    gc.collect()
    return [got.tag, got.sum().item(), (got * 2).sum().item()]

def finalizer():
    log = []
    class Last(torch.Tensor):
        def __del__(self): log.append([type(self).__name__, self.tolist()])
    x = torch.ones(2).as_subclass(Last)
    del x
    gc.collect()
    return log

def revived():
    kept = []
    class Again(torch.Tensor):
        def __del__(self): kept.append(self)
    x = torch.ones(2).as_subclass(Again)
    del x
    gc.collect()
    tag = len(kept)
    kept.clear()
    gc.collect()
    return [tag, len(kept)]

def slots():
    class Slotted(torch.Tensor):
        __slots__ = ("extra",)
    class Thing: pass
    x, thing = torch.ones(2).as_subclass(Slotted), Thing()
    ref = weakref.ref(thing)
    x.extra = thing
    del thing
    held = ref() is not None
    del x
    gc.collect()
    return [held, ref() is None]

def attribute_cycle():
    x = torch.ones(2)
    x.me = x
    ref = weakref.ref(x)
    del x
    gc.collect()
    return ref() is None

def leaf_hook():
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g, x=x: None)
    ref = weakref.ref(x)
    del x
    gc.collect()
    return ref() is None

def leaf_hook_after_use():
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g, x=x: None)
    ref = weakref.ref(x)
    (x * 2).sum().backward()
    del x
    gc.collect()
    return ref() is None

class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.out, ctx.marker = y, Marker()
        marks.append(weakref.ref(ctx.marker))
        return y
    @staticmethod
    def backward(ctx, g): return g * 2
class Marker: pass
marks = []

def output_on_ctx():
    y = Doubled.apply(torch.ones(2, requires_grad=True))
    del y
    gc.collect()
    return marks.pop()() is None

def output_on_ctx_kept_while_used():
    x = torch.ones(2, requires_grad=True)
    y = Doubled.apply(x)
    gc.collect()
    y.sum().backward()
    kept = [x.grad.tolist(), marks[-1]() is not None]
    del y
    gc.collect()
    return kept + [marks.pop()() is None]

def threads():
    x = torch.ones(2, requires_grad=True)
    x.tag = "t"
    ref = weakref.ref(x)
    ys = [(x * i).sum() for i in range(8)]
    del x
    workers = [threading.Thread(target=lambda y=y: [y.backward(), ref()]) for y in ys]
    del ys
    for w in workers: w.start()
    for w in workers: w.join()
    del workers
    gc.collect()
    return ref() is None

def collected_while_the_graph_lives():
    x = torch.ones(2, requires_grad=True)
    x.me = x
    y = x * 2
    del x
    gc.collect()
    again = y.grad_fn.next_functions[0][0].variable
    return again.me is again
"""
CASES = [
    "saved", "parameter", "gradient", "base_of_view", "many_times", "weak", "weak_outlives_graph", "finalizer", "revived", "slots", "attribute_cycle",
    "leaf_hook", "leaf_hook_after_use", "output_on_ctx", "output_on_ctx_kept_while_used", "threads", "collected_while_the_graph_lives",
]  # fmt: skip
EXPECTED = {
    "saved": ["leaf", True],
    "parameter": ["Parameter", ["mine"], True, True, True],
    "gradient": [5, True],
    "base_of_view": ["base", True],
    "weak": [True, 2.0, True],
    "weak_outlives_graph": [1, 2.0, 4.0],
    "finalizer": [["Last", [1.0, 1.0]]],
    "revived": [1, 0],
    "slots": [True, True],
    "output_on_ctx_kept_while_used": [[2.0, 2.0], True, True],
}


def test_objects_live_and_die_as_they_should(build: Path) -> None:
    got = dict(zip(CASES, evaluate(build, [f"{case}()" for case in CASES], SETUP)))
    assert got == {case: EXPECTED.get(case, True) for case in CASES}


# Here PyTorch 1.13 leaves an object without a tensor.
OURS = ("weak_outlives_graph",)


def test_objects_live_and_die_as_pytorchs() -> None:
    cases = [case for case in CASES if case not in OURS]
    got = dict(zip(cases, torch_values([f"{case}()" for case in cases], SETUP)))
    assert got == {case: EXPECTED.get(case, True) for case in cases}


def test_nothing_is_lost_over_many_graphs(build: Path) -> None:
    """Objects that the engine gave back leave nothing: their number stays the same."""
    setup = """
    import gc
    class Sub(torch.Tensor): pass
    def once():
        x = torch.ones(2, requires_grad=True); x.tag = [1]
        s = torch.ones(2).as_subclass(Sub)
        y = (x * s).exp().sum()
        del x, s
        y.backward()
        y.grad_fn
    def count():
        gc.collect()
        return sum(isinstance(o, torch.Tensor) for o in gc.get_objects())
    def grown():
        for _ in range(20): once()
        before, kinds = count(), sys.getrefcount(torch.Tensor)
        for _ in range(200): once()
        return [count() - before, abs(sys.getrefcount(torch.Tensor) - kinds) < 70]
    """
    assert evaluate(build, ["grown()"], setup) == [[0, True]]
