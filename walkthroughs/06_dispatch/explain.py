import tensorlib as torch

torch.manual_seed(0)
X = torch.randn(10000, 2)
print(torch.explain_dispatch("pow", X, 3))
