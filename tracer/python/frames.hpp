// Python frames read from memory: no Python API, no GIL, no reference counts. The thread must be stopped while it is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "record/record.hpp"

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
  Address address;  ///< _PyInterpreterFrame.
  CodeInfo code;
  int instruction_offset = -1;  ///< Bytes from the start of the bytecode of the instruction being executed; -1 before the first.
  bool entry = false;           ///< Run directly by a new C evaluation (3.11 is_entry; later: called by a shim).
  std::string owner;            ///< "thread", "generator", "frame object", "interpreter".
};

/// Frames run by one C evaluation, innermost first.
struct PythonRun {
  Address anchor;  ///< The _PyCFrame (3.11) or shim frame (3.12+): a C local of the evaluation frame that runs them.
  std::vector<PythonFrame> frames;
};

struct PythonStack {
  bool found = false;           ///< A thread state for this thread exists.
  std::string note;             ///< Why there are no frames, or what was odd; for people.
  std::string version;          ///< "3.11.2"
  std::string build;            ///< "release" or "debug"
  std::vector<PythonRun> runs;  ///< Innermost first.
};

/// The interpreter in a process, if one is loaded.
struct Interpreter {
  const Module* module = nullptr;  ///< The file that holds _PyRuntime.
  Address runtime;                 ///< &_PyRuntime
  std::uint32_t hex_version = 0;   ///< Py_Version as read from the process.
  bool debug = false;              ///< Built with Py_DEBUG.
  Address code_type;               ///< &PyCode_Type, against which code objects are checked; null if not known.
  bool supported = false;          ///< Layout known to this build.
  std::string why_not;             ///< If not supported: for people.
};

/// Looks for `_PyRuntime` and `Py_Version` in the dynamic and ordinary symbol tables of the loaded files.
std::optional<Interpreter> find_interpreter(const std::vector<Module>&, const Memory&);

/// All Python frames of the thread with this kernel thread id. Lengths are capped, cycles are detected, unreadable parts become a note.
PythonStack read_python_stack(const Interpreter&, const Memory&, std::int64_t tid);

/// A str as UTF-8, lone surrogates spelled out; nothing if there is none at that address or the interpreter's layout is not known.
std::optional<std::string> read_python_text(const Interpreter&, const Memory&, Address object);

/// An object in a few words, as repr() would show it: 3, 'abc', (1, 2.5), <function f>, <Tensor object>. Nothing runs, references are not
/// counted. Nothing where that is no object or the interpreter's layout is not known.
std::optional<std::string> short_repr(const Interpreter&, const Memory&, Address object);

/// What a record keeps of a frame until annotate decodes it: put it into PythonPart::code.
RawCode raw_code(const PythonFrame&, std::uint32_t hex_version);

/// "3.11.2", "3.12.0rc1" from Py_Version.
std::string version_text(std::uint32_t hex_version);

/// Whether the bytecode of this version can be decoded by this build.
bool can_decode(std::uint32_t hex_version);

/// The instruction that holds `offset`, which may lie in its inline caches, as after a call from Python to Python. Positions are null where
/// the line table has none. Nothing if the offset is outside the code, is -1, or the version is not known.
std::optional<Instruction> decode_instruction(const RawCode&, int offset);

/// Every instruction in order, EXTENDED_ARG prefixes included as `dis` shows them, caches not.
std::vector<Instruction> decode_all(const RawCode&);

/// Operations of the statement at `offset` that can call into C or Python, in order of their offsets, with their states and marks.
///
/// The statement is found through the line table: neighbouring instructions whose lines overlap. States follow the order of offsets, which
/// is the order of execution within a statement but for loops in it (comprehensions are code objects of their own in 3.11). A mark is what
/// stands in the operation's own columns after its first operand, less the nested operations: "**3", "[:, 1]", "+". Columns count UTF-8
/// bytes. `source`, where given, lets blanks and brackets be trimmed from marks and calls spread over lines be marked at all.
std::vector<Operation> operations_of_statement(const RawCode&, int offset, const Excerpt* source = nullptr);

/// Whether a reader would call an instruction an operation of its line: it can call into C or Python by its own meaning.
bool is_operation(const Instruction&);

/// Where a statement stands in its code object, in bytes.
struct StatementRange {
  int begin = 0, end = 0;       ///< [begin, end)
  bool has_operations = false;  ///< One of its instructions can call into C or Python.
  bool holds(int offset) const { return begin <= offset && offset < end; }
};

/// The statement that operations_of_statement looks at; nothing if the offset lies outside the code.
std::optional<StatementRange> statement_range(const RawCode&, int offset);

}  // namespace callpath
