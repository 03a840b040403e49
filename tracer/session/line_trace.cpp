#include "session/line_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "annotate/annotate.hpp"
#include "annotate/rules.hpp"
#include "core/error.hpp"
#include "session/assemble.hpp"

namespace callpath::session {
namespace {

namespace fs = std::filesystem;

constexpr int most_stops = 100'000;
constexpr std::chrono::seconds longest{60};
constexpr std::size_t most_stack = 8 << 20;

/// What makes one path better than another before their depth does.
enum Score : int { nothing, bookkeeping, in_interpreter, in_extension, kernel };

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string absolute(const std::string& file, const std::string& directory) {
  return (fs::path(directory) / file).lexically_normal().string();
}

/// Memory with the stack as it was: the frames of the captured path have been left or overwritten since.
class WithStack : public Memory {
 public:
  WithStack(const Memory& memory, Address begin, const std::vector<std::uint8_t>& bytes) : memory_(memory), begin_(begin), bytes_(bytes) {}
  bool read(Address from, void* to, std::size_t size) const override {
    // Addresses are not to be trusted: no sums of theirs, which could overflow.
    const bool inside = from >= begin_ && size <= bytes_.size() && from.value - begin_.value <= bytes_.size() - size;
    if (!inside && !memory_.read(from, to, size)) return false;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t at = from.value + i - begin_.value;  // huge below the stack's copy
      if (at < bytes_.size()) static_cast<std::uint8_t*>(to)[i] = bytes_[at];
    }
    return true;
  }

 private:
  const Memory& memory_;
  Address begin_;
  const std::vector<std::uint8_t>& bytes_;
};

std::vector<std::uint8_t> copy_stack(const Memory& memory, const RawStack& stack) {
  const Address begin = stack.frames.front().sp;
  Address end = begin;
  for (const auto& frame : stack.frames) end = std::max(end, std::max(frame.sp, frame.cfa));
  std::vector<std::uint8_t> bytes(std::min<std::size_t>(end.value - begin.value, most_stack));
  while (!bytes.empty() && !memory.read(begin, bytes.data(), bytes.size())) bytes.resize(bytes.size() / 2);
  return bytes;
}

}  // namespace

/// A stop that may become the operation's path, with what must be read before the thread goes on.
struct LineTrace::Candidate {
  Operation* operation = nullptr;
  int score = 0;
  RawStack stack;
  PythonStack python;
  std::vector<std::uint8_t> stack_bytes;
};

struct LineTrace::Operation {
  int offset = 0;
  std::string opcode;
  bool counts_for_reader = false;
  int score = 0;
  std::size_t depth = 0;
  std::optional<Event> event;
  int frame = 0;  ///< Of the line, in the event.
  std::vector<CallFollower::Count> counts;
};

bool LineTrace::shown(const Operation& operation) { return operation.counts_for_reader || operation.score >= in_extension; }

std::optional<LineSpec> LineSpec::parse(const std::string& text, const std::string& script) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size() || text.size() - colon > 9) return std::nullopt;
  const std::string digits = text.substr(colon + 1);
  if (!std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c); })) return std::nullopt;
  LineSpec spec{text, text.substr(0, colon), std::stoi(digits)};
  if (!ends_with(spec.file, ".py") && (script.empty() || spec.file != script)) return std::nullopt;
  if (spec.line == 0) throw Error(fmt::format("{}: lines count from 1", text));
  std::error_code none;
  if (fs::exists(spec.file, none)) spec.exact = true, spec.file = fs::absolute(spec.file).lexically_normal().string();
  return spec;
}

bool LineSpec::names(const std::string& other, const std::string& start_directory) const {
  const auto path = absolute(other, start_directory);
  if (!exact) return path == file || ends_with(path, "/" + file);
  std::error_code none;
  return path == file || fs::equivalent(path, file, none);
}

LineTrace::LineTrace(LineSpec spec, int executions, Host host)
    : spec_(std::move(spec)),
      executions_left_(executions),
      host_(host),
      follower_(host.probes, host.shared, host.memory, host.modules, host.symbols),
      watch_(host.shared, host.pid) {}

LineTrace::~LineTrace() = default;

