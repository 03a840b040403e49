// One path from two stacks. Pure: all inputs are plain data.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/raw_stack.hpp"
#include "python/frames.hpp"

namespace callpath {

/// A place in the merged order, innermost first.
struct MergedEntry {
  enum class What { native, python } what = What::native;
  std::size_t native = 0;  ///< Index into RawStack::frames. For Python: the evaluation frame that runs it; where that is not known, the
                           ///< frame before which it was put.
  std::size_t run = 0, frame = 0;  ///< For Python: indices into PythonStack::runs and PythonRun::frames.
};

struct Merged {
  std::vector<MergedEntry> order;
  bool merged = true;  ///< False: the stacks are listed one after the other, unpaired.
  std::string note;    ///< Why not, or which run could not be placed.
};

/// Whether a native frame (by index) is a C evaluation: `_PyEval_EvalFrameDefault`, clones included. Empty if names are not known.
using IsEvaluation = std::function<bool(std::size_t native)>;

/// Pairs each Python run with the native frame for which SP <= anchor < CFA.
///
/// The entry rule is the cross-check: the outermost frame of a run, and only that, was entered by C; runs and evaluations follow one
/// another in the same order, one run to each. A disagreement is noted, and the address decides. A run whose anchor lies in no frame is
/// placed by the entry rule (in the only evaluation left for it, where `is_evaluation` can tell, else just inside the next outer run's
/// place, else outermost) and noted. Nothing is dropped. With runs of which not one lies in a native frame, and no evaluation known for
/// them, the stacks stay unmerged: native frames, then Python's.
Merged merge_by_address(const RawStack&, const PythonStack&, const IsEvaluation& is_evaluation = {});

}  // namespace callpath
