/* The opcode tables of CPython 3.11, from its own headers: Py_DEBUG brings the names of specialised opcodes. */
#define Py_BUILD_CORE 1
#define Py_DEBUG 1
#define NEED_OPCODE_TABLES
/* The headers define these with external linkage; ours must not meet those of an interpreter in the same process. */
#define _PyOpcode_Caches callpath_opcode_caches_3_11
#define _PyOpcode_Deopt callpath_opcode_base_3_11
#define _PyOpcode_RelativeJump callpath_opcode_relative_jump_3_11
#define _PyOpcode_Jump callpath_opcode_jump_3_11
#include <Python.h>
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <internal/pycore_opcode.h>

#include "python/layout.h"

#if PY_VERSION_HEX < 0x030b00f0 || PY_VERSION_HEX >= 0x030c0000
#error "This file describes CPython 3.11: give its headers"
#endif

static const char* const operators[] = {
    [NB_ADD] = "+",
    [NB_AND] = "&",
    [NB_FLOOR_DIVIDE] = "//",
    [NB_LSHIFT] = "<<",
    [NB_MATRIX_MULTIPLY] = "@",
    [NB_MULTIPLY] = "*",
    [NB_REMAINDER] = "%",
    [NB_OR] = "|",
    [NB_POWER] = "**",
    [NB_RSHIFT] = ">>",
    [NB_SUBTRACT] = "-",
    [NB_TRUE_DIVIDE] = "/",
    [NB_XOR] = "^",
    [NB_INPLACE_ADD] = "+=",
    [NB_INPLACE_AND] = "&=",
    [NB_INPLACE_FLOOR_DIVIDE] = "//=",
    [NB_INPLACE_LSHIFT] = "<<=",
    [NB_INPLACE_MATRIX_MULTIPLY] = "@=",
    [NB_INPLACE_MULTIPLY] = "*=",
    [NB_INPLACE_REMAINDER] = "%=",
    [NB_INPLACE_OR] = "|=",
    [NB_INPLACE_POWER] = "**=",
    [NB_INPLACE_RSHIFT] = ">>=",
    [NB_INPLACE_SUBTRACT] = "-=",
    [NB_INPLACE_TRUE_DIVIDE] = "/=",
    [NB_INPLACE_XOR] = "^=",
};

const struct callpath_python_opcodes callpath_opcodes_3_11 = {
    .names = _PyOpcode_OpName,
    .base = callpath_opcode_base_3_11,
    .caches = callpath_opcode_caches_3_11,
    .operators = operators,
    .operator_count = sizeof operators / sizeof *operators,
};
