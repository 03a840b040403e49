// Paths put together by hand, for tests of what is said about them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "record/record.hpp"

namespace callpath::test {

struct Made {
  Layer layer;
  std::string full;
  Kind kind = Kind::native;
};

/// Frames innermost first, numbered as gdb does: a Python frame shares the number of the evaluation frame that follows it.
inline Recording path_of(const std::vector<Made>& made) {
  Recording r;
  r.target.python_version = "3.11.2";
  Event event;
  event.complete = true;
  int number = 0;
  for (const auto& m : made) {
    Frame f;
    f.kind = m.kind;
    f.layer = m.layer;
    f.full = m.full;
    f.name = m.full.substr(m.full.find_last_of(':') == std::string::npos ? 0 : m.full.find_last_of(':') + 1);
    if (m.kind != Kind::elided) f.number = number;
    if (m.kind != Kind::elided && m.kind != Kind::python) ++number;
    event.frames.push_back(std::move(f));
  }
  r.events.push_back(std::move(event));
  return r;
}

inline Recording path(std::initializer_list<Made> made) { return path_of(std::vector<Made>(made)); }

inline Recording the_pow_path() { return load(CALLPATH_TEST_DATA "/records/pow_kernel.json"); }

}  // namespace callpath::test
