#include "both.hpp"

thread_local std::vector<capture::Frame> frame_buffer;

_Unwind_Reason_Code add_pc(_Unwind_Context* context, void* data) {
  static_cast<Pcs*>(data)->push_back(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

Pcs without_zero_end(Pcs pcs) {
  while (!pcs.empty() && pcs.back() == 0) pcs.pop_back();
  return pcs;
}

__attribute__((noinline)) Both both_from_here() {
  static thread_local std::vector<capture::Point> points(1 << 14);
  frame_buffer.resize(1 << 14);
  Both both;
  both.walk = capture::walk_here(frame_buffer.data(), frame_buffer.size());
  const auto traced = capture::trace_here(points.data(), points.size());
  _Unwind_Backtrace(add_pc, &both.libgcc);
  for (std::size_t i = 1; i < both.walk.count; ++i) both.ours.push_back(frame_buffer[i].pc);
  for (std::size_t i = 1; i < traced.count; ++i) both.traced.push_back(points[i].pc());
  if (!both.libgcc.empty()) both.libgcc.erase(both.libgcc.begin());
  return both;
}

void expect_same(const Both& both, std::size_t at_least) {
  EXPECT_EQ(both.ours, without_zero_end(both.libgcc));
  EXPECT_EQ(both.traced, both.ours);
  EXPECT_GE(both.ours.size(), at_least);
  EXPECT_EQ(both.walk.end, capture::End::reached_start) << capture::text(both.walk.end);
}
