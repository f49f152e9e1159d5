// Looking a format up by its name.

#include <negzero/number/format.hpp>

namespace negzero::number {

std::optional<FormatId> parse_format(std::string_view name) noexcept {
  for (const Format& candidate : kFormats) {
    if (candidate.name == name) return candidate.id;
  }
  return std::nullopt;
}

}  // namespace negzero::number
