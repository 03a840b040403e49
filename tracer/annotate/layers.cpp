#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "annotate/annotate.hpp"
#include "annotate/cpp_name.hpp"
#include "annotate/parts.hpp"
#include "annotate/rules.hpp"
#include "annotate/tables.hpp"
#include "core/error.hpp"
#include "record/names.hpp"

namespace callpath {
namespace {

struct LayerRule {
  Layer layer;
  std::optional<bool> python;  ///< For Python frames only, for others only, or for both.
  Pattern function, full, module, file;
  std::optional<Pattern> called_from;
};

Pattern pattern(const toml::table& rule, const char* name) {
  const auto text = rule[name].value<std::string_view>();
  return text ? Pattern(*text) : Pattern();
}

LayerRule read_rule(const toml::table& table) {
  LayerRule rule;
  const auto layer = layer_from(table["layer"].value_or(std::string{}));
  if (!layer) throw Error("layers.toml: a rule has no known layer");
  rule.layer = *layer;
  if (const auto language = table["language"].value<std::string_view>()) rule.python = *language == "python";
  rule.function = pattern(table, "function"), rule.full = pattern(table, "full");
  rule.module = pattern(table, "module"), rule.file = pattern(table, "file");
  if (table.contains("called_from")) rule.called_from = pattern(table, "called_from");
  // A rule without a language speaks of native frames: Python frames have rules that say so.
  if (!rule.python) rule.python = false;
  return rule;
}

std::vector<LayerRule> read_rules() {
  try {
    std::vector<LayerRule> rules;
    const auto table = toml::parse(embedded::layers());
    for (const auto& rule : *table["rule"].as_array()) rules.push_back(read_rule(*rule.as_table()));
    return rules;
  } catch (const std::exception& error) {
    throw Error(fmt::format("layers.toml: {}", error.what()), "The file was built into callpath: build again.");
  }
}

const std::vector<LayerRule>& rules() {
  static const auto all = read_rules();
  return all;
}

bool is_python(const Frame& frame) { return frame.kind == Kind::python; }

class LayerFinder {
 public:
  LayerFinder(Event& event, const Recording& recording) : frames_(event.frames), recording_(recording) {}

  void run() {
    // From the outside in: some rules ask who called.
    for (std::size_t i = frames_.size(); i-- > 0;) frames_[i].layer = by_table(i);
    find_user_frames();
    find_startup();
    find_code_that_code_runs();
  }

 private:
  Layer by_table(std::size_t i) const {
    const Frame& frame = frames_[i];
    const std::string name = rule_name(frame), module = module_name(frame, recording_), file = frame.source ? frame.source->file : "";
    for (const auto& rule : rules()) {
      if (rule.python != is_python(frame) || !rule.function.found_in(name) || !rule.full.found_in(frame.full)) continue;
      if (!rule.module.found_in(module) || !rule.file.found_in(file)) continue;
      if (rule.called_from && !(caller(i) && rule.called_from->found_in(to_string(*caller(i))))) continue;
      return rule.layer;
    }
    return Layer::unknown;
  }

  std::optional<Layer> caller(std::size_t i) const {
    if (frames_[i].kind != Kind::native) return std::nullopt;
    for (std::size_t outer = i + 1; outer < frames_.size(); ++outer) {
      const Frame& frame = frames_[outer];
      if (frame.kind == Kind::native && frame.layer != Layer::glue) return frame.layer;
    }
    return std::nullopt;
  }

  // The program's own file is the reader's wherever it lies; so is the outermost Python code if nothing else is.
  void find_user_frames() {
    std::optional<std::size_t> outermost;
    for (std::size_t i = 0; i < frames_.size(); ++i)
      if (is_python(frames_[i]) && (frames_[i].layer == Layer::user || frames_[i].layer == Layer::wrapper)) outermost = i;
    if (!outermost) return;
    Frame& frame = frames_[*outermost];
    const bool any = std::any_of(frames_.begin(), frames_.end(), [](const Frame& f) { return f.layer == Layer::user; });
    if (frame.layer == Layer::user || (any && frame.name != "<module>")) return;
    const std::string file = frame.source ? frame.source->file : "";
    frame.layer = Layer::user;
    for (auto& other : frames_)
      if (is_python(other) && other.layer == Layer::wrapper && other.source && !file.empty() && other.source->file == file)
        other.layer = Layer::user;
  }

  // What lies outside the outermost Python code and began the program or the thread.
  void find_startup() {
    std::size_t first = 0;
    for (std::size_t i = 0; i < frames_.size(); ++i)
      if (is_python(frames_[i]) && frames_[i].layer != Layer::startup) first = i + 1;
    if (!first) return;
    while (first < frames_.size() && (is_python(frames_[first]) || frames_[first].layer == Layer::eval) &&
           frames_[first].layer != Layer::startup)
      ++first;
    const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::none_of(begin, frames_.end(), [](const Frame& f) { return f.layer == Layer::startup; })) return;
    std::for_each(begin, frames_.end(), [](Frame& f) { f.layer = f.layer == Layer::eval ? Layer::eval : Layer::startup; });
  }

  // exec() passes the functions that begin a program as well: where Python code is further out they are machinery.
  void find_code_that_code_runs() {
    bool outer = false;
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (is_python(*frame) && frame->layer != Layer::startup) outer = true;
      if (outer && !is_python(*frame) && frame->layer == Layer::startup) frame->layer = Layer::protocol;
    }
  }

  std::vector<Frame>& frames_;
  const Recording& recording_;
};

// "pow_tensor_scalar_stub" says more of a DispatchStub than "operator()".
void name_stub(Frame& frame) {
  if (frame.layer != Layer::stub) return;
  const auto arguments = template_arguments(frame.full);
  if (arguments.empty()) return;
  const std::string name = plain_name(arguments.back());
  frame.name = name.substr(name.find_last_of(':') + 1);
}

}  // namespace

std::string rule_name(const Frame& frame) {
  if (is_python(frame)) return frame.python ? frame.python->qualname : frame.full;
  return plain_name(frame.full);
}

std::string module_name(const Frame& frame, const Recording& recording) {
  if (!frame.module || *frame.module < 0 || static_cast<std::size_t>(*frame.module) >= recording.modules.size()) return {};
  return recording.modules[static_cast<std::size_t>(*frame.module)].name;
}

Layer native_layer(const std::string& full, const std::string& module, const std::string& file) {
  const std::string name = plain_name(full);
  for (const auto& rule : rules())
    if (!rule.python.value_or(false) && !rule.called_from && rule.function.found_in(name) && rule.full.found_in(full) &&
        rule.module.found_in(module) && rule.file.found_in(file))
      return rule.layer;
  return Layer::unknown;
}

void assign_layers(Event& event, const Recording& recording) {
  LayerFinder(event, recording).run();
  for (auto& frame : event.frames) name_stub(frame);
}

std::optional<std::size_t> innermost_user_frame(const Event& event) {
  for (std::size_t i = 0; i < event.frames.size(); ++i)
    if (event.frames[i].kind == Kind::python && event.frames[i].layer == Layer::user) return i;
  return std::nullopt;
}

}  // namespace callpath
