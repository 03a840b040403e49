import tensorlib as torch

torch.set_num_threads(2)
X = torch.empty(65536)
y = X**3
