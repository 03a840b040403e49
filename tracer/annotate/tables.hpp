// The data files of tracer/data that are built into this library, and the facts table, which producers read too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace callpath {

namespace embedded {
std::string_view facts();      ///< data/facts.json
std::string_view layers();     ///< data/layers.toml
std::string_view decisions();  ///< data/decisions.toml
std::string_view schema();     ///< data/callpath-1.schema.json
}  // namespace embedded

/// One fact that a producer tries to read.
struct FactPath {
  std::string name, path, unit;
  std::map<std::string, std::string> words;  ///< What a text means: "tensorlib::ScalarType::Float" is "float32".
  std::vector<std::string> bits;             ///< What the bits of a number mean, lowest first.
};

/// Facts of the functions whose full name an expression (ECMAScript) is found in.
struct FactRule {
  std::string function;
  std::vector<FactPath> facts;
};

/// data/facts.json, read once. Throws Error if the file that was built in is broken.
const std::vector<FactRule>& fact_rules();

}  // namespace callpath
