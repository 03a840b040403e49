#include "session/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "annotate/rules.hpp"
#include "session/elided.hpp"
#include "session/tensors.hpp"
#include "tables/code.hpp"

namespace callpath::session {
namespace {

/// The interpreter and the C library: their arguments are kept, their locals and sources teach nothing here.
bool is_runtime(const Module& module) {
  for (const char* prefix : {"python3", "libpython3", "libc.so", "libc-", "ld-linux", "libpthread"})
    if (module.name().rfind(prefix, 0) == 0) return true;
  return false;
}

/// Of a recursion thousands of frames deep, the interpreter's arguments are kept for as many frames from the stop outward.
constexpr std::size_t interpreter_values = 256;

class Assembler {
 public:
  Assembler(Recording& recording, const Observed& observed)
      : recording_(recording), observed_(observed), values_(observed.symbols, observed.memory, &observed.stack.vectors) {
    values_.use_callers(observed.stack, observed.modules);
  }

  void assemble(Event& event);

 private:
  /// A physical frame with its names.
  struct Named {
    const Module* module = nullptr;
    std::vector<FunctionAt> chain;
    std::optional<tables::Extent> code;  ///< Known for functions without symbols only.
    int first_number = 0;                ///< gdb counts every inlined function as a frame.
    int physical_number() const { return first_number + static_cast<int>(chain.size()) - 1; }
  };

  void name_frames();
  void name_by_tables();
  PythonStack python_stack();
  void add_native(Event&, std::size_t index, std::vector<const MergedEntry*>& pythons);
  void add_function(Event&, std::size_t index, std::size_t depth);
  void add_python(Event&, const MergedEntry&, bool has_home);
  void add_elided(Event&, std::size_t index);
  void show_objects(std::vector<Value>&) const;
  void show_tensors(std::vector<Value>&, const Module&, const RawFrame&, std::size_t depth);
  bool at_entry(const Module&, const RawFrame&);
  int module_index(const Module&);
  void set_source(Frame&, const std::string& file, std::optional<int> line, bool excerpt);
  std::string absolute(const std::string& file) const;

  Recording& recording_;
  const Observed& observed_;
  Values values_;
  PythonStack python_;
  std::uint32_t hex_version_ = 0;
  std::optional<Interpreter> interpreter_;
  std::vector<Named> named_;
  std::map<std::pair<Address, std::string>, std::vector<Elided>> elided_;  ///< By return address and running function: recursions repeat.
  std::map<std::pair<std::string, int>, std::optional<Excerpt>> excerpts_;
};

void Assembler::name_frames() {
  int number = 0;
  for (const auto& raw : observed_.stack.frames) {
    Named named;
    named.module = find_module(observed_.modules, raw.lookup());
    if (named.module) {
      named.chain = observed_.symbols.at(*named.module, named.module->offset(raw.lookup()));
    } else {
      FunctionAt unknown;
      unknown.name = "??";
      unknown.full = fmt::format("{:#x}", raw.pc.value);
      unknown.confidence = Confidence::module;
      unknown.note = "code that lies in no file";
      named.chain = {unknown};
    }
    named.first_number = number;
    number += static_cast<int>(named.chain.size());
    named_.push_back(std::move(named));
  }
}

/// Functions without symbols, by the tables through which they were called.
void Assembler::name_by_tables() {
  std::vector<tables::Place> places;
  for (std::size_t i = 0; i < named_.size(); ++i) {
    const auto& raw = observed_.stack.frames[i];
    const auto& function = named_[i].chain.back();
    places.push_back({raw.pc, raw.lookup(), named_[i].module, function.name, function.full,
                      function.confidence == Confidence::module && named_[i].chain.size() == 1});
  }
  const auto names = observed_.tables.name(places, observed_.modules, observed_.memory, observed_.heap);
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (places[i].nameless && places[i].module)
      named_[i].code = observed_.tables.extent(*places[i].module, observed_.memory, places[i].lookup);
    if (!names[i]) continue;
    auto& function = named_[i].chain.back();
    function.name = names[i]->name, function.full = names[i]->full, function.note = names[i]->evidence;
    function.confidence = Confidence::inferred;
  }
}

PythonStack Assembler::python_stack() {
  interpreter_ = find_interpreter(observed_.modules, observed_.memory);
  const auto& interpreter = interpreter_;
  PythonStack stack;
  if (!interpreter) {
    stack.note = "no Python interpreter is loaded";
    return stack;
  }
  hex_version_ = interpreter->hex_version;
  stack = observed_.python ? *observed_.python : read_python_stack(*interpreter, observed_.memory, observed_.stack.tid);
  recording_.target.python_version = stack.version.empty() ? version_text(hex_version_) : stack.version;
  recording_.target.python_build = stack.build;
  if (!interpreter->supported && stack.note.empty()) stack.note = interpreter->why_not;
  return stack;
}

int Assembler::module_index(const Module& module) {
  auto& list = recording_.modules;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].path == module.path && list[i].build_id == module.build_id) return static_cast<int>(i);
  list.push_back(observed_.symbols.describe(module));
  return static_cast<int>(list.size()) - 1;
}

