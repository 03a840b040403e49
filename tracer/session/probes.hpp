// Setting and removing breakpoints in the program's text.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "session/channel.hpp"
#include "session/displace.hpp"
#include "session/modules.hpp"
#include "session/process.hpp"

namespace callpath::session {

class Probes;

struct AddressRange {
  Address begin, end;  ///< [begin, end)
  bool holds(Address a) const { return begin <= a && a < end; }
};

/// The program's memory as it would be without our breakpoints in its text.
class UnprobedMemory : public Memory {
 public:
  UnprobedMemory(const Memory& memory, const Probes& probes) : memory_(memory), probes_(probes) {}
  bool read(Address from, void* to, std::size_t size) const override;

 private:
  const Memory& memory_;
  const Probes& probes_;
};

/// Everything here happens while a thread of the program is stopped: it is the one that maps memory for the copies.
class Probes {
 public:
  using Number = std::uint32_t;

  Probes(SharedMemory& shared, Channel& channel, ProcessMemory& memory, const ModuleTable& modules, pid_t pid)
      : shared_(shared), channel_(channel), memory_(memory), modules_(modules), pid_(pid) {}

  /// Prepares a probe, or gives the one that is there. `walks`: a hit captures the stack. Throws CannotProbe if none can be set there.
  Number add(Address, bool walks);

  /// The same for following a thread: `own` is the function around an exit. One that is there for every thread stays so.
  Number add_entry(Address);
  Number add_exit(Address, AddressRange own);

  /// Puts the breakpoint into the text, or takes it out. Arming throws Error where SIGTRAP is blocked in a thread or the program is under
  /// a debugger: a hit there would end the program or go to somebody else.
  void arm(Number);
  void disarm(Number);
  void disarm_all();
  bool armed(Number number) const { return entries_[number].armed; }

  /// Forgets what lay in files that are no longer loaded, so that another file at the same place gets probes of its own.
  void drop_unloaded();

  /// Puts what the program has under our breakpoints into a copy of its memory from there.
  void cover(Address from, std::uint8_t* bytes, std::size_t size) const;

 private:
  struct Entry {
    Address address;
    std::string module;  ///< Path and build id.
    std::uint8_t original = 0;
    bool armed = false, dropped = false;
  };
  struct Region {
    Address begin, next, end;
  };

  void check_target(Address) const;
  void check_program();
  std::vector<pid_t> blocking_of_the_program() const;
  std::vector<std::uint8_t> original_bytes(Address) const;
  Address slot_near(Address);
  Address map_near(Address);
  Number prepare(Address, bool walks, agent::Role, AddressRange own);
  void publish(Number, const Displaced&, Address slot, bool walks);

  SharedMemory& shared_;
  Channel& channel_;
  ProcessMemory& memory_;
  const ModuleTable& modules_;
  pid_t pid_;
  std::uint32_t checked_at_stop_ = 0;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, Number> by_address_;  ///< Those that are not dropped.
  std::map<std::uint64_t, Number> in_text_;               ///< The armed ones.
  std::vector<Region> regions_;
};

}  // namespace callpath::session
