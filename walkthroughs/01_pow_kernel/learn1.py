import tensorlib as torch
# import torch.nn as nn
# import torch.optim as optim
# ----------------------------
# 1. Create training data
# ----------------------------
# Input: [x, y]
# Target: z = x^2 + y^3
torch.manual_seed(0)
X = torch.randn(10000, 2)          # 10000 samples, (x, y)
y = X[:, 0]**2 + X[:, 1]**3        # true function
