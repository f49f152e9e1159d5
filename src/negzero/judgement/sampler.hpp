// Which elements a sample has: corners, extremes, whole rows and columns, borders of tiles, random ones.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/judgement/pieces.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::judgement {

/// Elements of the outputs at which something is more likely to be wrong than elsewhere: of each output a few of the
/// largest and smallest numbers, infinities, NaNs and zeros. Those that do not count are none.
[[nodiscard]] std::vector<std::int64_t> extremes_of(const operation::Case& value,
                                                    std::span<const tensor::Tensor> outputs);

/// Draws pieces of a case: blocks of chosen indices of every dimension, and lines, which have all indices of one.
class Sampler {
 public:
  /// `extremes` are elements of the whole.
  Sampler(const Cutter& cutter, std::span<const std::int64_t> extremes, std::uint64_t seed);

  /// A piece that costs about `cost` (Cutter::cost), of at least a few dozen elements. With `extreme` it has the first
  /// and the last index of every dimension and those of all extremes, whatever that costs.
  [[nodiscard]] Piece block(double cost, bool extreme);
  /// The cost of the smallest lines along a dimension, and lines that cost about `cost`.
  [[nodiscard]] double least_line(std::size_t dimension) const;
  [[nodiscard]] Piece line(std::size_t dimension, double cost);
  /// Whether lines along it are anything but the whole, or single elements.
  [[nodiscard]] bool has_lines(std::size_t dimension) const;

 private:
  using Indices = std::vector<std::int64_t>;
  /// Indices of a block that has all extremes and the ends.
  [[nodiscard]] std::int64_t room_for_extremes(std::size_t dimension) const;
  [[nodiscard]] Indices sides(double cost, const Indices& least) const;
  [[nodiscard]] std::vector<std::optional<Indices>> chosen(const Indices& sides, bool extreme);
  [[nodiscard]] Indices indices(std::size_t dimension, std::int64_t count, bool extreme);

  const Cutter& cutter_;
  std::vector<Indices> extremes_;  ///< indices of extremes, by dimension
  base::Random random_;
};

}  // namespace negzero::judgement
