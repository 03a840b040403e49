#include "annotate/tables.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

#define CALLPATH_EMBEDDED(name)                                                                           \
  extern "C" const char callpath_embedded_##name##_begin[], callpath_embedded_##name##_end[];             \
  std::string_view callpath::embedded::name() {                                                           \
    return {callpath_embedded_##name##_begin,                                                             \
            static_cast<std::size_t>(callpath_embedded_##name##_end - callpath_embedded_##name##_begin)}; \
  }
CALLPATH_EMBEDDED(facts)
CALLPATH_EMBEDDED(layers)
CALLPATH_EMBEDDED(decisions)
CALLPATH_EMBEDDED(schema)

namespace callpath {
namespace {

FactPath read_fact(const nlohmann::json& json) {
  FactPath fact{json.at("name"), json.at("path"), json.value("unit", ""), {}, {}};
  if (json.contains("words")) fact.words = json.at("words").get<std::map<std::string, std::string>>();
  if (json.contains("bits")) fact.bits = json.at("bits").get<std::vector<std::string>>();
  return fact;
}

std::vector<FactRule> read_rules() {
  try {
    std::vector<FactRule> rules;
    const auto table = nlohmann::json::parse(embedded::facts());
    for (const auto& json : table.at("rules")) {
      FactRule rule{json.at("function"), {}};
      for (const auto& fact : json.at("facts")) rule.facts.push_back(read_fact(fact));
      rules.push_back(std::move(rule));
    }
    return rules;
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("facts.json: {}", error.what()), "The file was built into callpath: build again.");
  }
}

}  // namespace

const std::vector<FactRule>& fact_rules() {
  static const std::vector<FactRule> rules = read_rules();
  return rules;
}

}  // namespace callpath
