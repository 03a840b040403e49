# Walkthrough 02 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 taken.py
#
# Add -batch to let it run through. `import tensorlib` must work in the program: PYTHONPATH is the folder that holds it.

set pagination off
set confirm off
set debuginfod enabled off
set breakpoint pending on

# The library is not loaded yet, so the breakpoint waits for it.
break pow_tensor_scalar_optimized_kernel if exp == 3
run

# The Python frames of this stack, by the scripts that come with Python's debug symbols: wrapped is there twice.
py-bt

# The C functions that brought Python to the first of them.
frame function slot_nb_power
info frame

# The binding: from here inward there is no Python.
frame function tensorlib::autograd::THPVariable_pow
info args

backtrace
