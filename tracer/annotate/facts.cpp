#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "annotate/cpp_name.hpp"
#include "annotate/parts.hpp"
#include "annotate/tables.hpp"

namespace callpath {
namespace {

// --- meanings of numbers ---

std::string braces(const nlohmann::json& list) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + item.get<std::string>();
  return "{" + out + "}";
}

void apply_bits(Fact& fact, const std::vector<std::string>& bits) {
  if (bits.empty() || !fact.value.is_number_integer()) return;
  const auto number = fact.value.get<std::uint64_t>();
  nlohmann::json names = nlohmann::json::array();
  for (std::size_t i = 0; i < bits.size() && i < 64; ++i)
    if (number >> i & 1) names.push_back(bits[i]);
  fact.value = names;
  fact.text = braces(names);
}

// A truth value keeps its value: only its text changes.
void apply_words(Fact& fact, const std::map<std::string, std::string>& words) {
  const auto word = words.find(fact.text);
  if (word == words.end()) return;
  fact.text = word->second;
  if (!fact.value.is_boolean()) fact.value = word->second;
}

void apply_meanings(Event& event) {
  for (auto& fact : event.facts)
    for (const auto& rule : fact_rules())
      for (const auto& path : rule.facts) {
        if (path.name != fact.name) continue;
        apply_bits(fact, path.bits);
        apply_words(fact, path.words);
      }
}

// Of several paths for one name at one frame the first that could be read counts; outward, a repetition of the same value in the same layer
// says nothing.
void drop_repetitions(Event& event) {
  std::vector<Fact> kept;
  for (auto& fact : event.facts) {
    const auto layer = event.frames[static_cast<std::size_t>(fact.frame)].layer;
    const bool repeated = std::any_of(kept.begin(), kept.end(), [&](const Fact& k) {
      return k.name == fact.name &&
             (k.frame == fact.frame || (k.value == fact.value && event.frames[static_cast<std::size_t>(k.frame)].layer == layer));
    });
    if (!repeated) kept.push_back(std::move(fact));
  }
  event.facts = std::move(kept);
}

// --- facts that follow ---

class Deriver {
 public:
  explicit Deriver(Event& event) : event_(event), names_(event.frames.size()) {
    for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = rule_name(event.frames[i]);
  }

  void run() {
    find_instruction();
    find_has_torch_function();
    find_highest_keys();
    find_capability();
    find_lambda();
    find_dtype();
    find_element_size();
    find_contiguous();
    find_lanes();
  }

 private:
  using Json = nlohmann::json;

  const Frame& frame(std::size_t i) const { return event_.frames[i]; }
  std::size_t count() const { return event_.frames.size(); }

  void add(const char* name, Json value, std::string text, const char* unit, std::size_t at, std::string how) {
    if (!fact_at(event_, name, at))
      event_.facts.push_back({name, std::move(value), std::move(text), unit, static_cast<int>(at), std::move(how)});
  }

  const Fact* any(const char* name) const { return find_fact(event_, name, 0); }

  void find_instruction() {
    const auto user = innermost_user_frame(event_);
    if (!user || !frame(*user).python || !frame(*user).python->instruction) return;
    const Instruction& at = *frame(*user).python->instruction;
    const std::string text = at.opcode == "BINARY_OP" || at.opcode == "COMPARE_OP" ? at.opcode + " " + at.argrepr : at.opcode;
    add("instruction", text, text, "", *user, fmt::format("bytecode at offset {}", at.offset));
  }

  // Whether an engine's wrapper went on to the C method or to an argument's __torch_function__, by what it called.
  void find_has_torch_function() {
    for (std::size_t i = 0; i < count(); ++i) {
      if (frame(i).layer != Layer::wrapper || !ends_with(names_[i], "wrapped")) continue;
      for (std::size_t inner = i; inner-- > 0;) {
        const Layer layer = frame(inner).layer;
        if (frame(inner).kind != Kind::python && (layer == Layer::protocol || layer == Layer::eval || layer == Layer::glue)) continue;
        const bool taken_over = frame(inner).kind == Kind::python && frame(inner).name == "handle_torch_function";
        if (taken_over) add("has_torch_function", true, "yes", "", i, "it called handle_torch_function");
        if (layer == Layer::binding) add("has_torch_function", false, "no", "", i, fmt::format("it called {}", frame(inner).name));
        break;
      }
    }
  }

  void find_highest_keys() {
    for (std::size_t i = 0; i < count(); ++i) {
      const Fact* const keys = fact_at(event_, "key_set", i);
      if (!keys || !keys->value.is_array() || keys->value.empty()) continue;
      const auto highest = keys->value.back().get<std::string>();
      add("highest_key", highest, highest, "", i, "highest of key_set");
    }
  }

