// Follows one thread from function to function, at the speed of the program between them: breakpoints at the entries of the functions that
// a function calls by name, and at its indirect calls and jumps, are set when the function itself is entered for the first time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/module.hpp"
#include "session/function_code.hpp"
#include "session/modules.hpp"
#include "session/probes.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

enum class CodeKind {
  interpreter,
  runtime,  ///< The C library, the loader, the compilers' libraries: they run at full speed. Some block every signal, which no probe
            ///< survives.
  other,
};

class CallFollower {
 public:
  using Number = Probes::Number;

  CallFollower(Probes& probes, SharedMemory& shared, const Memory& memory, const ModuleTable& modules, Symbols& symbols)
      : probes_(probes), shared_(shared), memory_(memory), modules_(modules), symbols_(symbols) {}

  /// Follows the calls of the function at this address when this thread makes them.
  void begin(pid_t thread, Address function, Address interpreter);
  /// No probe of ours is in the text afterwards.
  void end();

  bool owns(Number number) const { return entries_.count(number) || exits_.count(number); }

  /// A stop at one of our probes. The function that was entered, if one was.
  std::optional<Address> on_hit(Number);

  /// Counts begin anew, and functions that were entered often are looked at again.
  void next_operation();

  struct Count {
    Address function;
    int entered = 0;
    bool more = false;  ///< Its probe was taken out after so many.
  };
  /// Of this operation, in order of first entry.
  const std::vector<Count>& counts() const { return counts_; }
  CodeKind kind(const Module&);

  /// What was not followed and why, of all operations so far: "libc.so.6 runs at full speed".
  std::vector<std::string> skipped() const;

 private:
  void look_into(Address function);
  void want_entry(Address target);
  void want_exit(const Exit&, AddressRange own);
  void look_into_resolver(Address);
  void take_out(Number);
  Address place_for(const LoadedModule&, Address function);
  void skip(const std::string& reason, const std::string& what) { skipped_[reason].insert(what); }

  Probes& probes_;
  SharedMemory& shared_;
  const Memory& memory_;
  const ModuleTable& modules_;
  Symbols& symbols_;
  Address interpreter_, evaluation_;
  struct Entry {
    Address function;
    bool part = false;  ///< Not a function's beginning: where another one jumps into a part that was moved away.
  };
  std::unordered_map<Number, Entry> entries_;
  std::unordered_set<Number> exits_, exhausted_, too_busy_;
  std::unordered_set<std::uint64_t> wanted_, looked_into_;
  std::unordered_map<std::uint64_t, std::size_t> count_at_;  ///< Function to its place in counts_.
  std::vector<Count> counts_;
  std::map<std::string, CodeKind> kinds_;  ///< By path.
  std::map<std::string, std::set<std::string>> skipped_;
};

}  // namespace callpath::session
