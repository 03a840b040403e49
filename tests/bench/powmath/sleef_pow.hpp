// SLEEF's pow over arrays; none where SLEEF was not there at configuration. Its source is compiled for AVX-512: ask only on such a CPU.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace callpath::bench {

template <typename T>
using ArrayPow = void (*)(const T* base, const T* exp, T* out, std::size_t n);

/// Pairs of a name ("AVX512") and a function; n is to be a multiple of 16.
template <typename T>
std::vector<std::pair<std::string, ArrayPow<T>>> sleef_pows();
template <>
std::vector<std::pair<std::string, ArrayPow<float>>> sleef_pows<float>();
template <>
std::vector<std::pair<std::string, ArrayPow<double>>> sleef_pows<double>();

}  // namespace callpath::bench
