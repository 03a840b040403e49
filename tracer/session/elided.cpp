#include "session/elided.hpp"

#include <fmt/format.h>

#include "session/jumps.hpp"
#include "tables/code.hpp"

namespace callpath::session {
namespace {

constexpr int longest_chain = 4;

/// "f(int) (.cold)" and "f(int) [clone .cold]" are parts of "f(int)": where a function stands in two pieces, both are it.
std::string without_clone(const std::string& full) {
  std::size_t end = full.find(" [clone");
  if (end == std::string::npos) end = full.find(" (.");
  if (end == std::string::npos && full.find('(') == std::string::npos) end = full.find('.');
  return full.substr(0, end);
}

class Between {
 public:
  Between(Symbols& symbols, const std::vector<Module>& modules, const Memory& memory, const std::vector<FunctionAt>& running,
          const std::optional<tables::Extent>& code)
      : symbols_(symbols), modules_(modules), memory_(memory), running_(without_clone(running.back().full)), running_code_(code) {}

  std::vector<Elided> find(const std::string& caller_name, Address return_address) {
    const Module* caller = find_module(modules_, return_address - 1);
    if (!caller) return {};
    // The usual case, and known without debug information, which may be large.
    if (auto direct = tables::called_before(memory_, return_address); direct && is_running(*direct)) return {};
    auto target = called(*caller, return_address);
    std::string by =
        fmt::format("the call in {} that returns to {}+{:#x} goes to", caller_name, caller->name(), caller->offset(return_address).value);
    for (int length = 0; target && length < longest_chain && !is_running(*target); ++length) {
      const Module* module = find_module(modules_, *target);
      auto way = module ? way_out(*module, *target) : std::nullopt;
      if (!module || is_nameless(*module, *target)) break;
      if (!way) {
        add_unplaced(*module, *target, by);
        break;
      }
      by = add(*module, way->at, by);
      target = way->target;
    }
    return std::move(found_);
  }

 private:
  /// What the compiler recorded of the call, else what the call instruction says.
  std::optional<Address> called(const Module& caller, Address return_address) {
    auto site = symbols_.call_returning_to(caller, caller.offset(return_address));
    if (site && site->entry) return caller.address(*site->entry);
    return tables::called_before(memory_, return_address);
  }

  /// Where such a function ends cannot be told by names, so its jumps say nothing.
  bool is_nameless(const Module& module, Address address) {
    return symbols_.at(module, module.offset(address)).back().confidence == Confidence::module;
  }

  bool is_running(Address address) {
    if (running_code_ && running_code_->contains(address)) return true;
    const Module* module = find_module(modules_, address);
    return module && without_clone(symbols_.at(*module, module->offset(address)).back().full) == running_;
  }

  /// Certain only: a jump straight to the running function, else the only one that something at run time decides, else the only one at all.
  std::optional<LeavingJump> way_out(const Module& module, Address entry) {
    auto jumps = leaving_jumps(symbols_, module, memory_, entry);
    std::vector<LeavingJump> indirect;
    for (const auto& jump : jumps) {
      if (!jump.target)
        indirect.push_back(jump);
      else if (is_running(*jump.target))
        return jump;
    }
    if (indirect.size() == 1) return indirect.front();
    if (indirect.empty() && jumps.size() == 1) return jumps.front();
    return std::nullopt;
  }

  /// The functions inlined at the jump and the one that left, before (inside) those found so far. Returns how the next one was reached.
  std::string add(const Module& module, Address jump, const std::string& by) {
    auto chain = symbols_.at(module, module.offset(jump));
    const std::string left = chain.back().name;
    std::vector<Elided> these;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      Frame frame = elided_frame(chain[i], i == 0);
      frame.evidence = i + 1 < chain.size() ? fmt::format("inlined in {} at the jump by which it left", left)
                                            : fmt::format("{} {}, which left by a jump", by, left);
      these.push_back({std::move(frame), &module});
    }
    found_.insert(found_.begin(), these.begin(), these.end());
    return fmt::format("{} jumps to", left);
  }

  /// A function that was called but does not run left by a jump, whichever. Where debug information is, gdb's rule holds, which tells
  /// nothing.
  void add_unplaced(const Module& module, Address entry, const std::string& by) {
    const auto function = symbols_.at(module, module.offset(entry)).back();
    if (function.confidence != Confidence::symbol) return;
    Frame frame = elided_frame(function, false);
    frame.evidence = fmt::format("{} {}, which left by one of several jumps", by, function.name);
    found_.insert(found_.begin(), {std::move(frame), &module});
  }

  /// The place of the jump is the innermost function's; where it lies in the others is not told, in step with the gdb route.
  static Frame elided_frame(const FunctionAt& function, bool innermost) {
    Frame frame;
    frame.kind = Kind::elided;
    frame.confidence = Confidence::elided;
    frame.name = function.name;
    frame.full = function.full;
    if (!innermost || !function.file) return frame;
    frame.source = Source{*function.file, function.line, std::nullopt};
    if (function.line) frame.source->excerpt = read_excerpt(*function.file, *function.line);
    return frame;
  }

  Symbols& symbols_;
  const std::vector<Module>& modules_;
  const Memory& memory_;
  std::string running_;
  std::optional<tables::Extent> running_code_;
  std::vector<Elided> found_;
};

}  // namespace

std::vector<Elided> elided_between(Symbols& symbols, const std::vector<Module>& modules, const Memory& memory,
                                   const std::vector<FunctionAt>& running, const std::optional<tables::Extent>& code,
                                   const std::string& caller, Address return_address) {
  if (running.empty()) return {};
  return Between(symbols, modules, memory, running, code).find(caller, return_address);
}

}  // namespace callpath::session
