#include "views/tokens.hpp"

#include <fmt/format.h>

namespace callpath {
namespace {

constexpr Tone tones[] = {Tone::python, Tone::cpython, Tone::work, Tone::binding, Tone::dispatch, Tone::kernel, Tone::unknown};

std::string properties(bool dark) {
  std::string out = dark ? "color-scheme:dark;" : "color-scheme:light;";
  for (const auto& g : grounds()) out += fmt::format("--{}:#{:06x};", g.name, dark ? g.dark : g.light);
  for (auto tone : tones) {
    auto c = colours(tone);
    out += fmt::format("--{0}:#{1:06x};--{0}-w:#{2:06x};", to_string(tone), dark ? c.dark : c.light, dark ? c.dark_wash : c.light_wash);
  }
  return out;
}

}  // namespace

InkAndWash colours(Tone tone) {
  switch (tone) {
    case Tone::python:
      return {0x1f5ea8, 0xeaf2fb, 0x8db9f5, 0x1a2a40};
    case Tone::cpython:
      return {0x5b6573, 0xf1f3f5, 0xa7b1be, 0x20252c};
    case Tone::work:
      return {0x7a5f00, 0xf8f2da, 0xdfbd55, 0x2f2912};
    case Tone::binding:
      return {0x0b6a60, 0xe3f4f1, 0x5ecbb9, 0x12302c};
    case Tone::dispatch:
      return {0x7d3a8c, 0xf6edf8, 0xd9a3e6, 0x30203a};
    case Tone::kernel:
      return {0xac3d14, 0xfdeee7, 0xff9f78, 0x3b2118};
    case Tone::unknown:
      break;
  }
  return {0x8a1f3c, 0xfbeaef, 0xf79ab0, 0x3a1a24};
}

const std::array<Ground, 6>& grounds() {
  static constexpr std::array<Ground, 6> all{{{"bg", 0xfbfbfc, 0x13161b},
                                              {"surface", 0xffffff, 0x191d23},
                                              {"code", 0xf4f5f7, 0x20252d},
                                              {"ink", 0x1b1f25, 0xe7eaef},
                                              {"muted", 0x5a6370, 0xa1aab6},
                                              {"line", 0xe2e5ea, 0x2d333d}}};
  return all;
}

std::string css_tokens() {
  auto light = properties(false), dark = properties(true);
  std::string out = ":root{" + light + "}\n";
  out += "@media (prefers-color-scheme:dark){:root{" + dark + "}}\n";
  out += ":root[data-theme=dark]{" + dark + "}\n:root[data-theme=light]{" + light + "}\n";
  out += "@media print{:root,:root[data-theme]{" + light + "}}\n";
  for (auto tone : tones) out += fmt::format(".{0}{{--c:var(--{0});--w:var(--{0}-w)}}\n", to_string(tone));
  return out;
}

}  // namespace callpath
