# Walkthrough 01 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 learn1.py
#
# Add -batch to let it run through. `import tensorlib` must work in the program: PYTHONPATH is the folder that holds it.

set pagination off
set confirm off
set debuginfod enabled off
set breakpoint pending on

# The library is not loaded yet, so the breakpoint waits for it. The first power on the line has exponent 2 and is passed over.
break pow_tensor_scalar_optimized_kernel if exp == 3
run

# Which line is the branch for 3? `search` looks forward from here and leaves the line's number in $_.
list
search return base \* base \* base;
set $line = $_
break $line
delete 1
continue

# The lambda, and the element it is called with: X[0, 1].
info args
list
print base
print base * base * base

# Outward: who calls it with which element, and everything up to the start of the process.
up
info args
backtrace

# The Python frames of the same stack, by the scripts that come with Python's debug symbols.
py-bt
