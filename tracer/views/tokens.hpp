// The colours of every view: one table, so that page and terminal cannot differ and a test can measure contrast.
#pragma once

#include <array>
#include <string>

#include "explain/stages.hpp"

namespace callpath {

struct InkAndWash {
  int light, light_wash, dark, dark_wash;  ///< 0xrrggbb
};
InkAndWash colours(Tone);

struct Ground {
  const char* name;
  int light, dark;
};
/// bg, surface, code, ink, muted, line.
const std::array<Ground, 6>& grounds();

/// CSS custom properties of both themes: light, dark by the system's wish, dark or light by data-theme, light for print.
std::string css_tokens();

}  // namespace callpath
