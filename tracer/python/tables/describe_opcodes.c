/* Prints the opcode tables of the CPython whose headers this is compiled with, as a C definition of callpath_python_opcodes. Run by
 * refresh.py. */
#define Py_BUILD_CORE 1
#define Py_DEBUG 1
#define NEED_OPCODE_TABLES
#define NEED_OPCODE_METADATA
#include <Python.h>
#if PY_VERSION_HEX >= 0x030d0000
#include <internal/pycore_opcode_metadata.h>
#else
#include <internal/pycore_opcode.h>
#endif
#include <stdio.h>
#include <string.h>

static const char* name_of(int opcode) {
  const char* name = _PyOpcode_OpName[opcode];
  return name && name[0] != '<' ? name : NULL;
}

static int opcode_named(const char* name) {
  for (int opcode = 0; opcode < 256; ++opcode)
    if (name_of(opcode) && strcmp(name_of(opcode), name) == 0) return opcode;
  return -1;
}

/* INSTRUMENTED_CALL does what CALL does; the interpreter's own table lists it as itself. */
static int base_of(int opcode) {
  static const char prefix[] = "INSTRUMENTED_";
  const char* name = name_of(opcode);
  if (!name) return 0;
  if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
    int base = opcode_named(name + sizeof prefix - 1);
    if (base >= 0) return base;
  }
  return _PyOpcode_Deopt[opcode];
}

static void numbers(const char* what, int (*of)(int)) {
  printf("static const uint8_t %s[256] = {", what);
  for (int opcode = 0; opcode < 256; ++opcode) printf("%s%d,", opcode % 24 ? " " : "\n    ", of(opcode));
  printf("\n};\n");
}

static int caches_of(int opcode) { return _PyOpcode_Caches[opcode]; }

static void names(void) {
  printf("static const char* const names[256] = {\n");
  for (int opcode = 0; opcode < 256; ++opcode)
    if (name_of(opcode)) printf("    [%d] = \"%s\",\n", opcode, name_of(opcode));
  printf("};\n");
}

int main(void) {
  names();
  numbers("base", base_of);
  numbers("caches", caches_of);
  printf("const struct callpath_python_opcodes callpath_opcodes_3_%d = {names, base, caches, %d};\n", PY_MINOR_VERSION, PY_MINOR_VERSION);
  return 0;
}
