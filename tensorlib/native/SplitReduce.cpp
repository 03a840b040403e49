// A reduction to one number, in chunks: which are the same whatever number of threads work on them, and so are the result's bits.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/Parallel.h"
#include "native/ReduceOps.h"

namespace tensorlib::native {

namespace {

/// All of an iterator, to be changed.
struct Copy final : TensorIteratorBase {
  explicit Copy(const TensorIteratorBase& whole) : TensorIteratorBase(whole) {}
};

}  // namespace

void parallel_reduce(TensorIteratorBase& iter, TensorIteratorBase::loop2d_t loop, TensorIteratorBase::loop2d_t join) {
  if (iter.numel() <= GRAIN_SIZE || iter.num_output_elements() != 1) return iter.parallel_reduce(loop);
  const std::int64_t chunks = (iter.numel() + GRAIN_SIZE - 1) / GRAIN_SIZE, bytes = iter.element_size(0);
  char* const out = iter.data_ptr(0);
  std::vector<char> parts(static_cast<std::size_t>(chunks * bytes));
  for (std::int64_t i = 0; i < chunks; ++i) std::memcpy(&parts[static_cast<std::size_t>(i * bytes)], out, static_cast<std::size_t>(bytes));
  parallel_for(0, iter.numel(), GRAIN_SIZE, [&](std::int64_t begin, std::int64_t end) {
    Copy part(iter);
    part.operands_[0].data = parts.data() + begin / GRAIN_SIZE * bytes;
    part.serial_for_each(loop, begin, end);
  });
  char* data[2] = {out, parts.data()};
  const std::int64_t strides[4] = {0, bytes, 0, 0};
  join(data, strides, chunks, 1);
}

}  // namespace tensorlib::native
