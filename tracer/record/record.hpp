// The callpath/1 record in memory. Its JSON form is described by data/callpath-1.schema.json; names here and there are the same.
// Plain data: everything that classifies, explains, compares or renders is a function over these types.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace callpath {

enum class Kind { python, native, inlined, elided };

enum class Layer {
  user,
  wrapper,
  protocol,
  eval,
  binding,
  dispatcher,
  autograd,
  op,
  stub,
  loop,
  kernel,
  glue,
  compile,
  class_build,
  import,
  startup,
  runtime,
  unknown  // `op` is "operator", `class_build` "class-build" in JSON
};

enum class Confidence { exact, symbol, module, inferred, elided };

struct Excerpt {
  int first = 0;  ///< Line number of lines[0].
  std::vector<std::string> lines;
};

struct Source {
  std::string file;  ///< As the debug information or the code object names it, made absolute where possible.
  std::optional<int> line;
  std::optional<Excerpt> excerpt;  ///< Read at record time, so that a report stands alone.
};

/// An argument or local. Exactly one of value and reason is set.
struct Value {
  std::string name;
  std::string type;
  std::optional<std::string> value;   ///< As gdb prints it.
  std::optional<std::string> reason;  ///< Why there is none: "optimised out", "not readable", ...
};

/// The bytecode instruction at which a Python frame stands.
struct Instruction {
  int offset = 0;           ///< In bytes from the start of the code, as `dis` prints it.
  std::string opcode;       ///< Base opcode: BINARY_OP.
  std::string specialized;  ///< As found in memory: BINARY_OP_ADD_INT; equal to opcode when not specialised.
  int arg = 0;
  std::string argrepr;                                    ///< For BINARY_OP the operator ("**"); otherwise empty unless known.
  std::optional<int> line, end_line, column, end_column;  ///< Columns are byte offsets from 0, as in co_positions().
};

/// A code object as it was found, for annotate to decode: a producer may send this instead of `instruction`. annotate consumes and drops
/// it, so that finished records do not have it. In JSON the bytes are base64.
struct RawCode {
  std::vector<std::uint8_t> bytecode;    ///< As in memory: specialised opcodes and inline caches included.
  std::vector<std::uint8_t> line_table;  ///< co_linetable.
  int first_line = 0;
  std::vector<std::string> names;  ///< co_names.
  int instruction_offset = -1;     ///< Bytes from the start of the bytecode; -1 before the first instruction.
  std::uint32_t hex_version = 0;   ///< Py_Version, which says how to read the bytes.
};

struct PythonPart {
  std::string qualname;
  std::optional<int> first_line;
  std::optional<Instruction> instruction;
  std::optional<RawCode> code;
};

/// What would have to be there for more to be known.
struct Missing {
  std::string what;    ///< "libtorch_cpu.so has no debug information".
  std::string remedy;  ///< How to get it; may be empty.
};

struct Frame {
  std::optional<int> number;  ///< gdb's number; a Python frame has that of the evaluation frame that runs it; elided frames have none.
  Kind kind = Kind::native;
  Layer layer = Layer::unknown;
  std::string name;           ///< Short, for display: "wrapped", "pow_tensor_scalar_optimized_kernel", "lambda(float)".
  std::string full;           ///< Everything: demangled with parameters; the qualified name for Python.
  std::optional<int> module;  ///< Index into Recording::modules.
  std::optional<Source> source;
  std::optional<std::uint64_t> pc, offset;  ///< Hex strings in JSON. offset is the module offset.
  std::vector<Value> arguments, locals;
  std::optional<PythonPart> python;
  Confidence confidence = Confidence::exact;
  std::optional<Missing> missing;
  std::string evidence;  ///< For inferred and elided frames: how it is known that this ran.
};

/// One operation of the innermost user frame's statement that can call into C.
struct Operation {
  int offset = 0;
  std::string opcode, argrepr;
  std::optional<int> line, end_line, column, end_column;
  std::optional<int> mark_begin, mark_end;  ///< Columns to underline: the operation without its operands' own operations ("**3").
  std::string state;                        ///< "returned", "current" or "pending".
};

struct Fact {
  std::string name;      ///< "strides", "exponent", ...
  nlohmann::json value;  ///< Number, string, bool or array of these.
  std::string text;      ///< As it is shown: "{4, 8}".
  std::string unit;      ///< "bytes", "elements"; may be empty.
  int frame = 0;         ///< Index into Event::frames.
  std::string how;       ///< "argument strides", "template argument", "memory".
};

struct Decision {
  std::string id;        ///< "loop.lambda"
  int frame = 0;         ///< Index into Event::frames.
  std::string label;     ///< Stands before the options where they are shown in a row: "exp", "overridden?"; may be empty.
  std::string question;  ///< A whole sentence: "Is every stride equal to the element size, 4?"
  std::vector<std::string> options;
  std::string taken;               ///< One of options.
  std::vector<std::string> facts;  ///< Names of the facts it rests on.
  struct Elsewhere {
    std::string option, recording;
  };
  std::vector<Elsewhere> elsewhere;  ///< Recordings in which another option is taken.
};

struct Trigger {
  std::string kind;       ///< probe, watch, class-build, compile, import, audit, operator, line, manual
  std::string spec;       ///< What the user asked for.
  std::string condition;  ///< May be empty.
};

struct Thread {
  std::int64_t tid = 0;
  std::string name;
  bool has_python = false;
  std::string note;  ///< "no Python thread state", "interpreter 3.15 is not known: both stacks unmerged", ...
};

struct Event {
  Trigger trigger;
  Thread thread;
  bool complete = false;
  std::string incomplete_reason;
  std::vector<Frame> frames;  ///< Innermost first. A Python frame comes just before (inside) the evaluation frame that runs it.
  std::vector<Operation> operations;
  std::vector<Fact> facts;
  std::vector<Decision> decisions;
};

struct RecordedModule {
  std::string name, path, build_id;
  std::string debug;       ///< "full", "symbols" (.symtab only), "dynamic" (.dynsym only), "none"
  std::string debug_file;  ///< Detached file in use; may be empty.
  std::string advice;      ///< What to install or rebuild; may be empty.
};

struct Target {
  std::vector<std::string> argv;
  std::string executable;
  std::string python_version, python_build;  ///< "3.11.2", "release" or "debug"
  std::string cpu;
  std::string capability;  ///< Kernel capability in use ("AVX512"), empty if not known.
  std::string engine;      ///< "tensorlib", "torch", ...; empty if none was seen.
};

struct Producer {
  std::string name, version, route;  ///< route: "process" or "gdb"
};

struct Recording {
  Producer producer;
  Target target;
  std::vector<RecordedModule> modules;
  std::vector<Event> events;
};

/// JSON form. `from_json_text` throws Error naming the place (byte offset or JSON pointer) for text that is cut off, not JSON, of another
/// format, or breaks a rule of the schema. Unknown members are ignored.
std::string to_json_text(const Recording&);
Recording from_json_text(const std::string& text, const std::string& where);

/// Files. Both throw Error; a record is there whole or not at all (write_file.hpp).
void save(const Recording&, const std::string& path);
Recording load(const std::string& path);

std::string to_string(Kind);
std::string to_string(Layer);
std::string to_string(Confidence);

}  // namespace callpath
