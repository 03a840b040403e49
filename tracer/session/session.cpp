#include "session/session.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "annotate/annotate.hpp"
#include "core/cpu_name.hpp"
#include "core/error.hpp"
#include "python/frames.hpp"
#include "session/assemble.hpp"
#include "session/channel.hpp"
#include "session/condition.hpp"
#include "session/event_stacks.hpp"
#include "session/function_code.hpp"
#include "session/operators.hpp"
#include "session/probes.hpp"
#include "session/stopped.hpp"
#include "session/targets.hpp"
#include "session/tensor_memory.hpp"
#include "session/untouchable.hpp"
#include "session/watch_expression.hpp"

namespace callpath::session {
namespace {

/// Every frame but one lacks the variable: what is wrong in that one says more.
bool is_absence(const std::string& reason) { return reason.rfind("there is no variable", 0) == 0; }

bool is_system_file(const std::string& path) {
  return path.rfind("/usr/lib/", 0) == 0 || path.rfind("/lib/", 0) == 0 || path.rfind("/lib64/", 0) == 0;
}

/// One thing that the user asked for.
struct Wanted {
  TargetSpec spec;
  Trigger trigger;
  const EventSpec* event = nullptr;  ///< Of CPython's own events; null for a probe of the user's.
  std::size_t places = 0;            ///< Where it was found, refused places included.
};

std::vector<Wanted> all_wanted(const RunOptions& options) {
  std::vector<Wanted> all;
  for (const auto& at : options.at) all.push_back({TargetSpec::parse(at), {"probe", at, options.condition}, nullptr});
  for (const auto& event : options.events)
    if (event.kind->is_operators())
      all.push_back({{}, {event.kind->trigger, event.text(), ""}, &event});
    else
      all.push_back({TargetSpec::parse(event.kind->function), {event.kind->trigger, event.text(), ""}, &event});
  return all;
}

/// The program is asked for its attention by whoever called us, who must let us at its memory first.
pid_t attach(const Attachment& to, SharedMemory& shared) {
  shared->session_is_child = 1;
  to.on_memory(shared.descriptor());
  return to.pid;
}

class Session {
 public:
  explicit Session(const RunOptions& options)
      : options_(options),
        wanted_(all_wanted(options)),
        condition_(Condition::parse(options.condition)),
        start_directory_(std::filesystem::current_path().string()),
        pid_(options.attach ? attach(*options.attach, shared_) : start(options.launch, shared_, signals_)),
        memory_(pid_),
        table_(pid_, memory_),
        channel_(shared_, pid_, options.attach ? Channel::Program::attached : Channel::Program::child),
        probes_(shared_, channel_, memory_, table_, pid_),
        unprobed_(memory_, probes_),
        data_watch_(shared_, pid_) {
    if (!options.watch.empty()) watch_ = WatchExpression::parse(options.watch);
    if (const auto line = options.line.empty() ? std::nullopt : LineSpec::parse(options.line, options.script))
      line_.emplace(*line, options.limit,
                    LineTrace::Host{shared_, probes_, unprobed_, table_, symbols_, tables_, pid_, start_directory_, recording_});
  }

  Outcome run();

 private:
  struct Gate {
    std::vector<Probes::Number> targets;
    pid_t opened_by = 0;  ///< The thread in which its condition held last; 0: closed.
  };

  void hello();
  void follow();
  void on_stop();
  bool on_line_stop();
  void begin_watch(const RawStack&);
  bool probe_iterators();
  void on_iterator();
  void on_loop_body();
  void on_watched();
  void on_loader();
  void on_gate(Gate&);
  void on_target(Probes::Number);
  std::optional<Fact> wants_event(const Wanted&, const RawStack&);
  bool wants_hit(const RawStack&);
  bool program_began(const RawStack&);
  void look_at_new_modules();
  void set_places(const Module&);
  void set_places(const Module&, std::size_t wanted);
  bool may_hold(const Module&, const Wanted&) const;
  void check_address(Address) const;
  void tell_agent_modules();
  void set_operator_hook(const Module&);
  RawStack stack_at_operator() const;
  void on_operator();
  void arm_target(const Place&, std::size_t wanted);
  Condition::Answer ask(const RawStack&, std::string* why_not);
  std::optional<std::string> python_text(Address object);
  std::optional<Evaluated> look_up(const RawStack&, Values&, const std::string& path, std::string* why_not);
  void record(const RawStack&, const Trigger&, const std::optional<Fact>&);
  void finish();
  Outcome outcome(int status);

