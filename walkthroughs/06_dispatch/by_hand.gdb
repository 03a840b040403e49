# Walkthrough 06 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 dispatch.py
#
# Add -batch to let it run through. `import tensorlib` must work in the program: PYTHONPATH is the folder that holds it.

set pagination off
set confirm off
set debuginfod enabled off
set breakpoint pending on

# The library is not loaded yet, so the breakpoint waits for it.
break pow_tensor_scalar_optimized_kernel if exp == 3
run

# Who was asked, outermost last: call, VariableType, redispatch, the CPU's wrapper.
backtrace

# The first question, and what the call knew: its set of keys.
frame function tensorlib::_ops::pow_Tensor_Scalar::call
info locals

# Autograd's own question.
frame function pow_Tensor_Scalar
info locals
