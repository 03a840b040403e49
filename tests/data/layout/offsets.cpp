// Compares core/cpython_offsets.hpp and tables/type_slots.hpp with the headers of the CPython that it is compiled for. Names what differs;
// exits 1 then.
#include <Python.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "core/cpython_offsets.hpp"
#include "tables/type_slots.hpp"

namespace {

using namespace callpath::cpython;
int wrong = 0, compared = 0;

void compare(const char* what, unsigned long ours, unsigned long theirs) {
  ++compared;
  if (ours == theirs) return;
  ++wrong;
  std::printf("%s: %lu, the headers say %lu\n", what, ours, theirs);
}

struct Named {
  const char* name;
  unsigned long at;
};
#define IN(structure, member) \
  { #member, offsetof(structure, member) }

const Named of_type[] = {
    IN(PyTypeObject, tp_dealloc),  IN(PyTypeObject, tp_getattr),   IN(PyTypeObject, tp_setattr),   IN(PyTypeObject, tp_repr),
    IN(PyTypeObject, tp_hash),     IN(PyTypeObject, tp_call),      IN(PyTypeObject, tp_str),       IN(PyTypeObject, tp_getattro),
    IN(PyTypeObject, tp_setattro), IN(PyTypeObject, tp_traverse),  IN(PyTypeObject, tp_clear),     IN(PyTypeObject, tp_richcompare),
    IN(PyTypeObject, tp_iter),     IN(PyTypeObject, tp_iternext),  IN(PyTypeObject, tp_descr_get), IN(PyTypeObject, tp_descr_set),
    IN(PyTypeObject, tp_init),     IN(PyTypeObject, tp_alloc),     IN(PyTypeObject, tp_new),       IN(PyTypeObject, tp_free),
    IN(PyTypeObject, tp_finalize), IN(PyTypeObject, tp_vectorcall)};

const Named of_suites[] = {IN(PyAsyncMethods, am_await),
                           IN(PyAsyncMethods, am_aiter),
                           IN(PyAsyncMethods, am_anext),
                           IN(PyAsyncMethods, am_send),
                           IN(PyNumberMethods, nb_add),
                           IN(PyNumberMethods, nb_subtract),
                           IN(PyNumberMethods, nb_multiply),
                           IN(PyNumberMethods, nb_remainder),
                           IN(PyNumberMethods, nb_divmod),
                           IN(PyNumberMethods, nb_power),
                           IN(PyNumberMethods, nb_negative),
                           IN(PyNumberMethods, nb_positive),
                           IN(PyNumberMethods, nb_absolute),
                           IN(PyNumberMethods, nb_bool),
                           IN(PyNumberMethods, nb_invert),
                           IN(PyNumberMethods, nb_lshift),
                           IN(PyNumberMethods, nb_rshift),
                           IN(PyNumberMethods, nb_and),
                           IN(PyNumberMethods, nb_xor),
                           IN(PyNumberMethods, nb_or),
                           IN(PyNumberMethods, nb_int),
                           IN(PyNumberMethods, nb_reserved),
                           IN(PyNumberMethods, nb_float),
                           IN(PyNumberMethods, nb_inplace_add),
                           IN(PyNumberMethods, nb_inplace_subtract),
                           IN(PyNumberMethods, nb_inplace_multiply),
                           IN(PyNumberMethods, nb_inplace_remainder),
                           IN(PyNumberMethods, nb_inplace_power),
                           IN(PyNumberMethods, nb_inplace_lshift),
                           IN(PyNumberMethods, nb_inplace_rshift),
                           IN(PyNumberMethods, nb_inplace_and),
                           IN(PyNumberMethods, nb_inplace_xor),
                           IN(PyNumberMethods, nb_inplace_or),
                           IN(PyNumberMethods, nb_floor_divide),
                           IN(PyNumberMethods, nb_true_divide),
                           IN(PyNumberMethods, nb_inplace_floor_divide),
                           IN(PyNumberMethods, nb_inplace_true_divide),
                           IN(PyNumberMethods, nb_index),
                           IN(PyNumberMethods, nb_matrix_multiply),
                           IN(PyNumberMethods, nb_inplace_matrix_multiply),
                           IN(PySequenceMethods, sq_length),
                           IN(PySequenceMethods, sq_concat),
                           IN(PySequenceMethods, sq_repeat),
                           IN(PySequenceMethods, sq_item),
                           IN(PySequenceMethods, was_sq_slice),
                           IN(PySequenceMethods, sq_ass_item),
                           IN(PySequenceMethods, was_sq_ass_slice),
                           IN(PySequenceMethods, sq_contains),
                           IN(PySequenceMethods, sq_inplace_concat),
                           IN(PySequenceMethods, sq_inplace_repeat),
                           IN(PyMappingMethods, mp_length),
                           IN(PyMappingMethods, mp_subscript),
                           IN(PyMappingMethods, mp_ass_subscript),
                           IN(PyBufferProcs, bf_getbuffer),
                           IN(PyBufferProcs, bf_releasebuffer)};

const Named suites_of_type[] = {IN(PyTypeObject, tp_as_async), IN(PyTypeObject, tp_as_number), IN(PyTypeObject, tp_as_sequence),
                                IN(PyTypeObject, tp_as_mapping), IN(PyTypeObject, tp_as_buffer)};

template <std::size_t size>
unsigned long in_headers(const Named (&all)[size], const char* name) {
  for (const auto& one : all)
    if (std::strcmp(one.name, name) == 0) return one.at;
  return ~0ul;
}

}  // namespace

int main() {
  compare("object_type", object_type, offsetof(PyObject, ob_type));
  compare("type_name_at", type_name_at, offsetof(PyTypeObject, tp_name));
  compare("type_vectorcall_offset", type_vectorcall_offset, offsetof(PyTypeObject, tp_vectorcall_offset));
  compare("type_flags", type_flags, offsetof(PyTypeObject, tp_flags));
  compare("type_base", type_base, offsetof(PyTypeObject, tp_base));
  compare("type_mro", type_mro, offsetof(PyTypeObject, tp_mro));
  compare("float_value", float_value, offsetof(PyFloatObject, ob_fval));
#if PY_VERSION_HEX >= 0x030c0000
  compare("int_size", int_size, offsetof(PyLongObject, long_value.lv_tag));
  compare("int_digits", int_digits, offsetof(PyLongObject, long_value.ob_digit));
#else
  compare("int_size", int_size, offsetof(PyVarObject, ob_size));
  compare("int_digits", int_digits, offsetof(PyLongObject, ob_digit));
#endif
  compare("list_items", list_items, offsetof(PyListObject, ob_item));
  compare("tuple_items", tuple_items, offsetof(PyTupleObject, ob_item));
  compare("dict_used", dict_used, offsetof(PyDictObject, ma_used));
  compare("function_qualname", function_qualname, offsetof(PyFunctionObject, func_qualname));
  compare("descriptor_type", descriptor_type, offsetof(PyDescrObject, d_type));
  compare("descriptor_name", descriptor_name, offsetof(PyDescrObject, d_name));
  compare("descriptor_method", descriptor_method, offsetof(PyMethodDescrObject, d_method));
  compare("builtin_method", builtin_method, offsetof(PyCFunctionObject, m_ml));
  compare("builtin_self", builtin_self, offsetof(PyCFunctionObject, m_self));
  compare("builtin_module", builtin_module, offsetof(PyCFunctionObject, m_module));
  for (const auto& slot : callpath::tables::type_slots) compare(slot.name, slot.at, in_headers(of_type, slot.name));
  std::size_t number = 0;
  for (const auto& suite : callpath::tables::suites) {
    compare(suites_of_type[number].name, suite.at, suites_of_type[number].at);
    ++number;
    unsigned long at = 0;
    for (const char* name : suite.slots) compare(name, at, in_headers(of_suites, name)), at += 8;
  }
  std::printf("%d compared\n", compared);
  return wrong != 0;
}
