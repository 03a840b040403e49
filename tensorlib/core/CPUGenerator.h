// The random engine: MT19937, seeded and drawn from as PyTorch does.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

namespace tensorlib {

/// Where a generator is: plain bytes, to keep and to go on from.
struct CPUGeneratorState {
  std::uint64_t seed;
  std::uint32_t state[624];
  std::int32_t position;
  std::int32_t has_next_normal;
  double next_normal;
};

/// Not synchronised by itself: whoever draws holds mutex().
class CPUGenerator {
 public:
  explicit CPUGenerator(std::uint64_t seed = default_seed);

  /// Starts anew: the low 32 bits of the seed count, and a kept normal is dropped.
  void set_current_seed(std::uint64_t seed);
  std::uint64_t current_seed() const { return seed_; }

  std::uint32_t random();
  /// Two draws, the first is the high half.
  std::uint64_t random64();

  /// The second number of a pair of normals, kept for the next one asked for singly.
  std::optional<double>& next_normal() { return next_normal_; }

  void get_state(CPUGeneratorState& state) const;
  /// Raises Error for a state that no generator can be in.
  void set_state(const CPUGeneratorState& state);

  std::mutex& mutex() { return mutex_; }

  static constexpr std::uint64_t default_seed = 67280421310721;

 private:
  static constexpr int state_size = 624;
  void next_state();

  std::uint64_t seed_ = 0;
  std::uint32_t state_[state_size];
  int position_ = state_size;
  std::optional<double> next_normal_;
  std::mutex mutex_;
};

/// The generator that is used when none is given.
CPUGenerator& default_generator();

}  // namespace tensorlib
