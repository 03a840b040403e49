class Tensor: pass


def numel(:
