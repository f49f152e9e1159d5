// Durations with units, as flags take them.

#include <array>
#include <charconv>

#include <fmt/format.h>

#include <negzero/cli/duration.hpp>

namespace negzero::cli {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ms;
};
constexpr std::array<Unit, 5> kUnits = {{{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::uint64_t kLongest = 86'400'000ull * 3650;  // Ten years: no sum of accepted parts overflows.

}  // namespace

base::Result<std::uint64_t> parse_duration_ms(std::string_view text) {
  const auto bad = [&] {
    return base::usage_error(
        fmt::format("'{}' is not a duration; write a whole number and a unit, like 500ms, 30s, 5m, 8h or 1h30m", text));
  };
  std::string_view rest = text;
  std::uint64_t total = 0, previous = kLongest;
  if (rest.empty()) return bad();
  while (!rest.empty()) {
    std::uint64_t count = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (code != std::errc{}) return bad();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const std::size_t letters = std::min(rest.find_first_of("0123456789"), rest.size());
    const Unit* unit = nullptr;
    for (const Unit& known : kUnits) {
      if (known.name == rest.substr(0, letters)) unit = &known;
    }
    if (unit == nullptr || unit->ms >= previous || count > kLongest / unit->ms) return bad();
    total += count * unit->ms;
    previous = unit->ms;
    rest.remove_prefix(letters);
  }
  return total;
}

}  // namespace negzero::cli