void LineTrace::look_at_modules() {
  if (interpreter_) return;
  auto found = find_interpreter(host_.modules.modules(), host_.memory);
  if (!found) return;
  interpreter_module_ = *found->module;
  found->module = &interpreter_module_;
  if (!found->supported) throw Error(fmt::format("lines cannot be followed: {}", found->why_not), "Use a CPython of version 3.11 to 3.13.");
  const auto evaluation = host_.symbols.find(interpreter_module_, "_PyEval_EvalFrameDefault");
  const auto code = host_.symbols.find(interpreter_module_, "PyEval_EvalCode");
  if (evaluation.empty() || code.empty())
    throw Error(
        fmt::format("lines cannot be followed: {} does not export _PyEval_EvalFrameDefault and PyEval_EvalCode", interpreter_module_.path));
  interpreter_ = found;
  evaluation_ = interpreter_module_.address(evaluation.front().entry);
  code_probe_ = host_.probes.add(interpreter_module_.address(code.front().entry), false);
  host_.probes.arm(*code_probe_);
}

bool LineTrace::owns(Probes::Number number) const { return (code_probe_ && *code_probe_ == number) || follower_.owns(number); }

void LineTrace::on_probe(Probes::Number number) {
  constexpr std::size_t rdi = 5;
  if (code_probe_ && number == *code_probe_ && statements_.empty()) on_code({host_.shared->stop.registers[rdi]});
  if (follower_.owns(number)) go_on(number);
}

/// The code of a file is about to run: its functions' and classes' code objects hang on it.
void LineTrace::on_code(Address code) {
  const auto file = code_file(*interpreter_, host_.memory, code);
  if (!file || !spec_.names(*file, host_.start_directory)) return;
  outcome_.loaded = true;
  auto search = find_line(*interpreter_, host_.memory, code, spec_.line);
  if (search.statements.empty()) {
    outcome_.next_line = search.next_line;
    const std::string next = search.next_line ? fmt::format("; the next that does is {}", *search.next_line) : ", nor does any after it";
    throw Error(
        fmt::format("{}: line {} holds no code{}", fs::path(*file).filename().string(), spec_.line, next),
        search.next_line ? fmt::format("Point there: --at {}:{}", spec_.text.substr(0, spec_.text.rfind(':')), *search.next_line) : "");
  }
  outcome_.has_code = true;
  // Code that is defined on the line runs inside an operation of the line, if it has one.
  const auto outermost =
      std::find_if(search.statements.begin(), search.statements.end(), [](const auto& s) { return s.range.has_operations; });
  statements_ = {outermost != search.statements.end() ? *outermost : search.statements.front()};
  if (outermost != search.statements.end())
    for (auto other = outermost + 1; other != search.statements.end(); ++other)
      if (other->range.has_operations && other->code == outermost->code && statements_.size() < most_watched) statements_.push_back(*other);
  host_.probes.disarm(*code_probe_);
  watch_line();
}

void LineTrace::watch_line() {
  std::vector<WatchedPlace> places;
  for (const auto& statement : statements_) places.push_back({statement.first_unit, 2});
  watch_.set(places);
}

/// Somebody read or wrote the line's first instruction: the evaluation that is about to run it, or whoever else looks at code.
void LineTrace::on_watch() {
  if (done_) return;
  const auto tid = static_cast<pid_t>(host_.shared->stop.tid);
  const LivePython python(*interpreter_, host_.memory, tid);
  const auto frame = python.current_frame();
  const auto place = frame ? python.place(*frame) : std::nullopt;
  if (!place) return;
  const auto statement = std::find_if(statements_.begin(), statements_.end(),
                                      [&](const auto& s) { return s.code == place->code && place->offset < s.range.end; });
  if (state_ != State::waiting) {
    // The same frame comes to its line anew: what was followed has ended.
    const bool again = state_ == State::running && tid == tid_ && frame == frame_ && current_;
    if (!again) return;
    end_execution();
    if (done_) return;
  }
  const bool evaluates = statement != statements_.end() ||
                         std::any_of(statements_.begin(), statements_.end(), [&](const auto& s) { return s.code == place->code; });
  if (!evaluates) return;
  begin(tid, *frame);
}

void LineTrace::begin(pid_t tid, Address frame) {
  outcome_.ran = true;
  state_ = State::starting;
  tid_ = tid;
  frame_ = frame;
  python_.emplace(*interpreter_, host_.memory, tid);
  stops_ = 0;
  began_ = std::chrono::steady_clock::now();
  operations_.clear();
  current_ = nullptr;
  follower_.begin(tid, evaluation_, evaluation_);
}

