#include "views/tokens.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace callpath {
namespace {

// Relative luminance and contrast as WCAG 2.2 defines them.
double luminance(int rgb) {
  auto channel = [](int c) {
    double v = c / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(rgb >> 16 & 255) + 0.7152 * channel(rgb >> 8 & 255) + 0.0722 * channel(rgb & 255);
}

double contrast(int a, int b) {
  double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Contrast, IsComputedRight) {
  EXPECT_NEAR(contrast(0x000000, 0xffffff), 21, 1e-9);
  EXPECT_NEAR(contrast(0x777777, 0xffffff), 4.48, 0.005);  // WCAG's own example
}

class Theme : public testing::TestWithParam<bool> {
 protected:
  static int ground(const std::string& name) {
    for (const auto& g : grounds())
      if (name == g.name) return GetParam() ? g.dark : g.light;
    throw std::runtime_error(name);
  }
  static int ink(Tone t) { return GetParam() ? colours(t).dark : colours(t).light; }
  static int wash(Tone t) { return GetParam() ? colours(t).dark_wash : colours(t).light_wash; }
};

constexpr Tone tones[] = {Tone::python, Tone::cpython, Tone::work, Tone::binding, Tone::dispatch, Tone::kernel, Tone::unknown};

TEST_P(Theme, TextIsReadableOnEveryGround) {
  for (const char* on : {"bg", "surface", "code"}) {
    EXPECT_GE(contrast(ground("ink"), ground(on)), 7) << on;
    EXPECT_GE(contrast(ground("muted"), ground(on)), 4.5) << on;
    for (auto tone : tones) EXPECT_GE(contrast(ink(tone), ground(on)), 4.5) << to_string(tone) << " on " << on;
  }
}

TEST_P(Theme, TextIsReadableOnEveryWash) {
  for (auto tone : tones) {
    EXPECT_GE(contrast(ground("ink"), wash(tone)), 7) << to_string(tone);
    EXPECT_GE(contrast(ground("muted"), wash(tone)), 4.5) << to_string(tone);
    EXPECT_GE(contrast(ink(tone), wash(tone)), 4.5) << to_string(tone);
    for (auto other : tones)
      EXPECT_GE(contrast(ink(other), wash(tone)), 4.5) << to_string(other) << " on " << to_string(tone);  // source on the marked line
  }
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, Theme, testing::Bool());

TEST(Tokens, AreInThePage) {
  auto css = css_tokens();
  EXPECT_NE(css.find("--kernel:#ac3d14"), std::string::npos);
  EXPECT_NE(css.find("prefers-color-scheme:dark"), std::string::npos);
}

}  // namespace
}  // namespace callpath
