// Lists of indices: from one for each destination to all to one.

#include <algorithm>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {

void draw_indices(tensor::Tensor& index, std::int64_t below, base::Random random) {
  if (index.element_count() == 0 || below == 0) return;
  const auto destinations = static_cast<std::uint64_t>(below);
  const std::uint64_t kind = random.below(10);
  const base::Random stream = random.split(1);
  const auto uniform = [&](std::int64_t i, std::uint64_t bound) {
    const std::uint64_t drawn = stream.at(static_cast<std::uint64_t>(i));
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(drawn) * bound >> 64);
  };
  if (kind <= 1) {  // All to one: the first, the last or any.
    const std::uint64_t place = random.below(3);
    const std::uint64_t one = place == 0 ? 0 : place == 1 ? destinations - 1 : random.below(destinations);
    return fill(index, [&](std::int64_t) { return one; });
  }
  if (kind == 2) {  // In order, or backwards, wrapping around.
    const bool backwards = random.below(2) == 0;
    return fill(index, [&](std::int64_t i) {
      const std::uint64_t at = static_cast<std::uint64_t>(i) % destinations;
      return backwards ? destinations - 1 - at : at;
    });
  }
  if (kind == 3) {  // A random permutation, over and over where there are more updates than destinations.
    std::vector<std::uint64_t> order(static_cast<std::size_t>(destinations));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
    }
    return fill(index, [&](std::int64_t i) { return order[static_cast<std::size_t>(i) % order.size()]; });
  }
  if (kind == 4) {  // Runs of equal indices, as long as a warp or a block or shorter.
    const std::int64_t run = std::int64_t{2} << random.below(8);
    return fill(index, [&](std::int64_t i) { return uniform(i / run, destinations); });
  }
  if (kind <= 6) {  // Many duplicates: few destinations take all updates.
    const std::uint64_t few = std::min<std::uint64_t>(destinations, 1 + random.below(4));
    const std::uint64_t first = random.below(destinations - few + 1);
    return fill(index, [&](std::int64_t i) { return first + uniform(i, few); });
  }
  if (kind == 7) {  // Skewed: half of the updates go to one half, half of those to one quarter, and so on.
    return fill(index, [&](std::int64_t i) {
      const std::uint64_t bound =
          std::max<std::uint64_t>(1, destinations >> (stream.at(static_cast<std::uint64_t>(i)) & 7));
      return uniform(i, bound);
    });
  }
  fill(index, [&](std::int64_t i) { return uniform(i, destinations); });
}

}  // namespace negzero::generate
