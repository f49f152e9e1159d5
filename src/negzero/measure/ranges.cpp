// Bisects between an extent that is accepted and one that is refused.

#include <algorithm>
#include <chrono>
#include <numeric>

#include <negzero/measure/ranges.hpp>

namespace negzero::measure {
namespace {

/// From beyond the threads of a block, over the floats of its shared memory, to beyond 65,535 blocks along y or z (CUDA
/// Programming Guide, Technical Specifications per Compute Capability).
constexpr std::int64_t kFirstGreat = 1100, kLastGreat = 70400;
constexpr std::int64_t kMostElements = 1 << 22;
/// Of all other extents, so that tensors are small.
constexpr std::int64_t kSmall = 3;
constexpr std::chrono::milliseconds kLong{300};
constexpr std::int64_t kMostLeast = 8;

class Extent {
 public:
  Extent(Prober& prober, const Probe& probe, const Callee& callee, const Lengths& lengths, std::size_t place)
      : prober_(prober), probe_(probe), callee_(callee), lengths_(lengths), place_(place) {}

  Range range() {
    Range result;
    std::int64_t accepted = kSmall;
    for (std::int64_t least = 1; least <= kMostLeast; ++least) {
      if (is_refused(least) || is_less_than_fixed(least)) continue;
      result.least = least;
      break;
    }
    for (std::int64_t great = kFirstGreat; great <= kLastGreat; great *= 2) {
      const auto begin = std::chrono::steady_clock::now();
      if (elements(great) > kMostElements) break;
      if (is_refused(great)) {
        result.greatest = last_accepted(accepted, great);
        break;
      }
      accepted = great;
      if (std::chrono::steady_clock::now() - begin > kLong) break;
    }
    return result;
  }

 private:
  [[nodiscard]] Given given(std::int64_t extent) const {
    Extents extents = extents_of_set(callee_, 0);
    for (auto& [place, value] : extents) value = place == place_ ? extent : std::min(value, kSmall);
    return given_at(extents, lengths_);
  }
  [[nodiscard]] std::int64_t elements(std::int64_t extent) const {
    const Given at = given(extent);
    return std::accumulate(at.lengths.begin(), at.lengths.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& each) { return sum + each.second; });
  }
  bool is_refused(std::int64_t extent) { return prober_.run(probe_, given(extent), false).kind == Seen::Kind::Refused; }
  /// Whether it is shorter than a window, or whatever a fixed size is, wants: then something outside is touched.
  bool is_less_than_fixed(std::int64_t extent) {
    const auto is_fixed = [](const auto& each) { return each.second.fixed.has_value(); };
    if (std::ranges::none_of(lengths_.uses, is_fixed)) return false;
    return prober_.run(probe_, given(extent), true).kind == Seen::Kind::TooShort;
  }
  std::int64_t last_accepted(std::int64_t low, std::int64_t high) {
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      is_refused(middle) ? high = middle : low = middle;
    }
    return low;
  }

  Prober& prober_;
  const Probe& probe_;
  const Callee& callee_;
  const Lengths& lengths_;
  std::size_t place_;
};

}  // namespace

std::map<std::size_t, Range> measured_ranges(Prober& prober, const Probe& probe, const Callee& callee,
                                             const Lengths& lengths) {
  std::map<std::size_t, Range> result;
  for (const auto& [place, extent] : given_of_set(callee, 0, lengths).extents) {
    result[place] = Extent(prober, probe, callee, lengths, place).range();
  }
  return result;
}

}  // namespace negzero::measure
