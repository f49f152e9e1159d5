// The colours of the page: text can be read on every background, in the light and in the dark.

#include <cmath>
#include <map>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include <negzero/report/html_style.hpp>

namespace negzero::report {
namespace {

using Colours = std::map<std::string, std::string>;

/// The variables of a part of the style sheet, those of `before` where it does not set them.
Colours colours_of(const std::string& part, Colours before = {}) {
  static const std::regex kVariable("--([a-z0-9]+): #([0-9a-f]{6});");
  for (auto at = std::sregex_iterator(part.begin(), part.end(), kVariable); at != std::sregex_iterator(); ++at) {
    before[(*at)[1]] = (*at)[2];
  }
  return before;
}

/// Relative luminance (WCAG 2.2).
double luminance(const std::string& colour) {
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(colour.substr(2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/// Contrast ratio (WCAG 2.2), 1 to 21.
double contrast(const std::string& a, const std::string& b) {
  const double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
  return std::max(one, other) / std::min(one, other);
}

void expect_readable(const Colours& colours, const std::string& where) {
  const auto expect = [&](const std::string& text, const std::string& background) {
    ASSERT_TRUE(colours.contains(text) && colours.contains(background)) << text << " on " << background;
    EXPECT_GE(contrast(colours.at(text), colours.at(background)), 4.5) << where << ": " << text << " on " << background;
  };
  for (const std::string background :
       {"page", "box", "zero", "yes", "n1", "n2", "n3", "n4", "p1", "p2", "p3", "p4", "e1", "e2", "e3", "e4"}) {
    expect("text", background);
  }
  for (const std::string text : {"soft", "bad", "good"}) expect(text, "page");
  for (const std::string shade : {"n5", "p5", "e5", "special"}) expect(shade + "t", shade);
  expect("not", "no");
}

TEST(HtmlStyle, TextCanBeReadOnEveryBackground) {
  EXPECT_NEAR(contrast("ffffff", "000000"), 21, 0.01);
  EXPECT_NEAR(contrast("777777", "ffffff"), 4.48, 0.01);
  const std::string style = kStyle;
  const std::size_t dark = style.find("@media (prefers-color-scheme: dark)"), end = style.find("} }", dark);
  ASSERT_NE(dark, std::string::npos);
  const Colours light = colours_of(style.substr(0, dark));
  expect_readable(light, "light");
  const Colours at_night = colours_of(style.substr(dark, end - dark), light);
  EXPECT_NE(at_night.at("page"), light.at("page"));
  expect_readable(at_night, "dark");
}

TEST(HtmlStyle, EveryShadeHasARule) {
  const std::string style = kStyle;
  for (const std::string shade : {"n1", "n2", "n3", "n4", "n5", "p1", "p2",   "p3",      "p4",  "p5",
                                  "e0", "e1", "e2", "e3", "e4", "e5", "zero", "special", "yes", "no"}) {
    EXPECT_NE(style.find("." + shade + (shade == "e0" ? ", " : " {")), std::string::npos) << shade;
  }
}

}  // namespace
}  // namespace negzero::report
