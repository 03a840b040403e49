// What the agent (inside the program) and the session (its parent) share: one mapping of anonymous shared memory.
// Plain data with fixed layout; both sides are built from this header and check `magic` and `size`.
#pragma once

#include <atomic>
#include <cstdint>

#include "capture/capture.hpp"

namespace callpath::agent {

/// Environment variable that carries "FD" or "FD,FD": the shared memory, and the descriptor through which the agent itself was preloaded
/// where its path cannot stand in LD_PRELOAD. The agent removes it, and its own entry (the first) of LD_PRELOAD.
constexpr char fd_variable[] = "CALLPATH_AGENT_FD";
constexpr std::uint32_t protocol_magic = 0x63700001;

/// A register operand in the order of instruction encoding: rax rcx rdx rbx rsp rbp rsi rdi r8..r15.
constexpr std::int8_t no_register = -1;

/// How a thread goes on behind a probe. An instruction that moves control or stores its own address cannot run as a copy.
enum class Resume : std::uint32_t {
  copy,    ///< At `resume`: the relocated instruction followed by a jump to the next one.
  jump,    ///< To the operand.
  call,    ///< To the operand, with `next` pushed as the return address.
  branch,  ///< To `target` if `condition` holds, else to `next`.
  ret,     ///< To the address popped; `pop` more bytes are released.
  count,   ///< loop, loope, loopne, jrcxz: `condition` is a CountKind.
};
enum class CountKind : std::uint32_t { loopne, loope, loop, jrcxz, jecxz };

struct Operand {
  enum Kind : std::uint8_t { target, register_, memory } kind = target;
  std::int8_t base = no_register, index = no_register;
  std::uint8_t scale = 0;
  std::int64_t displacement = 0;  ///< With neither base nor index: the address itself (rip-relative ones are resolved).
};

/// Which hits of a probe the session is told of.
enum class Role : std::uint32_t {
  stop,   ///< All of them, of any thread.
  entry,  ///< Those of the followed thread.
  exit,   ///< Those of the followed thread that go to code which the session has not been told of: at an indirect call or jump.
};

struct Probe {
  std::uint64_t address = 0;
  Role role = Role::stop;
  std::atomic<std::uint32_t> passes{0};      ///< Hits of an entry or exit that the session was not told of.
  std::uint64_t own_begin = 0, own_end = 0;  ///< Of an exit: the function around it; jumps inside it are a switch's.
  std::atomic<std::uint32_t> stops{0};       ///< 1: a hit is published and waits for the session. 0: threads just go on.
  std::uint32_t walks = 0;                   ///< 1: a hit captures the stack. 0: the session only wants to know.
  Resume resume_kind = Resume::copy;
  std::uint32_t condition = 0;  ///< Low four bits of the opcode of jcc, or a CountKind.
  std::uint32_t pop = 0;
  std::uint64_t resume = 0, target = 0, next = 0;
  Operand operand;
};

constexpr std::uint32_t max_probes = 60000;
constexpr std::uint32_t most_passes =
    20000;  ///< After so many the session is told once, with Stop::busy, so that it can take the probe out.
constexpr std::uint32_t probe_slots = 1u << 17;  ///< Of the open-addressing index from address to probe, and of that of known targets.
inline std::uint32_t probe_slot(std::uint64_t address) { return static_cast<std::uint32_t>((address * 0x9E3779B97F4A7C15ull) >> 47); }
static_assert(probe_slots > 2 * max_probes && max_probes < 0xffff);

/// leave: the program itself wants no more of the session that it attached to itself.
enum class StopKind : std::uint32_t { none, hello, probe, watch, leave, operator_call };

constexpr std::size_t operator_name_size = 256;

/// Marks the traps of our data watches: siginfo's si_perf_data.
constexpr std::uint64_t watch_mark = 0x63616c6c70617468;

/// What the stopped thread tells. Valid from the moment `stops` was raised until the session answers with `go`.
struct Stop {
  StopKind kind = StopKind::none;
  std::uint32_t probe = 0;
  char operator_name[operator_name_size] = {};  ///< Of an operator call: as much of its name as fits.
  std::uint32_t busy = 0;    ///< 1: not a hit that was asked for, but the probe's passes are many.
  std::uint64_t target = 0;  ///< Of an exit: where it goes.
  std::int32_t pid = 0, tid = 0;
  std::uint64_t registers[17] = {};  ///< DWARF order, the last is rip: the probed address.
  std::uint32_t vector_size = 0;
  alignas(64) std::uint8_t vectors[2816] = {};  ///< The XSAVE area as the kernel stored it, standard form, as far as the AVX-512 state.
  std::uint32_t frame_count = 0;
  capture::End end = capture::End::gave_up;
};

enum class Command : std::uint32_t { none, go, map };

constexpr std::uint32_t max_frames = 1 << 16;
constexpr std::uint32_t max_inside = 1024;

struct Shared {
  std::uint32_t magic = protocol_magic;
  std::uint32_t size = 0;
  std::int32_t session_pid = 0;
  std::uint32_t session_is_child = 0;  ///< 1: the program attached the session to itself; 0: it was started by the session.

  // Told once by the agent, with the hello.
  std::uint64_t agent_begin = 0, agent_end = 0;  ///< Any address inside the agent will do for both.
  std::uint64_t restorer = 0;                    ///< libc's signal return trampoline: no target for a probe.

  std::uint64_t operator_function = 0;  ///< What the session puts into a library's callpath_operator_hook.

  char operator_glob[operator_name_size] = {};  ///< Which operators stop: '*' and '?' count. Set before the hook is.

  std::atomic<std::uint32_t> to_session{0};  ///< Futex; raised by the agent at each stop and answer, and by the session's own watcher.
  std::atomic<std::uint32_t> to_agent{0};    ///< Futex; raised by the session with each command.
  std::atomic<std::uint32_t> stops{0};       ///< How many stops were published.
  std::atomic<std::uint32_t> answered{0};    ///< The value of to_agent whose command was carried out.
  std::atomic<std::uint32_t> detached{0};    ///< 1: the session wants no more stops.

  /// Threads inside the agent's handler, which has every signal blocked meanwhile; 0: free.
  std::atomic<std::int32_t> inside[max_inside] = {};

  std::atomic<std::int32_t> followed_thread{0};  ///< The thread whose hits of entries and exits count; 0: none.
  std::atomic<std::uint32_t> watching{0};        ///< 1: traps of data watches are stops. 0: they are left-overs, passed over.
  std::atomic<std::uint32_t> has_watched{0};     ///< 1: a data watch was ever set, so that a trap without a mark may be ours.

  Command command = Command::none;
  std::uint64_t argument[2] = {};
  std::int64_t result = 0;

  Stop stop;

  std::atomic<std::uint32_t> probe_count{0};
  std::atomic<std::uint16_t> index[probe_slots] = {};  ///< Probe number + 1 by probe_slot(address), next slots on collision.
  Probe probes[max_probes];
  std::atomic<std::uint64_t> known[probe_slots] = {};  ///< Targets of exits that the session has been told of, by probe_slot.

  std::atomic<std::uint32_t> module_version{0};  ///< Raised by the session, while a thread is stopped, when `modules` changed.
  std::uint32_t module_count = 0;
  capture::ModuleRange modules[capture::max_modules];

  capture::Frame frames[max_frames];
};

}  // namespace callpath::agent
