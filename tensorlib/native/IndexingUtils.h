// How tensors of indices become places in memory.
#pragma once

#include <functional>

#include "native/Indexing.h"

namespace tensorlib::native {

/// `data` and `offsets` have the shape of the result; an element is at data's address plus the offset, in bytes.
struct IndexedPlaces {
  Tensor data;     ///< A view of self with stride 0 in the indexed dimensions.
  Tensor offsets;  ///< int64, with stride 0 in the others.
};

/// Raises IndexError on indices that do not fit self or are outside it.
IndexedPlaces indexed_places(const Tensor& self, IndexList indices);

/// index as int64 positions of a dimension of `size`, checked: from -size (where negative ones are allowed) to size - 1.
Tensor checked_positions(const Tensor& index, std::int64_t dim, std::int64_t size, bool allow_negative);

/// Writing to one element of an expanded tensor writes to several: said, not refused, as PyTorch does for operators that write chosen
/// elements.
void warn_if_expanded(const Tensor& self, const char* name);

}  // namespace tensorlib::native
