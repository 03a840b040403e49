#include "core/MemoryOverlap.h"

#include <algorithm>

#include "core/Exception.h"

namespace tensorlib {

namespace {

[[noreturn]] void refuse_shared_memory() {
  raise(
      "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
      "Please clone() the tensor before performing the operation.");
}

}  // namespace

MemOverlap has_internal_overlap(const Tensor& tensor) {
  if (tensor.is_non_overlapping_and_dense()) return MemOverlap::No;
  for (std::int64_t d = 0; d < tensor.dim(); ++d) {
    if (tensor.stride(d) == 0 && tensor.size(d) > 1) return MemOverlap::Yes;
  }
  return MemOverlap::TooHard;
}

MemOverlapStatus get_overlap_status(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) return MemOverlapStatus::Full;
  if (a.numel() == 0 || b.numel() == 0) return MemOverlapStatus::No;
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) return MemOverlapStatus::TooHard;
  // By address, not by storage: memory from elsewhere may come in two storages.
  const char* a_begin = a.data();
  const char* b_begin = b.data();
  const char* a_end = a_begin + a.numel() * a.element_size();
  const char* b_end = b_begin + b.numel() * b.element_size();
  if (a_begin == b_begin && a_end == b_end) {
    return std::ranges::equal(a.strides(), b.strides()) ? MemOverlapStatus::Full : MemOverlapStatus::Partial;
  }
  return a_begin < b_end && b_begin < a_end ? MemOverlapStatus::Partial : MemOverlapStatus::No;
}

void assert_no_internal_overlap(const Tensor& output) {
  if (has_internal_overlap(output) != MemOverlap::Yes) return;
  raise(
      "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
      "Please clone() the tensor before performing the operation.");
}

void assert_no_partial_overlap(const Tensor& output, const Tensor& input) {
  if (get_overlap_status(output, input) == MemOverlapStatus::Partial) refuse_shared_memory();
}

void assert_no_overlap(const Tensor& output, const Tensor& input) {
  const MemOverlapStatus status = get_overlap_status(output, input);
  if (status == MemOverlapStatus::Partial || status == MemOverlapStatus::Full) refuse_shared_memory();
}

}  // namespace tensorlib
