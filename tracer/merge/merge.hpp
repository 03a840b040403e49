// One path from two stacks. Pure: all inputs are plain data.
#pragma once

#include <string>
#include <vector>

#include "core/raw_stack.hpp"
#include "python/frames.hpp"

namespace callpath {

/// A place in the merged order, innermost first.
struct MergedEntry {
  enum class What { native, python } what = What::native;
  std::size_t native = 0;  ///< Index into RawStack::frames. For Python: the evaluation frame that runs it.
  std::size_t run = 0, frame = 0;  ///< For Python: indices into PythonStack::runs and PythonRun::frames.
};

struct Merged {
  std::vector<MergedEntry> order;
  bool merged = true;    ///< False: the stacks are listed one after the other, unpaired.
  std::string note;      ///< Why not, or which run could not be placed.
};

/// Pairs each Python run with the native frame for which SP <= anchor < CFA. The entry rule is the cross-check: a disagreement is noted. A run whose
/// anchor lies in no frame is placed by the entry rule and noted; nothing is dropped.
Merged merge_by_address(const RawStack&, const PythonStack&);

}  // namespace callpath
