// The engine's cheap kernels of pow beside hand-written loops, at n = 100,000: elements a nanosecond of CPU time. A kernel is called on an
// iterator that is there; what a call costs before that is not in it.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "native/Pow.h"
#include "native/TensorIterator.h"

extern "C" {
void hand_square(const float* in, float* out, std::size_t n);
void hand_cube(const float* in, float* out, std::size_t n);
void hand_root(const float* in, float* out, std::size_t n);
void hand_inverse(const float* in, float* out, std::size_t n);
void hand_inverse_square(const float* in, float* out, std::size_t n);
}

namespace {

constexpr std::int64_t kElements = 100000;

struct Power {
  const char* name;
  tensorlib::Scalar exponent;
  void (*by_hand)(const float*, float*, std::size_t);
};
const Power kPowers[] = {{"x^3", 3, hand_cube},
                         {"x^2", 2, hand_square},
                         {"x^.5", 0.5, hand_root},
                         {"x^-1", -1, hand_inverse},
                         {"x^-2", -2, hand_inverse_square}};

tensorlib::Tensor values() {
  tensorlib::Tensor made = tensorlib::empty(tensorlib::DimVector{kElements}, tensorlib::ScalarType::Float);
  for (std::int64_t i = 0; i < kElements; ++i) made.data_ptr<float>()[i] = 0.1f + static_cast<float>(i % 997) / 100;
  return made;
}

template <typename Once>
void run(benchmark::State& state, Once once) {
  for (auto _ : state) {
    once();
    benchmark::ClobberMemory();
  }
  state.counters["el/ns"] = benchmark::Counter(static_cast<double>(kElements) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  static const tensorlib::Tensor in = values(), out = values();
  const bool can = __builtin_cpu_supports("avx512f");
  for (const Power& power : kPowers) {
    const std::string name = std::string("f32 ") + power.name;
    benchmark::RegisterBenchmark((name + " kernel").c_str(), [&power](benchmark::State& state) {
      tensorlib::TensorIterator iter = tensorlib::TensorIterator::unary_op(out, in);
      run(state, [&] { tensorlib::native::pow_tensor_scalar_stub(iter, power.exponent); });
    });
    if (!can) continue;
    benchmark::RegisterBenchmark((name + " hand-written").c_str(), [&power](benchmark::State& state) {
      run(state, [&power] { power.by_hand(in.data_ptr<float>(), out.data_ptr<float>(), kElements); });
    });
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
