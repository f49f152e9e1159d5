// Which elements a sample has.

#include <algorithm>
#include <numeric>
#include <set>

#include <negzero/judgement/sampler.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/counted.hpp>

namespace negzero::judgement {
namespace {

/// Of each kind of extreme.
constexpr std::size_t kMostOfAKind = 4;

/// The elements of the greatest keys, few of them.
class Greatest {
 public:
  void see(std::int64_t key, std::int64_t element) {
    if (found_.size() == kMostOfAKind && key <= found_.back().first) return;
    const auto at = std::ranges::find_if(found_, [&](const auto& other) { return key > other.first; });
    found_.insert(at, {key, element});
    if (found_.size() > kMostOfAKind) found_.pop_back();
  }
  void add_to(std::vector<std::int64_t>& elements) const {
    for (const auto& [key, element] : found_) elements.push_back(element);
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> found_{};
};

}  // namespace

std::vector<std::int64_t> extremes_of(const operation::Case& value, std::span<const tensor::Tensor> outputs) {
  std::vector<std::int64_t> elements;
  const auto specs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const operation::Counted counted(value, specs[o].name);
    const number::Format& format = outputs[o].format();
    Greatest largest, smallest, infinite, nan, zero;
    for (std::int64_t i = 0; i < outputs[o].element_count(); ++i) {
      if (!counted.all() && !counted.holds(i)) continue;
      const std::uint64_t word = outputs[o].get(i);
      switch (number::classify(format, word)) {
        case number::Class::Nan:
          nan.see(0, i);
          break;
        case number::Class::Infinity:
          infinite.see(0, i);
          break;
        case number::Class::Zero:
          zero.see(number::is_negative(format, word) ? 1 : 0, i);
          break;
        default: {
          const std::int64_t ordinal = number::ordinal(format, word), size = ordinal < 0 ? -ordinal : ordinal;
          largest.see(size, i);
          smallest.see(-size, i);
        }
      }
    }
    // Where there is no room for all, what is rarest counts most.
    for (const Greatest* each : {&nan, &infinite, &largest, &zero, &smallest}) each->add_to(elements);
  }
  return elements;
}

Sampler::Sampler(const Cutter& cutter, std::span<const std::int64_t> extremes, std::uint64_t seed)
    : cutter_(cutter), extremes_(cutter.dimensions().size()), random_(base::Random(seed)) {
  std::int64_t stride = 1;
  for (std::size_t d = extremes_.size(); d-- > 0;) {
    const std::int64_t count = cutter.dimensions()[d].count;
    for (const std::int64_t element : extremes) extremes_[d].push_back(element / stride % count);
    stride *= count;
  }
}

Sampler::Indices Sampler::indices(std::size_t dimension, std::int64_t count, bool extreme) {
  const std::int64_t extent = cutter_.dimensions()[dimension].count;
  std::set<std::int64_t> chosen;
  const auto add = [&](std::int64_t i) {
    if (static_cast<std::int64_t>(chosen.size()) < count) chosen.insert(std::clamp<std::int64_t>(i, 0, extent - 1));
  };
  if (extreme) {
    add(0);
    add(extent - 1);
    // Where they do not all fit, half of the room at most: others must have some.
    const bool fits = count >= room_for_extremes(dimension);
    for (const std::int64_t i : extremes_[dimension]) {
      if (fits || 2 * static_cast<std::int64_t>(chosen.size()) < count) add(i);
    }
  }
  while (static_cast<std::int64_t>(chosen.size()) < count) {
    if (3 * count > extent) {
      // Few are left out: rather than to draw one again and again, to go on from it.
      auto i = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(extent)));
      while (chosen.contains(i)) i = (i + 1) % extent;
      add(i);
      continue;
    }
    const auto drawn = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(extent)));
    if (random_.one_in(3)) {
      // Beside the borders of tiles of 8 to 256.
      const std::int64_t tile = std::int64_t{8} << random_.below(6);
      add(drawn / tile * tile - static_cast<std::int64_t>(random_.below(2)));
    } else {
      add(drawn);
    }
  }
  return {chosen.begin(), chosen.end()};
}

std::int64_t Sampler::room_for_extremes(std::size_t dimension) const {
  return static_cast<std::int64_t>(extremes_[dimension].size()) + 2;
}

Sampler::Indices Sampler::sides(double cost, const Indices& least) const {
  const std::vector<Dimension>& dimensions = cutter_.dimensions();
  Indices sides = least;
  const auto cost_of = [&](const Indices& of) {
    return cutter_.cost(of, std::accumulate(of.begin(), of.end(), std::int64_t{1}, std::multiplies<>()));
  };
  const auto size_of = [](const Indices& of) {
    return std::accumulate(of.begin(), of.end(), std::int64_t{1}, std::multiplies<>());
  };
  for (;;) {
    // The shortest side grows, so that blocks are near-cubes, which share most terms.
    std::optional<std::size_t> shortest;
    for (std::size_t d = 0; d < sides.size(); ++d) {
      if (sides[d] < dimensions[d].count && (!shortest || sides[d] < sides[*shortest])) shortest = d;
    }
    if (!shortest) return sides;
    Indices grown = sides;
    grown[*shortest] =
        std::min(dimensions[*shortest].count, grown[*shortest] + std::max<std::int64_t>(1, grown[*shortest] / 4));
    constexpr std::int64_t kFewest = 2 * oracle::kManyOutputs;
    if (size_of(sides) >= kFewest && cost_of(grown) > cost) return sides;
    sides = std::move(grown);
  }
}

std::vector<std::optional<Sampler::Indices>> Sampler::chosen(const Indices& sides, bool extreme) {
  std::vector<std::optional<Indices>> result;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    const bool is_whole = sides[d] >= cutter_.dimensions()[d].count;
    result.push_back(is_whole ? std::nullopt : std::optional(indices(d, sides[d], extreme)));
  }
  return result;
}

Piece Sampler::block(double cost, bool extreme) {
  Indices least;
  for (std::size_t d = 0; d < extremes_.size(); ++d) {
    least.push_back(std::min(cutter_.dimensions()[d].count, extreme ? room_for_extremes(d) : 1));
  }
  return cutter_.piece(chosen(sides(cost, least), extreme));
}

bool Sampler::has_lines(std::size_t dimension) const {
  const std::vector<Dimension>& dimensions = cutter_.dimensions();
  return dimensions[dimension].count > 1 && dimensions[dimension].count < cutter_.outputs();
}

namespace {

/// All of one dimension, and of the others the ends.
std::vector<std::int64_t> least_sides(const std::vector<Dimension>& dimensions, std::size_t whole) {
  std::vector<std::int64_t> sides;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    sides.push_back(d == whole ? dimensions[d].count : std::min<std::int64_t>(dimensions[d].count, 2));
  }
  return sides;
}

}  // namespace

double Sampler::least_line(std::size_t dimension) const {
  const Indices least = least_sides(cutter_.dimensions(), dimension);
  return cutter_.cost(least, std::accumulate(least.begin(), least.end(), std::int64_t{1}, std::multiplies<>()));
}

Piece Sampler::line(std::size_t dimension, double cost) {
  return cutter_.piece(chosen(sides(cost, least_sides(cutter_.dimensions(), dimension)), true));
}

}  // namespace negzero::judgement
