// Whole numbers as flags take them.

#include <charconv>

#include <fmt/format.h>

#include <negzero/cli/numbers.hpp>

namespace negzero::cli {

base::Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hexadecimal ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (code == std::errc{} && end == digits.data() + digits.size() && value >= low && value <= high) return value;
  return base::usage_error(fmt::format("'{}' is not a whole number from {} to {}", text, low, high));
}

}  // namespace negzero::cli
