import tensorlib as torch


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


class Other:
    def __rpow__(self, base):
        return base.abs()


torch.manual_seed(0)
X = torch.randn(4, 2)
L = X.as_subclass(Logged)
n = Other()
y = L**3
