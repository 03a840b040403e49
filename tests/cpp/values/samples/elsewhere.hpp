// What both units see.
#pragma once

extern "C" void stop_here(const void* keep);

namespace shapes {

enum class State : short;
struct Hidden;

struct Holder {
  struct Inner;
  const Inner* inner;
};

const Hidden& hidden();
Holder holder();
State state();

}  // namespace shapes