/// The instruction that an offset lies in: a frame that called Python code stands in the call's inline caches.
const FoundStatement::Begin& LineTrace::instruction_at(int offset) const {
  const auto& all = statement_->instructions;
  const auto after = std::upper_bound(all.begin(), all.end(), offset, [](int o, const auto& begin) { return o < begin.offset; });
  return after == all.begin() ? all.front() : *(after - 1);
}

void LineTrace::go_on(Probes::Number number) {
  if (state_ == State::waiting) return;
  const auto place = python_->place(frame_);
  const bool same_code = place && std::any_of(statements_.begin(), statements_.end(), [&](const auto& s) { return s.code == place->code; });
  const auto statement = std::find_if(statements_.begin(), statements_.end(),
                                      [&](const auto& s) { return place && s.code == place->code && s.range.holds(place->offset); });
  const bool live = same_code && python_->runs(frame_);
  if (state_ == State::starting && live && statement == statements_.end()) return;  // The line has not begun yet.
  if (!live || statement == statements_.end()) return end_execution();
  state_ = State::running;
  statement_ = &*statement;
  const auto& instruction = instruction_at(place->offset);
  if (!current_ || current_->offset != instruction.operation) {
    if (current_) current_->counts = follower_.counts();
    assemble_waiting();
    current_ = &operations_[instruction.operation];
    current_->offset = instruction.operation;
    current_->opcode = instruction.opcode;
    current_->counts_for_reader = instruction.counts;
    follower_.next_operation();
  }
  if (const auto function = follower_.on_hit(number)) consider(*function);
  if (++stops_ >= most_stops)
    give_up(fmt::format("after {} stops", most_stops));
  else if (std::chrono::steady_clock::now() - began_ > longest)
    give_up(fmt::format("after {} s", longest.count()));
}

std::string LineTrace::name_of(Address function) {
  const Module* module = find_module(host_.modules.modules(), function);
  if (!module) return fmt::format("{:#x}", function.value);
  const auto at = host_.symbols.at(*module, module->offset(function)).back();
  return at.confidence == Confidence::module ? fmt::format("{}+{:#x}", module->name(), module->offset(function).value) : at.full;
}

int LineTrace::score(Address function, const RawStack& stack) {
  const Module* module = find_module(host_.modules.modules(), function);
  if (!module) return bookkeeping;
  if (follower_.kind(*module) == CodeKind::interpreter) {
    static const Pattern allocation(
        "^_?Py(Object|Mem)_(Raw)?(Malloc|Calloc|Realloc|Free)|^_Py_NewReference|^_Py_Dealloc|^(pymalloc|_PyMem)_");
    return allocation.found_in(host_.symbols.at(*module, module->offset(function)).back().full) ? bookkeeping : in_interpreter;
  }
  if (follower_.kind(*module) == CodeKind::runtime) return bookkeeping;
  const auto layer_of = [&](const Module& m, Address at, bool* named) {
    const auto f = host_.symbols.at(m, m.offset(at)).back();
    if (named) *named = f.confidence != Confidence::module;
    return native_layer(f.full, m.name(), f.file.value_or(""));
  };
  bool named = false;
  const Layer layer = layer_of(*module, function, &named);
  if (layer == Layer::kernel) return kernel;
  if (layer == Layer::runtime) return in_interpreter;
  if (named || stack.frames.size() < 2) return in_extension;
  // Code without a name that a loop calls is the loop's body.
  const Address caller = stack.frames[1].lookup();
  const Module* around = find_module(host_.modules.modules(), caller);
  return around && layer_of(*around, caller, nullptr) == Layer::loop ? kernel : in_extension;
}

void LineTrace::consider(Address function) {
  const std::size_t depth = host_.shared->stop.frame_count;
  if (depth == 0) return;
  RawStack top;
  if (depth > 1) {
    top.frames.resize(2);
    top.frames[1].pc = {host_.shared->frames[1].pc};
    top.frames[1].exact_pc = host_.shared->frames[1].exact_pc;
  }
  const int rank = score(function, top);
  Operation& operation = *current_;
  if (rank < operation.score || (rank == operation.score && depth <= operation.depth)) {
    assemble_waiting();
    return;
  }
  operation.score = rank;
  operation.depth = depth;
  waiting_ = std::make_unique<Candidate>();
  waiting_->operation = &operation;
  waiting_->stack = raw_stack(*host_.shared);
  waiting_->python = read_python_stack(*interpreter_, host_.memory, tid_);
  waiting_->stack_bytes = copy_stack(host_.memory, waiting_->stack);
}

