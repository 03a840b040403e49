// Arrays as registers: whole ones, what is left at the end, and strided ones by way of a small contiguous buffer.
#pragma once

#include <cstddef>
#include <type_traits>

#include "powmath/lanes.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

/// The first `count` lanes; the others are 1, on which no function takes a slow way.
template <typename L>
L load_first(const typename L::scalar* from, std::size_t count) {
#if defined(__AVX512F__)
  return L::load(from, static_cast<int>(count));
#else
  typename L::scalar lanes[L::size];
  for (std::size_t i = 0; i < L::size; ++i) lanes[i] = i < count ? from[i] : 1;
  return L::load(lanes);
#endif
}
template <typename L>
void store_first(L value, typename L::scalar* to, std::size_t count) {
#if defined(__AVX512F__)
  value.store(to, static_cast<int>(count));
#else
  typename L::scalar lanes[L::size];
  value.store(lanes);
  for (std::size_t i = 0; i < count; ++i) to[i] = lanes[i];
#endif
}

template <typename L, typename Function>
void map_contiguous(const typename L::scalar* in, typename L::scalar* out, std::size_t n, const Function& function) {
  std::size_t i = 0;
  for (; i + L::size <= n; i += L::size) function(L::load(in + i)).store(out + i);
  if (i < n) store_first<L>(function(load_first<L>(in + i, n - i)), out + i, n - i);
}
template <typename L, typename Function>
void map_contiguous(const typename L::scalar* a, const typename L::scalar* b, typename L::scalar* out, std::size_t n,
                    const Function& function) {
  std::size_t i = 0;
  for (; i + L::size <= n; i += L::size) function(L::load(a + i), L::load(b + i)).store(out + i);
  if (i < n) store_first<L>(function(load_first<L>(a + i, n - i), load_first<L>(b + i, n - i)), out + i, n - i);
}

template <typename T>
T* at_bytes(T* start, std::ptrdiff_t bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(start) + bytes);
}

constexpr std::size_t kBlock = 256;  // elements; three buffers stay in the first-level cache

/// `n` <= kBlock elements side by side: in `buffer`, or where they are if they are so already.
template <typename T>
const T* gathered(const T* from, std::ptrdiff_t stride, std::size_t n, T* buffer) {
  if (stride == sizeof(T)) return from;
  for (std::size_t i = 0; i < n; ++i) buffer[i] = *at_bytes(from, static_cast<std::ptrdiff_t>(i) * stride);
  return buffer;
}
template <typename T>
void scattered(const T* values, T* to, std::ptrdiff_t stride, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) *at_bytes(to, static_cast<std::ptrdiff_t>(i) * stride) = values[i];
}

template <typename L, typename Function>
void map(const typename L::scalar* in, std::ptrdiff_t stride, typename L::scalar* out, std::ptrdiff_t out_stride, std::size_t n,
         const Function& function) {
  using T = typename L::scalar;
  if (stride == sizeof(T) && out_stride == sizeof(T)) return map_contiguous<L>(in, out, n, function);
  alignas(64) T buffer[kBlock], results[kBlock];
  for (std::size_t done = 0; done < n; done += kBlock) {
    const std::size_t count = n - done < kBlock ? n - done : kBlock;
    const auto at = static_cast<std::ptrdiff_t>(done);
    const T* from = gathered(at_bytes(in, at * stride), stride, count, buffer);
    T* to = at_bytes(out, at * out_stride);
    map_contiguous<L>(from, out_stride == sizeof(T) ? to : results, count, function);
    if (out_stride != sizeof(T)) scattered(results, to, out_stride, count);
  }
}
template <typename L, typename Function>
void map(const typename L::scalar* a, std::ptrdiff_t a_stride, const typename L::scalar* b, std::ptrdiff_t b_stride,
         typename L::scalar* out, std::ptrdiff_t out_stride, std::size_t n, const Function& function) {
  using T = typename L::scalar;
  if (a_stride == sizeof(T) && b_stride == sizeof(T) && out_stride == sizeof(T)) return map_contiguous<L>(a, b, out, n, function);
  alignas(64) T a_buffer[kBlock], b_buffer[kBlock], results[kBlock];
  for (std::size_t done = 0; done < n; done += kBlock) {
    const std::size_t count = n - done < kBlock ? n - done : kBlock;
    const auto at = static_cast<std::ptrdiff_t>(done);
    const T* from_a = gathered(at_bytes(a, at * a_stride), a_stride, count, a_buffer);
    const T* from_b = gathered(at_bytes(b, at * b_stride), b_stride, count, b_buffer);
    T* to = at_bytes(out, at * out_stride);
    map_contiguous<L>(from_a, from_b, out_stride == sizeof(T) ? to : results, count, function);
    if (out_stride != sizeof(T)) scattered(results, to, out_stride, count);
  }
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
