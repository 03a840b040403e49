# Walkthrough 07 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 real.py
#
# Add -batch to let it run through. Debian's PyTorch is stripped: only names that other libraries need are left.

set pagination off
set confirm off
set debuginfod enabled off
set breakpoint pending on

# The loop over the elements. Its name is left because it is exported. Without the whole signature gdb would also stop on the way in.
break 'at::TensorIteratorBase::serial_for_each(c10::function_ref<void (char**, long const*, long, long)>, at::Range) const'
run
backtrace 14
py-bt

# The second argument is a reference to a function: its address comes in rsi. That is the code of the kernel, without a name.
info symbol $rsi
tbreak *$rsi
continue
backtrace 3

# No lambda, no call: the cube is two multiplications among these instructions.
x/300i $pc
