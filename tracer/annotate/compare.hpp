// Whether two events tell the same path: across routes, and across programs for the diff. Pure functions over records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace callpath {

/// What a frame is when how it was observed is taken away. Two frames are the same frame of a path if they are equal in these
/// (same_frame()).
struct Normalised {
  Kind kind = Kind::native;
  Layer layer = Layer::unknown;
  /// The full name without blanks, return type, trailing qualifiers, clone suffixes (.constprop.0), ABI tags, lambda numbers
  /// ({lambda(float)#3} is {lambda(float)}) and literal suffixes; one spelling for a lambda; capability namespaces stay: they are part of
  /// the path.
  std::string function;
  std::string
      without_parameters;  ///< `function` less the parameter list of its last function: compared where one side knows no parameters.
  bool has_parameters = false;
  std::string module;  ///< File name; versions (libc.so.6) stay. Empty for Python frames.
  std::string file;    ///< Last two components: what both a build folder and an installed debug file agree on.
  std::optional<int> line;
  /// Where no line is known: the build, and the place of the instruction in it, which is then all that tells two ways through one function
  /// apart. Not for the interpreter's own machinery, which comes to the same call on several ways.
  std::string build;
  std::optional<std::uint64_t> instruction;
};

/// The one normalisation. Startup frames are reduced to the physical function: kind, module and place are what differs between builds of
/// libc and Python without meaning anything for a path.
Normalised normalise(const Frame&, const Recording&);

bool same_frame(const Normalised&, const Normalised&);

/// The frames of a path that count: from the innermost to the Python frame of the user's line, then the startup frames that are physical.
/// Indices into Event::frames. Without a user frame all frames up to the first startup frame count.
std::vector<std::size_t> compared_frames(const Event&);

/// One place where two paths part.
struct Difference {
  enum class What { changed, only_a, only_b };
  What what = What::changed;
  std::optional<std::size_t> a, b;  ///< Indices into the events' frames.
  std::string text;                 ///< One line for people: "line: Loops.h:118 against Loops.h:171".
};

/// Empty if the paths are the same. Frames are aligned by a longest common subsequence, so that one frame more on one side is one
/// difference.
std::vector<Difference> compare_paths(const Event& a, const Recording& of_a, const Event& b, const Recording& of_b);

/// Values and facts that differ or that only one side has, for people: notes, never a failure.
std::vector<std::string> compare_values(const Event& a, const Event& b);

}  // namespace callpath
