import tensorlib as torch

torch.manual_seed(0)
X = torch.randn(10000, 2)
y = X**3
