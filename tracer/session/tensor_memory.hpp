// Elements in memory: where one of a tensor lies, how large a type is, what stands there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "session/tensors.hpp"

namespace callpath::session {

/// Where an element lies; negative indices count from the end. Nothing, with the reason, if they do not fit.
std::optional<Address> element_of(const SeenTensor&, const std::vector<std::int64_t>& indices, std::string* why_not);

/// An element as text, by its type.
std::string element_text(const Memory&, Address, const std::string& type);

/// 0 if the name is none of a number: "float", "double", "int", "int64_t", "float32", ...
int size_of_type(const std::string& type);

}  // namespace callpath::session
