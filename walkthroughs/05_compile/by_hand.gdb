# Walkthrough 05 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 -B imports.py
#
# Add -batch to let it run through.

set pagination off
set confirm off
set debuginfod enabled off

# No .pyc may be found, or nothing is compiled; and two runs must allocate alike.
set environment PYTHONPYCACHEPREFIX /nonexistent
set environment PYTHONHASHSEED 0

# The compiler has made the instructions and asks for a code object.
break _PyCode_New if $_streq((char *)((PyASCIIObject *) con->name + 1), "Tensor")
run
backtrace 8

# The statement: a ClassDef, and yet the article's FunctionDef.name shows its name, because both begin with it.
frame function compiler_visit_stmt
print s->kind
print s->lineno
print s->end_lineno
print (char *)((PyASCIIObject *) s->v.FunctionDef.name + 1)
print (int)((char *) &s->v.FunctionDef.name - (char *) &s->v)
print (int)((char *) &s->v.ClassDef.name - (char *) &s->v)

# Which first word will the bytecode have, and where will it lie?
frame 0
set $word = *(unsigned long *)((PyBytesObject *) con->code)->ob_sval
finish
set $place = (unsigned long *)((PyCodeObject *) $rax)->co_code_adaptive
print/x $word

# The second run, under the same environment and at the same addresses: watch the place.
run
watch *$place if *$place == $word
continue
backtrace -frame-arguments none 12