std::string Assembler::absolute(const std::string& file) const {
  if (file.empty() || file[0] == '<' || file[0] == '/') return file;
  return (std::filesystem::path(observed_.start_directory) / file).lexically_normal().string();
}

void Assembler::set_source(Frame& frame, const std::string& file, std::optional<int> line, bool excerpt) {
  frame.source = Source{file, line, std::nullopt};
  if (!excerpt || !line || file.empty() || file[0] == '<') return;
  auto key = std::make_pair(file, *line);
  if (!excerpts_.count(key)) excerpts_[key] = read_excerpt(file, *line);
  frame.source->excerpt = excerpts_[key];
}

void Assembler::add_function(Event& event, std::size_t index, std::size_t depth) {
  const Named& named = named_[index];
  const RawFrame& raw = observed_.stack.frames[index];
  const FunctionAt& function = named.chain[depth];
  Frame frame;
  frame.number = named.first_number + static_cast<int>(depth);
  frame.kind = function.inlined ? Kind::inlined : Kind::native;
  frame.name = function.name;
  frame.full = function.full;
  frame.confidence = function.confidence;
  frame.evidence = function.note;
  frame.pc = raw.pc.value;
  int place = static_cast<int>(event.frames.size());
  if (named.module) {
    const Module& module = *named.module;
    frame.module = module_index(module);
    frame.offset = module.offset(raw.pc).value;
    const auto& described = recording_.modules[static_cast<std::size_t>(*frame.module)];
    if (function.confidence != Confidence::exact && described.debug != "full")
      frame.missing = Missing{described.name + " has no debug information", described.advice};
    if (frame.missing && function.confidence == Confidence::module && observed_.tables.left_out())
      frame.missing->what +=
          fmt::format("; {} MB of the program's memory were not searched for a table that names it", observed_.tables.left_out() >> 20);
    if (function.file) set_source(frame, *function.file, function.line, !is_runtime(module));
    bool runtime = is_runtime(module);
    if (!runtime || index < interpreter_values) frame.arguments = values_.arguments(module, raw, depth);
    if (!runtime) frame.locals = values_.locals(module, raw, depth);
    for (auto* values : {&frame.arguments, &frame.locals}) {
      show_objects(*values);
      show_tensors(*values, module, raw, depth);
    }
    if (frame.arguments.empty() && index == 0 && function.confidence == Confidence::symbol && at_entry(module, raw))
      frame.arguments = torch_arguments(observed_.modules, observed_.memory, function.full, raw.registers);
    auto facts = read_facts(function.full, values_, module, raw, depth, place);
    event.facts.insert(event.facts.end(), facts.begin(), facts.end());
  }
  event.frames.push_back(std::move(frame));
}

/// "(PyObject *) 0x7f12" says little: what the object is follows.
void Assembler::show_objects(std::vector<Value>& values) const {
  static const Pattern object_pointer("^(const )?_?Py\\w*Object \\*( const)?$");
  for (auto& value : values) {
    if (!interpreter_ || !value.value || !object_pointer.found_in(value.type)) continue;
    const auto at = value.value->rfind("0x");
    const Address object{at == std::string::npos ? 0 : std::strtoull(value.value->c_str() + at, nullptr, 16)};
    if (!object) continue;
    if (const auto text = short_repr(*interpreter_, observed_.memory, object)) *value.value += " " + *text;
  }
}

