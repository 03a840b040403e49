# Walkthrough 04 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 build_class.py
#
# Add -batch to let it run through.

set pagination off
set confirm off
set debuginfod enabled off

# Every class statement calls __build_class__(body, name, bases...). args[1] is the name, a str object.
break builtin___build_class__ if $_streq((char *)((PyASCIIObject *) args[1] + 1), "Tensor")
run

# The text of an ASCII str follows its header, so it lies sizeof(PyASCIIObject) bytes behind the object: 0x30 on 3.11, 0x28 on 3.13,
# where the header has one pointer less.
print sizeof(PyASCIIObject)
print (char *)((void *) args[1] + 0x30)
print (char *)((PyASCIIObject *) args[1] + 1)

# The body is the function in args[0]. Its evaluation begins when a frame with that code object comes to the evaluation loop.
set $code = ((PyFunctionObject *) args[0])->func_code
tbreak _PyEval_EvalFrameDefault if ((_PyInterpreterFrame *) $rsi)->f_code == (PyCodeObject *) $code
continue
backtrace 6
tbreak *PyDict_SetItem if $_streq((char *)((PyASCIIObject *) $rsi + 1), "layout")
continue
py-bt

# The metaclass is called after the body has returned.
tbreak type_new if $_streq(metatype->tp_name, "Meta")
continue
backtrace 6

# And last the name is bound: a dict gets a value whose type is the metaclass.
tbreak *PyDict_SetItem if $_streq(((PyObject *) $rdx)->ob_type->tp_name, "Meta")
continue
print (char *)((PyASCIIObject *) $rsi + 1)
