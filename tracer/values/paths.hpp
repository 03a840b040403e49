// Paths of a user or a facts table: "iter.shape_[0]", "strides[*2]".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "values/object.hpp"

namespace callpath::dw {

struct PathStep {
  enum class Kind { member, index, take } kind = Kind::member;
  std::string name;         ///< Of a member; of `take` the path that says how many, if it is not a number.
  std::uint64_t count = 0;  ///< The index, or how many to take.
};

struct Path {
  std::string variable;
  std::vector<PathStep> steps;
  std::string members;  ///< The steps as written.
};

/// Nothing (with the reason) if it is not a path.
std::optional<Path> parse_path(const std::string& text, std::string* reason);

/// One step: a member, an element of an array, pointer, std::array or vector-like class. Not for `take`.
Found walk_step(const Memory&, Object, const PathStep&);

/// The elements that [*n] stands for.
Found element(const Memory&, const Object& whole, std::uint64_t index);

}  // namespace callpath::dw