/// Names and values are read as soon as the path grows no deeper: later what its arguments point to may be gone.
void LineTrace::assemble_waiting() {
  if (!waiting_) return;
  const auto candidate = std::move(waiting_);
  const WithStack memory(host_.memory, candidate->stack.frames.front().sp, candidate->stack_bytes);
  const pid_t pid = host_.pid;
  Observed observed{candidate->stack,
                    host_.modules.modules(),
                    memory,
                    host_.symbols,
                    host_.tables,
                    [pid] { return heap_of(pid); },
                    thread_name(pid, tid_),
                    host_.start_directory,
                    &candidate->python};
  add_event(host_.recording, observed, {"line", spec_.text, ""});
  Operation& operation = *candidate->operation;
  operation.event = std::move(host_.recording.events.back());
  host_.recording.events.pop_back();
  // Python frames stand in the event in the order in which they were read.
  std::size_t wanted = 0, seen = 0;
  bool found = false;
  for (const auto& run : candidate->python.runs)
    for (const auto& frame : run.frames) {
      if (frame.address == frame_) found = true;
      if (!found) ++wanted;
    }
  operation.frame = 0;
  for (std::size_t i = 0; found && i < operation.event->frames.size(); ++i)
    if (operation.event->frames[i].kind == Kind::python && seen++ == wanted) operation.frame = static_cast<int>(i);
}

void LineTrace::end_execution() {
  if (current_) current_->counts = follower_.counts();
  assemble_waiting();
  follower_.end();
  const bool saw_it = state_ == State::running;
  state_ = State::waiting;
  if (!saw_it) return;
  append_events();
  current_ = nullptr;
  operations_.clear();
  if (--executions_left_ > 0) return;
  done_ = true;
  watch_.clear();
}

void LineTrace::give_up(const std::string& why) {
  outcome_.stopped_early = why;
  end_execution();
}

std::vector<Fact> LineTrace::facts_of(const Operation& operation, int frame) {
  std::vector<Fact> facts;
  nlohmann::json names = nlohmann::json::array();
  for (const auto& count : operation.counts)
    names.push_back(fmt::format("{}{}{}", name_of(count.function), count.entered > 1 ? fmt::format(" x{}", count.entered) : "",
                                count.more ? " or more" : ""));
  const auto entered = operation.counts.size();
  facts.push_back({"functions_entered", entered, std::to_string(entered), "functions", frame, "breakpoints at their entries"});
  facts.push_back({"functions", names, fmt::format("{} names", entered), "", frame, "breakpoints at their entries"});
  auto skipped = follower_.skipped();
  if (const auto others = left_out(); !others.empty()) skipped.push_back(others + ": only functions of the interpreter were entered");
  if (!skipped.empty())
    facts.push_back({"not_followed", skipped, fmt::format("{}", skipped.front()), "", frame, "breakpoints at their entries"});
  if (!outcome_.stopped_early.empty())
    facts.push_back({"stopped_following", outcome_.stopped_early, outcome_.stopped_early, "", frame, "the session's bounds"});
  return facts;
}

/// Instructions that are no operations to a reader, and stayed in the interpreter: "LOAD_NAME x3, STORE_NAME".
std::string LineTrace::left_out() const {
  std::map<std::string, int> opcodes;
  for (const auto& [offset, operation] : operations_)
    if (!shown(operation)) ++opcodes[operation.opcode];
  std::string text;
  for (const auto& [opcode, count] : opcodes)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", opcode, count > 1 ? fmt::format(" x{}", count) : "");
  return text;
}

void LineTrace::append_events() {
  for (auto& [offset, operation] : operations_) {
    if (!operation.event || !shown(operation)) continue;
    auto facts = facts_of(operation, operation.frame);
    operation.event->facts.insert(operation.event->facts.end(), facts.begin(), facts.end());
    host_.recording.events.push_back(std::move(*operation.event));
    ++events_;
  }
}

void LineTrace::finish() {
  if (state_ != State::waiting) end_execution();
  watch_.clear();
}

}  // namespace callpath::session
