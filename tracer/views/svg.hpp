// A path as a picture: the line and the stages. Pure.
#pragma once

#include <string>

#include "views/html.hpp"

namespace callpath {

/// One event, 960 wide, light or dark as the reader's system is. Throws Error if there is no such event.
std::string svg(const Recording&, std::size_t event, const HtmlOptions&);

}  // namespace callpath
