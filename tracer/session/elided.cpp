#include "session/elided.hpp"

#include <fmt/format.h>

namespace callpath::session {
namespace {

/// "f(int) (.cold)" and "f(int) [clone .cold]" are parts of "f(int)": where a function stands in two pieces, both are it.
std::string without_clone(const std::string& full) {
  std::size_t end = full.find(" [clone");
  if (end == std::string::npos) end = full.find(" (.");
  if (end == std::string::npos && full.find('(') == std::string::npos) end = full.find('.');
  return full.substr(0, end);
}

bool same_chain(const std::vector<FunctionAt>& a, const std::vector<FunctionAt>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].full != b[i].full) return false;
  return true;
}

/// The functions inlined at the jump and, last, the one that left; where it has several jumps with other functions at them, only that one.
std::vector<FunctionAt> jump_chain(const CallSite& site) {
  const auto& jumps = site.tail_jumps;
  for (const auto& jump : jumps)
    if (!same_chain(jump, jumps.front())) return {jump.back()};
  return jumps.front();
}

Frame elided_frame(const FunctionAt& function, bool innermost) {
  Frame frame;
  frame.kind = Kind::elided;
  frame.confidence = Confidence::elided;
  frame.name = function.name;
  frame.full = function.full;
  if (innermost && function.file) {
    frame.source = Source{*function.file, function.line, std::nullopt};
    if (function.line) frame.source->excerpt = read_excerpt(*function.file, *function.line);
  }
  return frame;
}

}  // namespace

std::vector<Frame> elided_between(Symbols& symbols, const std::vector<FunctionAt>& callee, const Module& caller, Address return_address) {
  auto site = symbols.call_returning_to(caller, caller.offset(return_address));
  if (!site || !site->entry || site->tail_jumps.empty() || callee.empty()) return {};
  auto called = symbols.at(caller, *site->entry).back();
  if (without_clone(called.full) == without_clone(callee.back().full)) return {};
  std::string by = symbols.at(caller, caller.offset(return_address - 1)).front().name;
  std::vector<Frame> frames;
  auto chain = jump_chain(*site);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    Frame frame = elided_frame(chain[i], i == 0);
    frame.evidence = i + 1 < chain.size() ? fmt::format("inlined in {} at the jump by which it left", called.name)
                                          : fmt::format("the call in {} that returns to {:#x} goes to {}, which left by a jump", by,
                                                        caller.offset(return_address).value, called.name);
    frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace callpath::session
