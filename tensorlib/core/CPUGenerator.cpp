#include "core/CPUGenerator.h"

#include <algorithm>

#include "core/Exception.h"

namespace tensorlib {

CPUGenerator::CPUGenerator(std::uint64_t seed) { set_current_seed(seed); }

void CPUGenerator::set_current_seed(std::uint64_t seed) {
  seed_ = seed;
  next_normal_.reset();
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < state_size; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ state_[i - 1] >> 30) + i;
  position_ = state_size;
}

void CPUGenerator::next_state() {
  constexpr int middle = 397;
  for (int i = 0; i < state_size; ++i) {
    const std::uint32_t joined = (state_[i] & 0x80000000u) | (state_[(i + 1) % state_size] & 0x7fffffffu);
    state_[i] = state_[(i + middle) % state_size] ^ joined >> 1 ^ (joined & 1 ? 0x9908b0dfu : 0u);
  }
  position_ = 0;
}

std::uint32_t CPUGenerator::random() {
  if (position_ == state_size) next_state();
  std::uint32_t y = state_[position_++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

std::uint64_t CPUGenerator::random64() {
  const std::uint64_t high = random();
  return high << 32 | random();
}

void CPUGenerator::get_state(CPUGeneratorState& state) const {
  state.seed = seed_;
  std::copy_n(state_, state_size, state.state);
  state.position = position_;
  state.has_next_normal = next_normal_.has_value();
  state.next_normal = next_normal_.value_or(0.0);
}

void CPUGenerator::set_state(const CPUGeneratorState& state) {
  if (state.position < 0 || state.position > state_size || (state.has_next_normal & ~1)) {
    raise("RNG state is none that get_state() gave: its position is " + std::to_string(state.position));
  }
  seed_ = state.seed;
  std::copy_n(state.state, state_size, state_);
  position_ = state.position;
  next_normal_.reset();
  if (state.has_next_normal) next_normal_ = state.next_normal;
}

CPUGenerator& default_generator() {
  static CPUGenerator generator;
  return generator;
}

}  // namespace tensorlib
