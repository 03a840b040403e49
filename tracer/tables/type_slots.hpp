// Where a type object keeps its functions: by name, as CPython's headers have them from 3.11 to 3.13, which a test compares.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace callpath::tables {

struct Slot {
  std::uint64_t at;
  const char* name;
};
inline constexpr Slot type_slots[] = {
    {48, "tp_dealloc"}, {64, "tp_getattr"},   {72, "tp_setattr"},    {88, "tp_repr"},       {120, "tp_hash"},  {128, "tp_call"},
    {136, "tp_str"},    {144, "tp_getattro"}, {152, "tp_setattro"},  {184, "tp_traverse"},  {192, "tp_clear"}, {200, "tp_richcompare"},
    {216, "tp_iter"},   {224, "tp_iternext"}, {272, "tp_descr_get"}, {280, "tp_descr_set"}, {296, "tp_init"},  {304, "tp_alloc"},
    {312, "tp_new"},    {320, "tp_free"},     {392, "tp_finalize"},  {400, "tp_vectorcall"}};

struct Suite {
  std::uint64_t at;  ///< Of the pointer in the type.
  std::initializer_list<const char*> slots;
};
inline const Suite suites[] = {
    {80, {"am_await", "am_aiter", "am_anext", "am_send"}},
    {96,
     {"nb_add",
      "nb_subtract",
      "nb_multiply",
      "nb_remainder",
      "nb_divmod",
      "nb_power",
      "nb_negative",
      "nb_positive",
      "nb_absolute",
      "nb_bool",
      "nb_invert",
      "nb_lshift",
      "nb_rshift",
      "nb_and",
      "nb_xor",
      "nb_or",
      "nb_int",
      "nb_reserved",
      "nb_float",
      "nb_inplace_add",
      "nb_inplace_subtract",
      "nb_inplace_multiply",
      "nb_inplace_remainder",
      "nb_inplace_power",
      "nb_inplace_lshift",
      "nb_inplace_rshift",
      "nb_inplace_and",
      "nb_inplace_xor",
      "nb_inplace_or",
      "nb_floor_divide",
      "nb_true_divide",
      "nb_inplace_floor_divide",
      "nb_inplace_true_divide",
      "nb_index",
      "nb_matrix_multiply",
      "nb_inplace_matrix_multiply"}},
    {104,
     {"sq_length", "sq_concat", "sq_repeat", "sq_item", "was_sq_slice", "sq_ass_item", "was_sq_ass_slice", "sq_contains",
      "sq_inplace_concat", "sq_inplace_repeat"}},
    {112, {"mp_length", "mp_subscript", "mp_ass_subscript"}},
    {160, {"bf_getbuffer", "bf_releasebuffer"}},
};

}  // namespace callpath::tables
