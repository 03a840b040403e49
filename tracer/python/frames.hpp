// Python frames read from memory: no Python API, no GIL, no reference counts. The thread must be stopped while it is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"

namespace callpath {

/// A code object's parts that naming needs, copied out.
struct CodeInfo {
  Address object;
  std::string name, qualname, file;
  int first_line = 0;
  std::vector<std::uint8_t> bytecode;    ///< As in memory: specialised opcodes and inline caches included.
  std::vector<std::uint8_t> line_table;  ///< co_linetable.
  std::vector<std::string> names;        ///< co_names, for argrepr.
};

struct PythonFrame {
  Address address;               ///< _PyInterpreterFrame.
  CodeInfo code;
  int instruction_offset = -1;   ///< Bytes from the start of the bytecode of the instruction being executed; -1 before the first.
  bool entry = false;            ///< Run directly by a new C evaluation (3.11 is_entry).
  std::string owner;             ///< "thread", "generator", "frame object", "interpreter".
};

/// Frames run by one C evaluation, innermost first.
struct PythonRun {
  Address anchor;                ///< The _PyCFrame (3.11) or shim frame (3.12+): a C local of the evaluation frame that runs them.
  std::vector<PythonFrame> frames;
};

struct PythonStack {
  bool found = false;            ///< A thread state for this thread exists.
  std::string note;              ///< Why there are no frames, or what was odd; for people.
  std::string version;           ///< "3.11.2"
  std::string build;             ///< "release" or "debug"
  std::vector<PythonRun> runs;   ///< Innermost first.
};

/// The interpreter in a process, if one is loaded.
struct Interpreter {
  const Module* module = nullptr;  ///< The file that holds _PyRuntime.
  Address runtime;                 ///< &_PyRuntime
  std::uint32_t hex_version = 0;   ///< Py_Version as read from the process.
  bool supported = false;          ///< Layout known to this build.
  std::string why_not;             ///< If not supported: for people.
};

/// Looks for `_PyRuntime` and `Py_Version` in the dynamic and ordinary symbol tables of the loaded files.
std::optional<Interpreter> find_interpreter(const std::vector<Module>&, const Memory&);

/// All Python frames of the thread with this kernel thread id. Lengths are capped, cycles are detected, unreadable parts become a note.
PythonStack read_python_stack(const Interpreter&, const Memory&, std::int64_t tid);

/// A name for each operation and a position for each offset.
Instruction decode_instruction(const CodeInfo&, int offset, std::uint32_t hex_version);

/// Operations of the statement at `offset` that can call into C, with their states and marks.
std::vector<Operation> operations_of_statement(const CodeInfo&, int offset, std::uint32_t hex_version);

}  // namespace callpath
