// Distance between two encodings, as the difference of their ordinals.

#include <negzero/number/encoding.hpp>
#include <negzero/number/ulp_distance.hpp>

namespace negzero::number {

UlpDistance ulp_distance(const Format& format, std::uint64_t a, std::uint64_t b) noexcept {
  const bool nan_a = is_nan(format, a);
  const bool nan_b = is_nan(format, b);
  if (nan_a || nan_b) return {nan_a && nan_b ? UlpDistance::Kind::BothNan : UlpDistance::Kind::OnlyOneNan, 0};
  const std::int64_t ordinal_a = ordinal(format, a);
  const std::int64_t ordinal_b = ordinal(format, b);
  // Unsigned: the ordinals of -Inf and +Inf of F64 are further apart than an int64_t can say.
  const auto difference = static_cast<std::uint64_t>(ordinal_a) - static_cast<std::uint64_t>(ordinal_b);
  return {UlpDistance::Kind::Finite, ordinal_a >= ordinal_b ? difference : std::uint64_t{0} - difference};
}

}  // namespace negzero::number
