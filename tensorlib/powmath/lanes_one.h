// One lane, plain C++: the scalar form. See lanes.h for what each operation means.
#pragma once

#include <cstdint>

#include "powmath/exact_fma.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

struct OneMask {
  bool bits;
  OneMask operator|(OneMask b) const { return {bits || b.bits}; }
  OneMask operator&(OneMask b) const { return {bits && b.bits}; }
  OneMask operator~() const { return {!bits}; }
};
template <typename integer>
struct OneBits {
  integer bits;
  explicit OneBits(integer b) : bits(b) {}
  OneBits operator+(OneBits b) const { return OneBits(static_cast<integer>(wide(bits) + wide(b.bits))); }
  OneBits operator-(OneBits b) const { return OneBits(static_cast<integer>(wide(bits) - wide(b.bits))); }
  OneBits operator&(OneBits b) const { return OneBits(bits & b.bits); }
  OneBits operator^(OneBits b) const { return OneBits(bits ^ b.bits); }
  static uint64_t wide(integer v) { return static_cast<uint64_t>(v); }
};
template <typename T, typename integer>
struct OneLane {
  using scalar = T;
  using Mask = OneMask;
  using Bits = OneBits<integer>;
  static constexpr int size = 1;
  static constexpr T exponent_unit = sizeof(T) == 4 ? T(0x1p-23) : T(0x1p-52);
  T values;
  OneLane() = default;
  OneLane(T v) : values(v) {}
  OneLane operator+(OneLane b) const { return values + b.values; }
  OneLane operator-(OneLane b) const { return values - b.values; }
  OneLane operator*(OneLane b) const { return values * b.values; }
  OneMask operator<(OneLane b) const { return {values < b.values}; }
  OneMask operator<=(OneLane b) const { return {values <= b.values}; }
  OneMask operator==(OneLane b) const { return {values == b.values}; }
  static OneLane load(const T* from) { return *from; }
  void store(T* to) const { *to = values; }
};
using OneFloat = OneLane<float, int32_t>;
using OneDouble = OneLane<double, int64_t>;

inline OneFloat fma(OneFloat a, OneFloat b, OneFloat c) { return exact_fma(a.values, b.values, c.values); }
inline OneDouble fma(OneDouble a, OneDouble b, OneDouble c) { return exact_fma(a.values, b.values, c.values); }
template <typename T, typename I>
OneLane<T, I> fms(OneLane<T, I> a, OneLane<T, I> b, OneLane<T, I> c) {
  return exact_fma(a.values, b.values, -c.values);
}
template <typename T, typename I>
OneLane<T, I> fnma(OneLane<T, I> a, OneLane<T, I> b, OneLane<T, I> c) {
  return exact_fma(-a.values, b.values, c.values);
}
template <typename T, typename I>
OneLane<T, I> short_fma(OneLane<T, I> a, OneLane<T, I> b, OneLane<T, I> c) {
  return fma(a, b, c);
}
template <typename T, typename I>
OneLane<T, I> short_fms(OneLane<T, I> a, OneLane<T, I> b, OneLane<T, I> c) {
  return fms(a, b, c);
}
inline OneFloat abs(OneFloat a) { return __builtin_fabsf(a.values); }
inline OneDouble abs(OneDouble a) { return __builtin_fabs(a.values); }
template <typename T, typename I>
OneBits<I> bits_of(OneLane<T, I> a) {
  I bits;
  __builtin_memcpy(&bits, &a.values, sizeof bits);
  return OneBits<I>(bits);
}
template <typename T>
T value_of_bits(const void* bits) {
  T value;
  __builtin_memcpy(&value, bits, sizeof value);
  return value;
}
inline OneFloat from_bits(OneBits<int32_t> a) { return value_of_bits<float>(&a.bits); }
inline OneDouble from_bits(OneBits<int64_t> a) { return value_of_bits<double>(&a.bits); }
template <int n>
OneBits<int32_t> shift_left(OneBits<int32_t> a) {
  return OneBits<int32_t>(static_cast<int32_t>(static_cast<uint32_t>(a.bits) << n));
}
template <int n>
OneBits<int64_t> shift_left(OneBits<int64_t> a) {
  return OneBits<int64_t>(static_cast<int64_t>(static_cast<uint64_t>(a.bits) << n));
}
template <int n>
OneBits<int32_t> shift_right(OneBits<int32_t> a) {
  return OneBits<int32_t>(static_cast<int32_t>(static_cast<uint32_t>(a.bits) >> n));
}
template <int n>
OneBits<int64_t> shift_right(OneBits<int64_t> a) {
  return OneBits<int64_t>(static_cast<int64_t>(static_cast<uint64_t>(a.bits) >> n));
}
inline OneFloat exponent_units(OneBits<int32_t> exponent) { return static_cast<float>(exponent.bits); }
inline OneDouble exponent_units(OneBits<int64_t> exponent) { return static_cast<double>(exponent.bits); }
inline OneFloat lookup(const float (&table)[32], OneBits<int32_t> index) { return table[index.bits & 31]; }
inline OneBits<int32_t> lookup(const int32_t (&table)[32], OneBits<int32_t> index) { return OneBits<int32_t>(table[index.bits & 31]); }
inline OneDouble lookup(const double (&table)[128], OneBits<int64_t> index) { return table[index.bits & 127]; }
inline OneBits<int64_t> lookup(const int64_t (&table)[128], OneBits<int64_t> index) { return OneBits<int64_t>(table[index.bits & 127]); }
template <typename T, typename I>
OneLane<T, I> select(OneMask mask, OneLane<T, I> yes, OneLane<T, I> no) {
  return mask.bits ? yes : no;
}
inline unsigned lanes_of(OneMask mask) { return mask.bits; }
inline bool any(OneMask mask) { return mask.bits; }
inline OneMask not_ordinary(OneFloat a) { return {!(a.values >= 0x1p-126f && a.values < __builtin_inff())}; }
inline OneMask not_ordinary(OneDouble a) { return {!(a.values >= 0x1p-1022 && a.values < __builtin_inf())}; }
template <typename T, typename I>
OneMask not_below(OneLane<T, I> a, OneLane<T, I> limit) {
  return {!(a.values < limit.values)};
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
