# Walkthrough 03 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 -B imports.py
#
# First put two lines into tensorlib/_tensor.py, as the article did:
#
#     import functools
#   + import pdb
#
#         assigned = functools.WRAPPER_ASSIGNMENTS
#   +     pdb.set_trace()
#
# At a terminal of your own, run it and press Ctrl+C at the (Pdb) prompt. Here a breakpoint does the same, where the prompt asks for a line.

set pagination off
set confirm off
set debuginfod enabled off

break builtin_input
run

# Two readers of one stack: the C functions, and the Python frames that pdb's `where` shows.
backtrace -frame-arguments none
py-bt

# Who builds the class: the function that the class statement calls. gdb stops at what is inlined in the function; itself it is two further out.
frame function builtin___build_class__
up 2
