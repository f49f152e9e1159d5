// Lines of source that messages name, as "tiled.cu:41".

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include <negzero/operation/source_line.hpp>

namespace negzero::operation {

namespace {

constexpr std::array<std::string_view, 10> kExtensions = {".cu",  ".cuh", ".cpp", ".cc",  ".cxx",
                                                          ".hpp", ".h",   ".hh",  ".inl", ".inc"};

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

}  // namespace

std::string SourceLine::to_string() const { return fmt::format("{}:{}", name, line); }

bool is_source(std::string_view path) {
  return std::ranges::any_of(kExtensions, [&](std::string_view extension) {
    return path.size() > extension.size() && path.ends_with(extension);
  });
}

std::vector<SourceLine> source_lines_in(std::string_view text) {
  std::vector<SourceLine> lines;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
    SourceLine found{.name = std::string(text.substr(begin, colon - begin))};
    const auto parsed = std::from_chars(text.data() + colon + 1, text.data() + text.size(), found.line);
    if (!is_source(found.name) || parsed.ec != std::errc{} || found.line <= 0) continue;
    if (std::ranges::find(lines, found) == lines.end()) lines.push_back(std::move(found));
  }
  return lines;
}

}  // namespace negzero::operation
