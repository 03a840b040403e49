// From addresses to names and back, over libdw and libelf. Runs in the tracing process only; not signal-safe; one object is used by one
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/module.hpp"
#include "record/record.hpp"

namespace callpath {

/// One function at an address: the physical one, or one inlined into it.
struct FunctionAt {
  std::string name;  ///< Short, for display: "lambda(float)", "pow_tensor_scalar_optimized_kernel", "_PyEval_EvalFrameDefault".
  std::string full;  ///< Demangled, with template arguments and parameters where known; clone suffixes (.constprop.0) kept here.
  bool inlined = false;
  std::optional<std::string> file;            ///< Absolute where the debug information allows.
  std::optional<int> line;                    ///< Innermost: the line of the address. Outer: the line of the call that was inlined.
  Confidence confidence = Confidence::exact;  ///< exact: DWARF; symbol: ELF symbol only; module: nothing but module+offset.
  std::string note;                           ///< "cold part", ...; may be empty.
  std::string origin;                         ///< Of a lambda, where it was written: "lambda #2 in f, PowKernel.cpp:67"; else empty.
};

/// A variable or table that a symbol names.
struct DataSymbol {
  std::string mangled, name;  ///< As the linker has it; demangled.
  ModuleOffset start;
  std::uint64_t size = 0;
};

enum class DebugLevel { full, symbols, dynamic, none };

/// A function that a name or pattern matched.
struct FoundFunction {
  std::string name, full;
  ModuleOffset entry;           ///< First instruction.
  ModuleOffset after_prologue;  ///< Where gdb's `break` lands; without a line table past the frame set-up, if any.
  std::optional<std::string> file;
  std::optional<int> line;  ///< Line of after_prologue.
  std::string enclosing;    ///< For a lambda's operator(): full name of the function that defines it; else empty.
};

/// What the compiler recorded about the call that returns to an address.
struct CallSite {
  std::string name, full;  ///< The callee by static knowledge; empty if the call is indirect.
  std::optional<ModuleOffset> entry;
  /// Calls by which that callee leaves in a jump (DW_AT_call_tail_call), as inlined chains at the jump, innermost first.
  std::vector<std::vector<FunctionAt>> tail_jumps;
};

class Symbols {
 public:
  /// What debug information said is kept in the user's cache folder ($XDG_CACHE_HOME/callpath, ~/.cache/callpath) and read from there the
  /// next time: by build-id, for files that have one.
  enum class Index { kept, none };
  explicit Symbols(Index = Index::kept);
  ~Symbols();  ///< Writes what is new.

  /// Innermost first, the physical function last. Never empty: an address without any name yields one entry of confidence `module`.
  std::vector<FunctionAt> at(const Module&, ModuleOffset);

  /// The name of the symbol at an address as the linker has it, clone suffixes included; empty if there is none. For tools that want more
  /// than people: it is not part of `at`.
  std::string mangled(const Module&, ModuleOffset);

  /// The symbols of data that hold an address, the tightest first; and the one of an exact (mangled) name.
  std::vector<DataSymbol> data_at(const Module&, ModuleOffset);
  std::optional<DataSymbol> data_named(const Module&, const std::string& mangled);

  /// Functions (out-of-line copies) whose short, qualified or full name matches a glob ("pow_tensor_scalar*", "*lambda*"). A pattern
  /// without wildcard matches an unqualified or qualified name exactly, template arguments and parameters ignored.
  std::vector<FoundFunction> find(const Module&, const std::string& pattern);

  /// The places where functions that a pattern matches, as for `find`, were inlined into others.
  std::vector<FoundFunction> find_inlined(const Module&, const std::string& pattern);

  /// The function whose first instruction stands there, whether it has a name or not.
  FoundFunction function(const Module&, ModuleOffset entry);

  /// Out-of-line code at a source position, `file` matched from its end ("PowKernel.cpp", "cpu/PowKernel.cpp"): where gdb's `break
  /// FILE:LINE` lands.
  std::vector<FoundFunction> find_line(const Module&, const std::string& file, int line);

  /// Names most like a pattern that matched nothing, best first, at most `count`.
  std::vector<std::string> nearest(const std::vector<Module>&, const std::string& pattern, std::size_t count = 5);

  /// The call whose return address this is, from DW_TAG_call_site; nothing if not recorded.
  std::optional<CallSite> call_returning_to(const Module&, ModuleOffset return_address);

  /// Debug information in use: level, detached file, advice about what to install.
  RecordedModule describe(const Module&);
  DebugLevel level(const Module&);

 private:
  friend class Values;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Lines around `line` of a file, or nothing if it cannot be read.
std::optional<Excerpt> read_excerpt(const std::string& file, int line, int before = 4, int after = 4);

/// "a::b<int>::f(float)::{lambda(float)#2}::operator()(float) const" -> "lambda(float)"; "a::b::f<int>(x)" -> "f". Also for plain C names.
std::string short_name(const std::string& full);

/// Demangled if any demangler can; else the text itself.
std::string demangle(const std::string& symbol);

}  // namespace callpath
