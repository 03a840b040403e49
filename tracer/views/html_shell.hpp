// What every page begins and ends with.
#pragma once

#include <string>

#include "explain/words.hpp"
#include "record/record.hpp"

namespace callpath {

/// Up to and with the body's start tag: styles and colours are in it.
std::string html_head(const Recording&, const Words&, const std::string& title, const std::string& body_classes);

/// The scripts and the end.
std::string html_foot();

}  // namespace callpath
