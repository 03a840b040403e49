exec("class Tensor: pass")
