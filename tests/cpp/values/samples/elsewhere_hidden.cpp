// The last unit: defines what declared.cpp only knows by name.
#include "elsewhere.hpp"

namespace shapes {

enum class State : short { open, closed = 3 };

struct Holder::Inner {
  double weight;
};

struct Hidden {
  int count;
  State state;
  const Hidden* next;
};

const Hidden& hidden() {
  static const Hidden last{1, State::open, nullptr}, first{20'000, State::closed, &last};
  return first;
}

Holder holder() {
  static const Holder::Inner inner{1.5};
  return {&inner};
}

State state() { return State::closed; }

}  // namespace shapes
