#include "record/names.hpp"

#include <array>

namespace callpath {
namespace {

// In the order of the enumerators.
constexpr std::array kinds{"python", "native", "inlined", "elided"};
constexpr std::array layers{"user", "wrapper", "protocol", "eval",    "binding",     "dispatcher", "autograd", "operator", "stub",
                            "loop", "kernel",  "glue",     "compile", "class-build", "import",     "startup",  "runtime",  "unknown"};
constexpr std::array confidences{"exact", "symbol", "module", "inferred", "elided"};
static_assert(kinds.size() == static_cast<std::size_t>(Kind::elided) + 1);
static_assert(layers.size() == static_cast<std::size_t>(Layer::unknown) + 1);
static_assert(confidences.size() == static_cast<std::size_t>(Confidence::elided) + 1);

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<const char*, N>& words, const std::string& word) {
  for (std::size_t i = 0; i < N; ++i)
    if (word == words[i]) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

std::string to_string(Kind k) { return kinds.at(static_cast<std::size_t>(k)); }
std::string to_string(Layer l) { return layers.at(static_cast<std::size_t>(l)); }
std::string to_string(Confidence c) { return confidences.at(static_cast<std::size_t>(c)); }

std::optional<Kind> kind_from(const std::string& word) { return find<Kind>(kinds, word); }
std::optional<Layer> layer_from(const std::string& word) { return find<Layer>(layers, word); }
std::optional<Confidence> confidence_from(const std::string& word) { return find<Confidence>(confidences, word); }

}  // namespace callpath
