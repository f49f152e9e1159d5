// How far a campaign came over time, as a part of a page.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/report/document_parts.hpp>
#include <negzero/report/over_time.hpp>

namespace negzero::report {

namespace {

constexpr double kWidth = 900, kHeight = 240, kLeft = 70, kRight = 20, kTop = 15, kBottom = 30;
/// Rows of the table, and points of the line.
constexpr std::size_t kMostRowsOverTime = 12, kMostPoints = 1000;

/// At most `most` of the numbers 0 to count - 1, evenly, the first and the last among them.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> result;
  if (count <= most) {
    for (std::size_t i = 0; i < count; ++i) result.push_back(i);
  } else {
    for (std::size_t i = 0; i < most; ++i) result.push_back(i * (count - 1) / (most - 1));
  }
  return result;
}

/// Where a part of a whole lies between two ends.
double between(double low, double high, std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? low : low + (high - low) * static_cast<double>(part) / static_cast<double>(whole);
}

std::string chart(const std::vector<campaign::FuzzPoint>& points) {
  const std::uint64_t end = points.back().elapsed_ms;
  std::uint64_t most = 0;
  for (const campaign::FuzzPoint& point : points) most = std::max(most, point.features);
  const auto x = [&](const campaign::FuzzPoint& point) {
    return between(kLeft, kWidth - kRight, point.elapsed_ms, end);
  };
  const auto y = [&](const campaign::FuzzPoint& point) {
    return between(kHeight - kBottom, kTop, point.features, most);
  };
  std::string line, marks;
  for (const std::size_t i : spread(points.size(), kMostPoints)) {
    line += fmt::format("{:.1f},{:.1f} ", x(points[i]), y(points[i]));
  }
  std::uint64_t known = 0;
  for (const campaign::FuzzPoint& point : points) {
    if (point.findings > known)
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x(point), y(point));
    known = std::max(known, point.findings);
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"features over time\">"
      "<line x1=\"{2}\" y1=\"{3}\" x2=\"{4}\" y2=\"{3}\"/><line x1=\"{2}\" y1=\"{5}\" x2=\"{2}\" y2=\"{3}\"/>"
      "<text x=\"{2}\" y=\"{6}\">0 s</text><text x=\"{4}\" y=\"{6}\" text-anchor=\"end\">{7}</text>"
      "<text x=\"{8}\" y=\"{3}\" text-anchor=\"end\">0</text>"
      "<text x=\"{8}\" y=\"{9}\" text-anchor=\"end\">{10}</text><polyline points=\"{11}\"/>{12}</svg>\n",
      kWidth, kHeight, kLeft, kHeight - kBottom, kWidth - kRight, kTop, kHeight - 8, seconds(end), kLeft - 8, kTop + 10,
      most, line, marks);
}

}  // namespace

std::string over_time_section(const std::vector<campaign::FuzzPoint>& points) {
  if (points.empty()) return "";
  std::string text =
      "<h2>Over time</h2>\n<p class=\"soft\">Features of runs that were seen for the first time; a mark "
      "where a finding was made.</p>\n" +
      chart(points) +
      "<div class=\"scroll\"><table class=\"rows\"><tr><th class=\"number\">time</th><th "
      "class=\"number\">cases</th><th class=\"number\">features</th><th class=\"number\">findings</th>"
      "</tr>\n";
  for (const std::size_t i : spread(points.size(), kMostRowsOverTime)) {
    const campaign::FuzzPoint& point = points[i];
    text += fmt::format(
        "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        seconds(point.elapsed_ms), point.cases, point.features, point.findings);
  }
  return text + "</table></div>\n";
}

}  // namespace negzero::report
