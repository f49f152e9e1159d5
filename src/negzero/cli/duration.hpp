// Durations with units, as flags take them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::cli {

/// Milliseconds of "500ms", "30s", "5m", "8h", "2d" or a sum of them in falling order ("1h30m"). A number without a
/// unit, a sign, a fraction and an overflow are usage errors that name the text.
[[nodiscard]] base::Result<std::uint64_t> parse_duration_ms(std::string_view text);

}  // namespace negzero::cli