/// The engine's tensors and PyTorch's, where debug information says that they are there.
void Assembler::show_tensors(std::vector<Value>& values, const Module& module, const RawFrame& raw, std::size_t depth) {
  static const Pattern engine("^(const )?tensorlib::(Borrowed)?Tensor( const)?( ?&)?$"), torch("^(const )?at::Tensor( const)?( ?&)?$");
  for (auto& value : values) {
    if (!value.value) continue;
    std::optional<SeenTensor> tensor;
    if (engine.found_in(value.type)) tensor = read_engine_tensor(values_, module, raw, depth, value.name);
    if (torch.found_in(value.type))
      if (const auto impl = values_.evaluate(module, raw, depth, value.name + ".impl_.target_"); impl && impl->bits)
        tensor = read_torch_tensor(observed_.modules, observed_.memory, {*impl->bits});
    if (tensor) *value.value = text_of(*tensor, observed_.memory);
  }
}

bool Assembler::at_entry(const Module& module, const RawFrame& raw) {
  const auto code = observed_.tables.extent(module, observed_.memory, raw.lookup());
  return raw.exact_pc && code && tables::keeps_arguments(observed_.memory, code->begin, raw.pc);
}

void Assembler::add_python(Event& event, const MergedEntry& entry, bool has_home) {
  const PythonFrame& python = python_.runs[entry.run].frames[entry.frame];
  Frame frame;
  if (has_home) frame.number = named_[entry.native].physical_number();
  frame.kind = Kind::python;
  frame.name = python.code.name;
  frame.full = python.code.qualname;
  auto code = raw_code(python, hex_version_);
  auto instruction = decode_instruction(code, python.instruction_offset);
  set_source(frame, absolute(python.code.file), instruction ? instruction->line : std::optional<int>(python.code.first_line), true);
  frame.python = PythonPart{python.code.qualname, python.code.first_line, instruction, code};
  event.frames.push_back(std::move(frame));
}

/// The functions between a frame and its caller that left no frame.
void Assembler::add_elided(Event& event, std::size_t index) {
  if (index + 1 >= named_.size()) return;
  const RawFrame& caller = observed_.stack.frames[index + 1];
  if (!named_[index].module || !named_[index + 1].module || caller.exact_pc) return;
  auto [known, is_new] = elided_.try_emplace({caller.pc, named_[index].chain.back().full});
  if (is_new)
    known->second = elided_between(observed_.symbols, observed_.modules, observed_.memory, named_[index].chain, named_[index].code,
                                   named_[index + 1].chain.front().name, caller.pc);
  for (const auto& elided : known->second) {
    event.frames.push_back(elided.frame);
    event.frames.back().module = module_index(*elided.module);
  }
}

/// Inlined functions first, then the Python frames that this evaluation runs, then the evaluation itself, then what left by a jump into it.
void Assembler::add_native(Event& event, std::size_t index, std::vector<const MergedEntry*>& pythons) {
  std::size_t physical = named_[index].chain.size() - 1;
  for (std::size_t depth = 0; depth < physical; ++depth) add_function(event, index, depth);
  for (const auto* entry : pythons) add_python(event, *entry, entry->native == index);
  pythons.clear();
  add_function(event, index, physical);
  add_elided(event, index);
}

void Assembler::assemble(Event& event) {
  python_ = python_stack();
  name_frames();
  name_by_tables();
  Merged merged = merge_by_address(observed_.stack, python_);
  event.thread.tid = observed_.stack.tid;
  event.thread.name = observed_.thread_name;
  event.thread.has_python = python_.found;
  event.thread.note = python_.note;
  if (!merged.note.empty()) event.thread.note += (event.thread.note.empty() ? "" : "; ") + merged.note;
  event.complete = observed_.stack.complete;
  event.incomplete_reason = observed_.stack.incomplete_reason;
  std::vector<const MergedEntry*> waiting;
  for (const auto& entry : merged.order) {
    if (entry.what == MergedEntry::What::native)
      add_native(event, entry.native, waiting);
    else if (merged.merged)
      waiting.push_back(&entry);
    else
      add_python(event, entry, false);
  }
  for (const auto* entry : waiting) add_python(event, *entry, false);
}

}  // namespace

Event& add_event(Recording& recording, const Observed& observed, const Trigger& trigger) {
  Event event;
  event.trigger = trigger;
  Assembler(recording, observed).assemble(event);
  recording.events.push_back(std::move(event));
  return recording.events.back();
}

}  // namespace callpath::session
