class Tensor:
    rank = 2
    copy = Tensor


t = Tensor()
