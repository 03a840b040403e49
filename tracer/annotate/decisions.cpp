#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "annotate/parts.hpp"
#include "annotate/rules.hpp"
#include "annotate/tables.hpp"
#include "core/error.hpp"
#include "record/names.hpp"

namespace callpath {
namespace {

struct DecisionRule {
  std::string id, label, question, taken, options_from;
  Layer layer = Layer::unknown;
  Pattern function;
  bool innermost = false, outward = false;
  std::vector<std::string> facts, options;
  std::vector<std::pair<std::string, std::string>> when;  ///< Fact, text.
};

std::vector<std::string> texts(const toml::table& table, const char* name) {
  std::vector<std::string> out;
  if (const auto* const list = table[name].as_array())
    for (const auto& item : *list) out.push_back(item.value_or(std::string{}));
  return out;
}

DecisionRule read_rule(const toml::table& table) {
  DecisionRule rule;
  rule.id = table["id"].value_or(std::string{});
  rule.label = table["label"].value_or(std::string{});
  rule.question = table["question"].value_or(std::string{});
  rule.taken = table["taken"].value_or(std::string{});
  rule.options_from = table["options_from"].value_or(std::string{});
  const auto layer = layer_from(table["layer"].value_or(std::string{}));
  if (!layer || rule.id.empty() || rule.taken.empty()) throw Error(fmt::format("decisions.toml: {} lacks layer, id or taken", rule.id));
  rule.layer = *layer;
  if (const auto function = table["function"].value<std::string_view>()) rule.function = Pattern(*function);
  rule.innermost = table["innermost"].value_or(false);
  rule.outward = table["outward"].value_or(false);
  rule.facts = texts(table, "facts"), rule.options = texts(table, "options");
  if (const auto* const when = table["when"].as_table())
    for (const auto& [name, value] : *when) rule.when.emplace_back(name.str(), value.value_or(std::string{}));
  return rule;
}

std::vector<DecisionRule> read_rules() {
  try {
    std::vector<DecisionRule> rules;
    const auto table = toml::parse(embedded::decisions());
    for (const auto& rule : *table["decision"].as_array()) rules.push_back(read_rule(*rule.as_table()));
    return rules;
  } catch (const std::exception& error) {
    throw Error(fmt::format("decisions.toml: {}", error.what()), "The file was built into callpath: build again.");
  }
}

const std::vector<DecisionRule>& rules() {
  static const auto all = read_rules();
  return all;
}

// {name} by the fact's text; nothing if a fact is missing.
std::optional<std::string> filled(const std::string& text, const Event& event, std::size_t frame) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = text.find('{', at), close = text.find('}', open);
    if (open == std::string::npos || close == std::string::npos) return out + text.substr(at);
    const Fact* const fact = find_fact(event, text.substr(open + 1, close - open - 1), frame);
    if (!fact) return std::nullopt;
    out += text.substr(at, open - at) + fact->text;
    at = close + 1;
  }
}

std::vector<std::string> listed_options(const DecisionRule& rule, const Event& event, std::size_t frame) {
  std::vector<std::string> options;
  const std::size_t last = rule.outward ? event.frames.size() : frame + 1;
  for (std::size_t at = rule.outward ? frame + 1 : frame; at < last; ++at) {
    const Fact* const fact = fact_at(event, rule.options_from, at);
    if (!fact || !fact->value.is_array()) continue;
    for (auto item = fact->value.rbegin(); item != fact->value.rend(); ++item) options.push_back(item->get<std::string>());
    break;
  }
  return options;
}

std::optional<std::vector<std::string>> options_of(const DecisionRule& rule, const Event& event, std::size_t frame) {
  if (!rule.options_from.empty()) return listed_options(rule, event, frame);
  std::vector<std::string> options;
  for (const auto& text : rule.options) {
    auto option = filled(text, event, frame);
    if (!option) return std::nullopt;
    options.push_back(std::move(*option));
  }
  return options;
}

// Puts the option taken among the options where it is not, as the table's header says.
bool settle(const DecisionRule& rule, Decision& decision) {
  auto& options = decision.options;
  const auto among = [&](const auto& list) { return std::find(list.begin(), list.end(), decision.taken) != list.end(); };
  if (among(options)) return true;
  if (options.empty() || !rule.options_from.empty()) return options.push_back(decision.taken), true;
  if (options.back() != "other") return false;
  decision.taken = options.back();
  return true;
}

bool applies(const DecisionRule& rule, const Event& event, std::size_t frame) {
  if (event.frames[frame].layer != rule.layer || (rule.innermost && frame != 0) || !rule.function.found_in(rule_name(event.frames[frame])))
    return false;
  for (const auto& name : rule.facts)
    if (!find_fact(event, name, frame)) return false;
  for (const auto& [name, wanted] : rule.when) {
    const Fact* const fact = find_fact(event, name, frame);
    if (!fact || fact->text != wanted) return false;
  }
  return true;
}

std::optional<Decision> decide(const DecisionRule& rule, const Event& event, std::size_t frame) {
  const auto question = filled(rule.question, event, frame), taken = filled(rule.taken, event, frame);
  const auto options = options_of(rule, event, frame);
  if (!question || !taken || !options) return std::nullopt;
  Decision decision{rule.id, static_cast<int>(frame), rule.label, *question, *options, *taken, rule.facts, {}};
  return settle(rule, decision) ? std::optional(decision) : std::nullopt;
}

}  // namespace

void find_decisions(Event& event) {
  std::vector<Decision> decisions;
  for (std::size_t frame = 0; frame < event.frames.size(); ++frame)
    for (const auto& rule : rules()) {
      if (!applies(rule, event, frame)) continue;
      auto decision = decide(rule, event, frame);
      if (!decision || (rule.layer == Layer::user && frame != innermost_user_frame(event))) continue;
      const auto before = std::find_if(event.decisions.begin(), event.decisions.end(),
                                       [&](const Decision& d) { return d.id == rule.id && d.frame == decision->frame; });
      if (before != event.decisions.end()) decision->elsewhere = before->elsewhere;
      decisions.push_back(std::move(*decision));
    }
  event.decisions = std::move(decisions);
}

}  // namespace callpath
