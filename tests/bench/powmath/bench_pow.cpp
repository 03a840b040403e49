// The general pow, kernel by kernel, at n = 100,000: elements a nanosecond of CPU time, for each capability of this CPU and, where they are
// there, its rivals: the C library one by one, and SLEEF's vector functions (which PyTorch calls).
//
//   bench_pow --benchmark_enable_random_interleaving=true --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "powmath/pow.h"
#include "sleef_pow.hpp"

namespace {

constexpr std::size_t kElements = 100000;

template <typename T>
struct Operands {
  std::vector<T> base = std::vector<T>(2 * kElements), exp = std::vector<T>(2 * kElements), out = std::vector<T>(2 * kElements);
  Operands() {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> bases(0.1, 10), exps(-3, 3);
    for (T& value : base) value = static_cast<T>(bases(random));
    for (T& value : exp) value = static_cast<T>(exps(random));
  }
};

template <typename T>
Operands<T>& operands() {
  static Operands<T> all;
  return all;
}

void measure(const std::string& name, const std::function<void()>& once) {
  benchmark::RegisterBenchmark(name.c_str(), [once](benchmark::State& state) {
    for (auto _ : state) {
      once();
      benchmark::ClobberMemory();
    }
    // Elements a nanosecond: a rate per second of kElements * 1e-9.
    state.counters["el/ns"] = benchmark::Counter(static_cast<double>(kElements) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  });
}

template <typename T>
const char* type_name() {
  return sizeof(T) == 4 ? "f32" : "f64";
}

#define CALLPATH_BENCH_POW(capability, T)                                                                                                \
  {                                                                                                                                      \
    namespace kernels = tensorlib::powmath::capability;                                                                                  \
    auto& o = operands<T>();                                                                                                             \
    const std::string head = std::string(type_name<T>()) + " ", tail = " " #capability;                                                  \
    constexpr std::ptrdiff_t step = sizeof(T);                                                                                           \
    measure(head + "x^2.5" + tail, [&o] { kernels::pow_scalar_exponent(o.base.data(), step, T(2.5), o.out.data(), step, kElements); });  \
    measure(head + "x^5" + tail, [&o] { kernels::pow_scalar_exponent(o.exp.data(), step, T(5), o.out.data(), step, kElements); });       \
    measure(head + "x^y" + tail, [&o] { kernels::pow_tensor(o.base.data(), step, o.exp.data(), step, o.out.data(), step, kElements); }); \
    measure(head + "s^x" + tail, [&o] { kernels::pow_scalar_base(T(1.7), o.exp.data(), step, o.out.data(), step, kElements); });         \
    measure(head + "x^2.5 stride 2" + tail,                                                                                              \
            [&o] { kernels::pow_scalar_exponent(o.base.data(), 2 * step, T(2.5), o.out.data(), step, kElements); });                     \
  }

template <typename T>
void measure_c_library() {
  auto& o = operands<T>();
  measure(std::string(type_name<T>()) + " x^y C library", [&o] {
    for (std::size_t i = 0; i < kElements; ++i) o.out[i] = std::pow(o.base[i], o.exp[i]);
  });
}

template <typename T>
void measure_sleef() {
  auto& o = operands<T>();
  for (const auto& [width, function] : callpath::bench::sleef_pows<T>()) {
    measure(std::string(type_name<T>()) + " x^y SLEEF " + width,
            [&o, function = function] { function(o.base.data(), o.exp.data(), o.out.data(), kElements); });
  }
}

template <typename T>
void measure_all() {
  CALLPATH_BENCH_POW(DEFAULT, T)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) CALLPATH_BENCH_POW(AVX2, T)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) CALLPATH_BENCH_POW(AVX512, T)
  measure_c_library<T>();
  if (__builtin_cpu_supports("avx512f")) measure_sleef<T>();
}

}  // namespace

int main(int argc, char** argv) {
  measure_all<float>();
  measure_all<double>();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
