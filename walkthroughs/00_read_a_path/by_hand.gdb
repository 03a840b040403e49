# Walkthrough 00 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 absolute.py
#
# Add -batch to let it run through.

set pagination off
set confirm off
set debuginfod enabled off

# Integers are arrays of digits; 1500 needs one, and the sign is kept apart.
break long_abs if v->ob_digit[0] == 1500
run

# #0 is what runs now; the line of Python is further out.
backtrace 6
py-bt

# Everything that CPython does to start is at the end.
backtrace -6
