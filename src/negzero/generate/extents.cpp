// Extents around the sizes at which kernels change their path.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <negzero/generate/draw.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
std::int64_t nearest_extent(const operation::ExtentLimit& limit, std::int64_t wanted) noexcept {
  if (const auto accepted = limit.at_most(wanted)) return *accepted;
  if (const auto accepted = limit.at_least(0)) return *accepted;
  const std::int64_t multiple = std::max<std::int64_t>(1, limit.multiple);
  return (std::max<std::int64_t>(0, limit.min) + multiple - 1) / multiple * multiple;
}

Dimension dimension_of(const operation::Limits& limits, const operation::Signature& signature, std::string_view extent,
                       std::int64_t cap) {
  Dimension dimension{limits.extents[extent], cap};
  const std::vector<operation::EqualExtents> groups = operation::equal_extents(limits, signature);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto is_it = [&](std::size_t e) { return signature.extents[e] == extent; };
    if (std::ranges::any_of(groups[g], is_it)) dimension.tied = static_cast<int>(g) + 1;
  }
  return dimension;
}

std::int64_t draw_extent(const Dimension& dimension, std::int64_t most, base::Random& random) {
  constexpr std::array<std::int64_t, 22> kPrimes{3,  5,  7,  11, 13, 17, 19,  23,  29,  31,  37,
                                                 43, 53, 61, 73, 89, 97, 127, 131, 257, 521, 1021};
  most = std::max<std::int64_t>(1, std::min(most, dimension.cap));
  std::int64_t extent = 0;
  for (int attempt = 0; attempt < 4 && (extent < 1 || extent > most); ++attempt) {
    const std::uint64_t kind = random.below(8);
    if (kind == 0) {
      extent = random.between(1, 4);
    } else if (kind <= 3) {
      std::int64_t tile = std::int64_t{8} << random.below(6);
      if (!dimension.limit.tiles.empty() && random.below(4) != 0) {
        tile = std::max<std::int64_t>(
            1, dimension.limit.tiles[static_cast<std::size_t>(random.below(dimension.limit.tiles.size()))]);
      }
      const std::int64_t times = random.below(2) == 0 ? 1 : random.between(1, 4);
      extent = tile * times + random.between(-1, 1);
    } else if (kind == 4) {
      const std::int64_t power = std::int64_t{1} << random.below(12);
      extent = power + random.between(-1, 1);
    } else if (kind == 5) {
      extent = kPrimes[static_cast<std::size_t>(random.below(kPrimes.size()))];
    } else if (kind == 6) {
      extent = random.between(1, std::min<std::int64_t>(most, 64));
    } else {  // Log-uniform.
      const auto bits = random.below(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(most))));
      const std::int64_t low = std::int64_t{1} << bits;
      extent = random.between(low, std::min(most, 2 * low - 1));
    }
  }
  if (extent < 1 || extent > most) extent = random.between(1, std::min<std::int64_t>(most, 64));
  const std::int64_t multiple = std::max<std::int64_t>(1, dimension.limit.multiple);
  // A kernel that takes multiples only should see more than its smallest extent.
  return nearest_extent(dimension.limit, multiple == 1 ? extent : (extent + multiple - 1) / multiple * multiple);
}

std::vector<std::int64_t> draw_extents(std::span<const Dimension> dimensions, std::int64_t volume,
                                       base::Random& random) {
  const std::size_t count = dimensions.size();
  std::vector<std::int64_t> extents(count);
  std::vector<std::size_t> order(count);
  std::int64_t least = 1;  // What the dimensions still to be drawn take at least.
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = i;
    least *= std::max<std::int64_t>(1, nearest_extent(dimensions[i].limit, 1));
  }
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t d = order[at];
    const int tied = dimensions[d].tied;
    const auto drawn = [&](std::size_t other) { return tied != 0 && dimensions[other].tied == tied; };
    const auto before = std::find_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at), drawn);
    if (before != order.begin() + static_cast<std::ptrdiff_t>(at)) {
      extents[d] = extents[*before];
      continue;
    }
    // One value of several dimensions has the root of their room.
    const std::ptrdiff_t times = tied == 0 ? 1 : std::count_if(order.begin(), order.end(), drawn);
    const std::int64_t smallest = std::max<std::int64_t>(1, nearest_extent(dimensions[d].limit, 1));
    for (std::ptrdiff_t i = 0; i < times; ++i) least = std::max<std::int64_t>(1, least / smallest);
    std::int64_t most = std::max<std::int64_t>(1, volume / least);
    // A root that is whole may come out a little less.
    if (times > 1) most = static_cast<std::int64_t>(std::pow(double(most), 1.0 / double(times)) + 1e-9);
    extents[d] = draw_extent(dimensions[d], most, random);
    for (std::ptrdiff_t i = 0; i < times; ++i) volume /= std::max<std::int64_t>(1, extents[d]);
  }
  return extents;
}

}  // namespace negzero::generate