  static std::string capability_in(const std::string& name) {
    for (const char* const known : {"DEFAULT", "AVX2", "AVX512", "ZVECTOR"})
      if (("::" + name).find(fmt::format("::{}::", known)) != std::string::npos) return known;
    return {};
  }

  // By the kernel itself, else by whatever inner frame was compiled for a capability.
  void find_capability() {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < count() && !found; ++i)
      if (ends_with(names_[i], "_kernel") && !capability_in(names_[i]).empty()) found = i;
    for (std::size_t i = 0; i < count() && !found; ++i)
      if (!capability_in(names_[i]).empty()) found = i;
    if (!found) return;
    const std::string capability = capability_in(names_[*found]);
    add("capability", capability, capability, "", *found, fmt::format("namespace of {}", frame(*found).name));
  }

  /// The lambda that the loop runs: of lambdas within lambdas the outermost.
  std::optional<std::size_t> lambda_frame() const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < count(); ++i) {
      if (frame(i).layer == Layer::loop && found) break;
      if (frame(i).layer == Layer::kernel && ends_with(names_[i], "{lambda}::operator()")) found = i;
    }
    return found;
  }

  void find_lambda() {
    const auto at = lambda_frame();
    if (!at) return;
    const auto parameters = lambda_parameters(frame(*at).full);
    if (parameters.empty() || parameters[0].empty()) return;
    const bool vector = parameters[0].find("Vectorized") != std::string::npos || parameters[0] == "Vec";
    add("lambda", vector ? "vector" : "scalar", vector ? "vector" : "scalar", "", *at, fmt::format("its parameter, {}", parameters[0]));
  }

  void find_dtype() {
    for (std::size_t i = 0; i < count(); ++i) {
      if (frame(i).layer != Layer::kernel || !ends_with(names_[i], "_kernel")) continue;
      const auto arguments = template_arguments(frame(i).full);
      if (arguments.empty() || (arguments[0] != "float" && arguments[0] != "double")) continue;
      const char* const dtype = arguments[0] == "float" ? "float32" : "float64";
      return add("dtype", dtype, dtype, "", i, fmt::format("template argument of {}", frame(i).name));
    }
  }

  void find_element_size() {
    const Fact* const dtype = any("dtype");
    if (!dtype) return;
    const int size = dtype->text == "float32" ? 4 : dtype->text == "float64" ? 8 : 0;
    if (size)
      add("element_size", size, std::to_string(size), "bytes", static_cast<std::size_t>(dtype->frame),
          fmt::format("dtype {}", dtype->text));
  }

  void find_contiguous() {
    const Fact* const size = any("element_size");
    if (!size) return;
    for (std::size_t i = 0; i < count(); ++i) {
      const Fact* const strides = fact_at(event_, "strides", i);
      if (!strides || !strides->value.is_array() || strides->value.empty()) continue;
      const Json wanted = size->value;
      const bool all = std::all_of(strides->value.begin(), strides->value.end(), [&](const Json& stride) { return stride == wanted; });
      add("contiguous", all, all ? "yes" : "no", "", i, "every stride against the element size");
    }
  }

  void find_lanes() {
    const Fact *const lambda = any("lambda"), *const size = any("element_size"), *const capability = any("capability");
    if (!lambda || !size || !capability || lambda->text != "vector") return;
    const int width = capability->text == "AVX512" ? 64 : capability->text == "AVX2" ? 32 : 0;
    if (!width) return;
    const int lanes = width / size->value.get<int>();
    add("lanes", lanes, std::to_string(lanes), "elements", static_cast<std::size_t>(lambda->frame),
        "vector of this capability against the element size");
  }

  static bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
  }

  Event& event_;
  std::vector<std::string> names_;
};

}  // namespace

const Fact* fact_at(const Event& event, const std::string& name, std::size_t frame) {
  for (const auto& fact : event.facts)
    if (fact.name == name && fact.frame == static_cast<int>(frame)) return &fact;
  return nullptr;
}

const Fact* find_fact(const Event& event, const std::string& name, std::size_t frame) {
  const auto distance = [&](const Fact& fact) { return std::abs(fact.frame - static_cast<int>(frame)); };
  const Fact* nearest = nullptr;
  for (const auto& fact : event.facts)
    if (fact.name == name && (!nearest || distance(fact) < distance(*nearest))) nearest = &fact;
  return nearest;
}

void complete_facts(Event& event) {
  apply_meanings(event);
  std::stable_sort(event.facts.begin(), event.facts.end(), [](const Fact& a, const Fact& b) { return a.frame < b.frame; });
  drop_repetitions(event);
  Deriver(event).run();
  std::stable_sort(event.facts.begin(), event.facts.end(), [](const Fact& a, const Fact& b) { return a.frame < b.frame; });
}

}  // namespace callpath
