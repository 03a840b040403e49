// The words of the record's closed lists, and back. Internal to record/; elsewhere use to_string of record.hpp.
#pragma once

#include <optional>
#include <string>

#include "record/record.hpp"

namespace callpath {

std::optional<Kind> kind_from(const std::string&);
std::optional<Layer> layer_from(const std::string&);
std::optional<Confidence> confidence_from(const std::string&);

}  // namespace callpath