  const RunOptions& options_;
  std::vector<Wanted> wanted_;
  Condition condition_;
  std::string start_directory_;
  SharedMemory shared_;
  SignalsForProgram signals_;
  pid_t pid_;
  ProcessMemory memory_;
  ModuleTable table_;
  Channel channel_;
  Probes probes_;
  OperatorHooks operators_{shared_, memory_};
  UnprobedMemory unprobed_;
  DataWatch data_watch_;
  std::optional<WatchExpression> watch_;
  std::optional<WatchTarget> watched_;
  std::string watch_refusal_;           ///< Why the processor does not watch.
  std::set<Probes::Number> iterators_;  ///< Then these are asked for the loop's body.
  std::optional<Probes::Number> loop_body_;
  Symbols symbols_;
  tables::TableNames tables_{symbols_};

  std::optional<LoaderBreak> loader_;
  std::optional<Probes::Number> loader_probe_;
  std::map<Probes::Number, Gate> gates_;
  std::map<Probes::Number, std::set<std::size_t>> targets_;  ///< Which of wanted_ a probe serves.
  std::set<std::string> looked_at_;                          ///< Files by bias and identity.
  std::map<std::string, Module> seen_;                       ///< Every file that was ever loaded.
  std::string error_, error_mend_, refusal_mend_;
  bool finished_ = false, delivered_ = false, began_ = false;
  Recording recording_;
  std::optional<LineTrace> line_;
  Outcome outcome_;
};

void Session::tell_agent_modules() {
  auto ranges = table_.ranges();
  std::size_t count = std::min(ranges.size(), capture::max_modules);
  std::copy_n(ranges.begin(), count, shared_->modules);
  shared_->module_count = static_cast<std::uint32_t>(count);
  shared_->module_version.fetch_add(1, std::memory_order_release);
}

void Session::arm_target(const Place& place, std::size_t wanted) {
  auto number = probes_.add(place.address, true);
  targets_[number].insert(wanted);
  if (place.gate) {
    auto gate = probes_.add(*place.gate, true);
    if (gate != number) {
      gates_[gate].targets.push_back(number);
      probes_.arm(gate);
      return;
    }
  }
  probes_.arm(number);
}

/// CPython's events happen in the interpreter only; looking for them elsewhere would cost reading every file's symbols.
bool Session::may_hold(const Module& module, const Wanted& wanted) const {
  if (!wanted.event) return true;
  if (wanted.event->kind->is_operators()) return false;
  const auto interpreter = find_interpreter(table_.modules(), memory_);
  return interpreter && interpreter->module->path == module.path;
}

/// A breakpoint in the middle of an instruction would make another one of it.
void Session::check_address(Address address) const {
  const LoadedModule* loaded = table_.find(address);
  const auto range = loaded ? function_around(unprobed_, loaded->range, address) : std::nullopt;
  if (range && begins_instruction(unprobed_, *range, address)) return;
  throw CannotProbe(
      fmt::format("no probe can be set at {:#x}: {}", address.value,
                  range ? "no instruction begins there" : "no function is known to be there, so neither where its instructions begin"),
      "Give the address of an instruction, as a disassembler or a record shows it.");
}

void Session::set_places(const Module& module, std::size_t index) {
  Wanted& wanted = wanted_[index];
  if (!may_hold(module, wanted)) return;
  const PlaceOptions options{!wanted.event && !condition_.always(), !wanted.event};
  for (const auto& place : find_places(symbols_, module, wanted.spec, options)) {
    ++wanted.places;
    try {
      if (const auto why = why_untouchable(module, place.function))
        throw CannotProbe(*why, "Choose what it runs: the thread's own function, or the caller that makes the thread.");
      if (wanted.spec.address) check_address(place.address);
      arm_target(place, index);
      ++outcome_.places;
    } catch (const CannotProbe& refusal) {
      outcome_.refused.push_back(fmt::format("{}: {}", place.function.full, refusal.what()));
      if (refusal_mend_.empty()) refusal_mend_ = refusal.mend();
    }
  }
}

void Session::set_places(const Module& module) {
  if (module.path == "[vdso]" || module.contains({shared_->agent_begin})) return;
  for (std::size_t index = 0; index < wanted_.size(); ++index) set_places(module, index);
  set_operator_hook(module);
}

void Session::set_operator_hook(const Module& module) {
  const auto is_operators = [](const Wanted& wanted) { return wanted.event && wanted.event->kind->is_operators(); };
  if (std::none_of(wanted_.begin(), wanted_.end(), is_operators) || !operators_.set(module)) return;
  ++outcome_.places;
  for (auto& wanted : wanted_)
    if (is_operators(wanted)) ++wanted.places;
}

/// The agent's own frames are none of the program's.
RawStack Session::stack_at_operator() const {
  RawStack stack = raw_stack(*shared_);
  const Module* agent = find_module(table_.modules(), {shared_->agent_begin});
  auto& frames = stack.frames;
  frames.erase(frames.begin(),
               std::find_if(frames.begin(), frames.end(), [&](const RawFrame& f) { return !agent || !agent->contains(f.pc); }));
  return stack;
}

void Session::on_operator() {
  ++outcome_.stops.target;
  const std::string name = shared_->stop.operator_name;
  for (const auto& wanted : wanted_) {
    if (!wanted.event || !wanted.event->kind->is_operators() || !wanted.event->wants(name)) continue;
    record(stack_at_operator(), wanted.trigger, Fact{"operator", name, name, "", 0, "told by the library"});
    if (outcome_.events >= options_.limit) return finish();
  }
}

void Session::look_at_new_modules() {
  if (!table_.refresh()) return;
  std::size_t places_before = outcome_.places;
  probes_.drop_unloaded();
  tell_agent_modules();
  std::set<std::string> now;
  for (const auto& module : table_.modules()) {
    std::string key = fmt::format("{:x} {} {}", module.bias, module.path, module.build_id);
    now.insert(key);
    seen_.emplace(module.path, module);
    if (!looked_at_.count(key)) set_places(module);
  }
  looked_at_ = std::move(now);
  if (line_) line_->look_at_modules();
  if (outcome_.places == places_before && places_before == 0 && !outcome_.refused.empty())
    throw Error(outcome_.refused.front(), refusal_mend_);
}

void Session::hello() {
  // Without the agent's word nothing is known to hold: the program would run, but untraced.
  operators_.want(options_.events);
  if (!channel_.wait_for_stop() || shared_->stop.kind != agent::StopKind::hello)
    throw Error(fmt::format("{} ran without callpath's agent, or ended before it could start", options_.launch.executable),
                "Is it a dynamically linked program that may be preloaded (not setuid)?");
  look_at_new_modules();
  loader_ = find_loader_break(table_.modules(), memory_, proc_link(pid_, "exe"));
  if (!loader_) throw Error("the program's loader cannot be found", "callpath needs a program that is linked dynamically with glibc.");
  loader_probe_ = probes_.add(loader_->function, false);
  probes_.arm(*loader_probe_);
}

void Session::on_loader() {
  ++outcome_.stops.loader;
  constexpr int consistent = 0;  // r_debug::RT_CONSISTENT
  auto state = memory_.get<int>(loader_->state);
  if (state && *state == consistent) look_at_new_modules();
}

/// The variable of the frame nearest to the stop that has it. From a kernel outward, not into the interpreter: its variables are no answer.
std::optional<Evaluated> Session::look_up(const RawStack& stack, Values& values, const std::string& path, std::string* why_not) {
  std::string reason;
  const Module* start = nullptr;
  for (const auto& raw : stack.frames) {
    const Module* module = find_module(table_.modules(), raw.lookup());
    if (!module) continue;
    if (!start) start = module;
    if (module != start && module->name().find("python3") != std::string::npos) break;
    std::size_t depths = symbols_.at(*module, module->offset(raw.lookup())).size();
    for (std::size_t depth = 0; depth < depths; ++depth) {
      std::string why;
      if (auto found = values.evaluate(*module, raw, depth, path, &why)) return found;
      if (reason.empty() || (is_absence(reason) && !is_absence(why))) reason = why;
    }
  }
  if (why_not) *why_not = reason.empty() ? "no frame has such a variable" : reason;
  return std::nullopt;
}

Condition::Answer Session::ask(const RawStack& stack, std::string* why_not) {
  if (condition_.always()) return Condition::Answer::yes;
  Values values(symbols_, memory_, &stack.vectors);
  auto value = [&](const std::string& path, std::string* why) {
    auto found = look_up(stack, values, path, why);
    if (found && found->bits && found->value.is_null())  // A pointer: perhaps to a str.
      if (auto text = python_text(Address{*found->bits})) found->value = *text;
    return found;
  };
  return condition_.holds(value, why_not);
}

/// A str of Python's, so that a condition can compare it: `name == "Tensor"`.
std::optional<std::string> Session::python_text(Address object) {
  const auto interpreter = find_interpreter(table_.modules(), memory_);
  return interpreter ? read_python_text(*interpreter, memory_, object) : std::nullopt;
}

/// The lambda runs once an element, the function around it once a call: that is where the condition is asked first. It is asked again at
/// the lambda's own hit.
void Session::on_gate(Gate& gate) {
  ++outcome_.stops.gate;
  RawStack stack = raw_stack(*shared_);
  RawStack own = stack;
  if (own.frames.size() > 1) own.frames.resize(1);  // The variable must be the gate's own, or its answer says nothing of the lambda.
  auto tid = static_cast<pid_t>(stack.tid);
  std::string ignored;
  switch (ask(own, &ignored)) {
    case Condition::Answer::yes:
      gate.opened_by = tid;
      for (auto target : gate.targets) probes_.arm(target);
      break;
    case Condition::Answer::no:
      if (gate.opened_by != tid && gate.opened_by != 0) break;
      gate.opened_by = 0;
      for (auto target : gate.targets) probes_.disarm(target);
      break;
    case Condition::Answer::unknown:  // Not told by this function: every hit of the lambda has to be asked.
      for (auto target : gate.targets) probes_.arm(target);
      probes_.disarm(shared_->stop.probe);
      break;
  }
}

void Session::record(const RawStack& stack, const Trigger& trigger, const std::optional<Fact>& fact) {
  UnprobedMemory memory(memory_, probes_);
  Observed observed{stack,
                    table_.modules(),
                    memory,
                    symbols_,
                    tables_,
                    [this] { return heap_of(pid_); },
                    thread_name(pid_, static_cast<pid_t>(stack.tid)),
                    start_directory_};
  Event& event = add_event(recording_, observed, trigger);
  if (fact) event.facts.push_back(*fact);
  ++outcome_.events;
}

/// Whether a stop in the function of an event kind is one that was asked for; its name as a fact.
std::optional<Fact> Session::wants_event(const Wanted& wanted, const RawStack& stack) {
  Values values(symbols_, memory_, &stack.vectors);
  std::string why_not;
  if (wanted.event->kind->word == std::string_view("compile") && is_ready_made(stack, table_.modules(), symbols_)) return std::nullopt;
  const auto name = read_event_name(*wanted.event->kind, values, table_.modules(), memory_, stack.frames.at(0), &why_not);
  if (!name && !why_not.empty() && outcome_.condition_unknown.empty()) outcome_.condition_unknown = why_not;
  if (!name || !wanted.event->wants(name->text)) return std::nullopt;
  return Fact{wanted.event->kind->word, name->text, name->text, "", 0, name->how};
}

bool Session::program_began(const RawStack& stack) {
  if (!began_) began_ = options_.from_start || !is_start_of_python(stack, table_.modules(), symbols_);
  return began_;
}

bool Session::wants_hit(const RawStack& stack) {
  std::string why_not;
  const auto answer = ask(stack, &why_not);
  if (answer == Condition::Answer::unknown && outcome_.condition_unknown.empty()) outcome_.condition_unknown = why_not;
  return answer == Condition::Answer::yes;
}

/// From here on not the probe counts, but who touches the memory that it told of.
void Session::begin_watch(const RawStack& stack) {
  const Module* module = stack.frames.empty() ? nullptr : find_module(table_.modules(), stack.frames.front().lookup());
  const std::string function = module ? symbols_.at(*module, module->offset(stack.frames.front().lookup())).back().full : "";
  Values values(symbols_, unprobed_, &stack.vectors);
  std::string why_not;
  const auto look = [&](const std::string& path, std::string* why) { return look_up(stack, values, path, why); };
  const auto tensor = [&](const std::string& name) {
    return module ? read_engine_tensor(values, *module, stack.frames.front(), 0, name) : std::nullopt;
  };
  const auto target = watch_->resolve({stack, table_.modules(), unprobed_, function, look, tensor}, &why_not);
  if (!target) {
    if (outcome_.watch_unknown.empty()) outcome_.watch_unknown = why_not;
    return;
  }
  watched_ = target;
  outcome_.watched = fmt::format("{} at {:#x}", target->type, target->place.address.value);
  probes_.disarm_all();
  if (loader_probe_) probes_.arm(*loader_probe_);
  try {
    data_watch_.set({target->place});
  } catch (const Error& refusal) {
    if (!probe_iterators()) throw;
    watch_refusal_ = refusal.what();
  }
}

/// Where memory cannot be watched: engines hand the body of their loop to an exported iterator, as a function_ref, whose first word is
/// code.
bool Session::probe_iterators() {
  for (const auto& module : table_.modules()) {
    if (module.name().rfind("libtorch_cpu", 0) != 0 && module.name().rfind("libtensorlib", 0) != 0) continue;
    for (const auto& function : symbols_.find(module, "TensorIteratorBase::for_each")) {
      iterators_.insert(probes_.add(module.address(function.entry), false));
      probes_.arm(*iterators_.rbegin());
    }
  }
  return !iterators_.empty();
}

void Session::on_iterator() {
  constexpr std::size_t rsi = 4;
  loop_body_ = probes_.add({shared_->stop.registers[rsi]}, true);
  probes_.arm(*loop_body_);
}

void Session::on_loop_body() {
  ++outcome_.stops.target;
  const std::string how = "not watched, but the loop's body as it was handed to the iterator: " + watch_refusal_;
  record(raw_stack(*shared_), {"watch", watch_->text(), options_.condition}, Fact{"loop_body", true, "entered", "", 0, how});
  if (outcome_.events >= options_.limit) finish();
}

void Session::on_watched() {
  ++outcome_.stops.target;
  const RawStack stack = raw_stack(*shared_);
  const auto text = element_text(unprobed_, watched_->place.address, watched_->type);
  record(stack, {"watch", watch_->text(), options_.condition}, Fact{"watched", text, text, "", 0, outcome_.watched});
  if (outcome_.events >= options_.limit) finish();
}

void Session::on_target(Probes::Number number) {
  ++outcome_.stops.target;
  const RawStack stack = raw_stack(*shared_);
  for (const auto index : targets_.at(number)) {
    const Wanted& wanted = wanted_[index];
    const auto fact = wanted.event ? wants_event(wanted, stack) : std::nullopt;
    if (wanted.event ? !fact : !wants_hit(stack)) continue;
    if (wanted.event && !program_began(stack)) {
      ++outcome_.before_program;
      continue;
    }
    if (watch_ && !wanted.event) {
      if (!watched_) begin_watch(stack);
      continue;
    }
    record(stack, wanted.trigger, fact);
    if (outcome_.events >= options_.limit) return finish();
  }
}

void Session::finish() {
  finished_ = true;
  if (line_) line_->finish();
  data_watch_.clear();
  probes_.disarm_all();
  operators_.clear(table_.modules());
  channel_.detach();
}

/// Of what the line asks for. True if nothing else is to be done at this stop.
bool Session::on_line_stop() {
  const bool watch = shared_->stop.kind == agent::StopKind::watch;
  if (watch && watched_) return on_watched(), true;
  if (!line_) return watch;
  if (watch)
    line_->on_watch();
  else if (line_->owns(shared_->stop.probe))
    line_->on_probe(shared_->stop.probe);
  if (line_->done() && targets_.empty()) finish();
  return watch || shared_->stop.busy;
}

void Session::on_stop() {
  if (shared_->stop.kind == agent::StopKind::operator_call) return on_operator();
  if (on_line_stop()) return;
  Probes::Number number = shared_->stop.probe;
  if (loader_probe_ && number == *loader_probe_) on_loader();
  if (loop_body_ && number == *loop_body_) return on_loop_body();
  if (iterators_.count(number)) return on_iterator();
  if (targets_.count(number)) on_target(number);
  if (auto gate = gates_.find(number); gate != gates_.end() && !finished_) on_gate(gate->second);
}

void Session::follow() {
  for (bool leaving = false; !leaving && channel_.wait_for_stop();) {
    leaving = shared_->stop.kind == agent::StopKind::leave;
    try {
      if (leaving) finish();
      if (!finished_) on_stop();
    } catch (const std::exception& failure) {
      // The program is in the middle of its work: it goes on without us, and the reason is told when it has ended.
      error_ = failure.what();
      if (const auto* error = dynamic_cast<const Error*>(&failure)) error_mend_ = error->mend();
      finish();
    }
    channel_.go();
    if (finished_ && !delivered_ && !recording_.events.empty()) {
      delivered_ = true;
      if (options_.on_recorded) options_.on_recorded(recording_);
    }
  }
}

Outcome Session::outcome(int status) {
  outcome_.status = status;
  outcome_.cut_short = error_;
  if (line_) outcome_.line = line_->outcome(), outcome_.events += line_->events();
  std::vector<Module> seen;
  for (const auto& [path, module] : seen_) {
    seen.push_back(module);
    if (!is_system_file(path) && path != "[vdso]" && symbols_.level(module) != DebugLevel::full) outcome_.without_debug.push_back(path);
  }
  for (const auto& wanted : wanted_) {
    if (wanted.places) continue;
    outcome_.not_found.push_back(wanted.trigger.spec);
    if (outcome_.nearest.empty() && !wanted.event && !wanted.spec.line && !wanted.spec.address)
      outcome_.nearest = symbols_.nearest(seen, wanted.spec.pattern);
  }
  return std::move(outcome_);
}

Outcome Session::run() {
  recording_.producer = {"callpath", CALLPATH_VERSION, "process"};
  recording_.target.argv = options_.attach ? arguments_of(pid_) : options_.launch.argv;
  recording_.target.cpu = cpu_name();
  try {
    hello();
    recording_.target.executable = proc_link(pid_, "exe");
  } catch (...) {
    channel_.detach();
    if (options_.attach) {
      probes_.disarm_all();
      channel_.go();
      throw;
    }
    kill(pid_, SIGKILL);  // It has run nothing of its own yet.
    channel_.wait_for_end();
    throw;
  }
  if (options_.attach && options_.attach->on_probes) options_.attach->on_probes(outcome_);
  channel_.go();
  follow();
  int status = channel_.wait_for_end();
  if (line_) line_->finish();
  if (!delivered_ && !recording_.events.empty() && options_.on_recorded) options_.on_recorded(recording_);
  if (!error_.empty() && recording_.events.empty()) throw Error(error_, error_mend_);
  return outcome(status);
}

}  // namespace

Outcome run(const RunOptions& options) { return Session(options).run(); }

}  // namespace callpath::session
