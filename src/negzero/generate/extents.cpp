// Extents around the sizes at which kernels change their path.

#include <algorithm>
#include <array>
#include <bit>

#include <negzero/generate/draw.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
std::int64_t nearest_extent(const operation::ExtentLimit& limit, std::int64_t wanted) noexcept {
  if (const auto accepted = limit.at_most(wanted)) return *accepted;
  if (const auto accepted = limit.at_least(0)) return *accepted;
  const std::int64_t multiple = std::max<std::int64_t>(1, limit.multiple);
  return (std::max<std::int64_t>(0, limit.min) + multiple - 1) / multiple * multiple;
}

std::int64_t least_length(const operation::ExtentLimit& limit) noexcept {
  return limit.at_least(1).value_or(nearest_extent(limit, 1));
}

Dimension dimension_of(const operation::Limits& limits, const notation::Signature& signature, std::string_view extent,
                       std::int64_t cap) {
  Dimension dimension{limits.extents[extent], cap};
  const std::vector<operation::EqualExtents> groups = operation::equal_extents(limits, signature);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto is_it = [&](std::size_t e) { return signature.extents[e] == extent; };
    if (std::ranges::any_of(groups[g], is_it)) dimension.tied = static_cast<int>(g) + 1;
  }
  return dimension;
}

namespace {

/// A length for a dimension whose least one is no short one: so many times as long, or somewhat longer than that. Half
/// of them take all the room there is.
std::int64_t draw_multiple(const Dimension& dimension, std::int64_t least, std::int64_t most, base::Random& random) {
  const std::int64_t times = most / least;
  std::int64_t count = times;
  if (random.below(2) == 0) {
    const auto bits = random.below(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(times))));
    const std::int64_t low = std::int64_t{1} << bits;
    count = random.between(low, std::min(times, 2 * low - 1));
  }
  const std::int64_t more = random.below(2) == 0 ? random.between(0, least - 1) : 0;
  return nearest_extent(dimension.limit, std::min(count * least + more, most));
}

/// The product of extents, none of which counts as less than 1.
std::int64_t product_of_all(std::span<const std::int64_t> extents) {
  constexpr std::int64_t kMuch = std::int64_t{1} << 62;
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(1, extent), &product)) return kMuch;
  }
  return product;
}

}  // namespace

std::int64_t draw_extent(const Dimension& dimension, std::int64_t most, base::Random& random) {
  constexpr std::array<std::int64_t, 22> kPrimes{3,  5,  7,  11, 13, 17, 19,  23,  29,  31,  37,
                                                 43, 53, 61, 73, 89, 97, 127, 131, 257, 521, 1021};
  most = std::max<std::int64_t>(1, std::min(most, dimension.cap));
  // What is drawn above the greatest length becomes that: often enough, but not mostly.
  const std::int64_t greatest = std::max<std::int64_t>(1, nearest_extent(dimension.limit, dimension.limit.max));
  if (greatest < most && random.below(8) != 0) most = greatest;
  // What is drawn below would mostly be shorter than the least length, and become that.
  constexpr std::int64_t kShort = 8, kMuchRoom = 16;
  const std::int64_t least = least_length(dimension.limit);
  if (least > kShort && most / 2 >= least && (most / kMuchRoom < least || random.below(2) == 0)) {
    return draw_multiple(dimension, least, std::min(most, dimension.limit.max), random);
  }
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
  if (multiple > 1) extent = std::min((extent + multiple - 1) / multiple * multiple, std::max(most, multiple));
  return nearest_extent(dimension.limit, extent);
}

std::vector<std::int64_t> draw_extents(std::span<const Dimension> dimensions, std::int64_t volume,
                                       base::Random& random) {
  return draw_extents(dimensions, volume, product_of_all, random);
}

std::vector<std::int64_t> draw_extents(std::span<const Dimension> dimensions, std::int64_t volume,
                                       const Measure& measure, base::Random& random) {
  const std::size_t count = dimensions.size();
  std::vector<std::int64_t> extents(count);  // Those still to be drawn have their least length.
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = i;
    extents[i] = std::max<std::int64_t>(1, least_length(dimensions[i].limit));
  }
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
  std::vector<bool> is_drawn(count);
  for (const std::size_t d : order) {
    if (is_drawn[d]) continue;
    const auto set = [&](std::int64_t value) {
      for (std::size_t other = 0; other < count; ++other) {
        const bool is_tied = dimensions[d].tied != 0 && dimensions[other].tied == dimensions[d].tied;
        if (other == d || is_tied) extents[other] = value;
        if (other == d || is_tied) is_drawn[other] = true;
      }
    };
    // The longest for which there is room.
    std::int64_t low = 1, high = std::min(volume, tensor::kMaxElements);
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      set(middle);
      if (measure(extents) <= volume) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    set(draw_extent(dimensions[d], low, random));
  }
  return extents;
}

}  // namespace negzero::generate
