// The parts of drawing a plan: extents, layouts and scalars, each within a kernel's limits.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/generate/wish.hpp>
#include <negzero/operation/workload.hpp>

namespace negzero::generate {

/// What a strategy asks of a plan.
struct Traits {
  bool structured = false;         ///< relations between terms carry the strategy: no broadcast along them
  bool shows_each_term = false;    ///< a term that a kernel loses changes what is permitted, however many there are
  bool independent_terms = false;  ///< factors are independent of each other, of one smooth distribution
  bool bounded_terms = false;      ///< more terms than bounded_terms() may make a case vacuous
  bool ends = false;  ///< ends of formats: of integers, whose products are small, also long sums of them
  std::int64_t fewest_terms = 1;
  enum class Scalars : std::uint8_t {
    Any,     ///< every value of numerics.md section 7
    Finite,  ///< small exact numbers and no zero alpha: sums stay exact
    Power,   ///< +-1, 2 and 0.5: ties stay ties
    Small,   ///< alpha below one too: brings an overflow back
  } scalars = Scalars::Any;
};
/// The place of a strategy in strategies(), or -1.
[[nodiscard]] int find_strategy(std::string_view name) noexcept;
[[nodiscard]] const Traits& traits(std::string_view strategy);

/// One extent to draw.
struct Dimension {
  operation::ExtentLimit limit{};
  std::int64_t cap = operation::ExtentLimit{}.max;  ///< soft: the limit's smallest extent may exceed it
  int tied = 0;  ///< dimensions that have the same number here get one value; 0: a value of its own
};
/// The dimension of an extent, tied to others where the limits say that they are equal.
[[nodiscard]] Dimension dimension_of(const operation::Limits& limits, const notation::Signature& signature,
                                     std::string_view extent, std::int64_t cap = operation::ExtentLimit{}.max);

/// The largest accepted extent up to `wanted`, else the smallest accepted one.
[[nodiscard]] std::int64_t nearest_extent(const operation::ExtentLimit& limit, std::int64_t wanted) noexcept;
/// The least accepted length that is not 0, also of a limit that accepts 0 and multiples; 0 where there is none.
[[nodiscard]] std::int64_t least_length(const operation::ExtentLimit& limit) noexcept;
/// One extent of at least 1 (where the limit has such), around tiles, powers of two and primes, seldom above `most`.
[[nodiscard]] std::int64_t draw_extent(const Dimension& dimension, std::int64_t most, base::Random& random);
/// What a case of some extents costs; it never falls where an extent grows.
using Measure = std::function<std::int64_t(std::span<const std::int64_t> extents)>;
/// Draws all dimensions in random order, so that the measure stays at or below `volume` where the limits allow it.
[[nodiscard]] std::vector<std::int64_t> draw_extents(std::span<const Dimension> dimensions, std::int64_t volume,
                                                     const Measure& measure, base::Random& random);
/// The same for the product of the extents.
[[nodiscard]] std::vector<std::int64_t> draw_extents(std::span<const Dimension> dimensions, std::int64_t volume,
                                                     base::Random& random);

/// The limits between the ends of what is asked for, the same for extents that are equal.
[[nodiscard]] operation::Limits narrowed(operation::Limits limits, const ExtentRanges& ranges,
                                         const notation::Signature& signature);
/// The values of a range that a limit accepts; nothing where there is none. Of powers of two only the ends are such.
[[nodiscard]] std::optional<ExtentRange> accepted(const ExtentRange& range, const operation::ExtentLimit& limit);
/// One of them: each end in one of eight cases. `range` is what accepted() gives for `limit`.
[[nodiscard]] std::int64_t draw_from(const ExtentRange& range, const operation::ExtentLimit& limit,
                                     base::Random& random);

/// A layout of `shape` that `limit` accepts whenever one exists for this shape. `broadcast` names the dimensions that
/// may get stride 0, one bit each; 0 for outputs.
[[nodiscard]] tensor::Layout draw_layout(const std::vector<std::int64_t>& shape, const operation::LayoutRule& limit,
                                         unsigned broadcast, base::Random& random);

/// operation::outside() of a plan.
[[nodiscard]] std::optional<std::string> outside(const operation::Limits& limits, const Plan& plan);

/// The layout of an input in the output's memory is that of the output.
void lay_in_place(Plan& plan);

/// The layout for another shape of the same rank that keeps order, padding, broadcasts and offset.
[[nodiscard]] tensor::Layout resized_layout(const tensor::Layout& layout, const std::vector<std::int64_t>& shape);

/// The format of alpha and beta: the declared one, else that of a usual BLAS: F64 with an F64 accumulator, F32
/// otherwise.
[[nodiscard]] number::FormatId scalar_format(const contract::Contract& contract);
/// alpha, or beta: beta is 0 in 18 of 32 cases and 1 in 6; alpha is 1 in 22, and 0 in 2 where nothing rests on the sum.
[[nodiscard]] operation::Scalar draw_scalar(number::FormatId format, operation::ScalarLimit limit, Traits::Scalars kind,
                                            bool is_beta, base::Random& random);

/// A number of the range: an end of it, what is nearest to 0 or 1, or any: of a range above 0 all magnitudes alike.
[[nodiscard]] operation::Scalar draw_scalar(number::FormatId format, const operation::ScalarRange& range,
                                            base::Random& random);

/// A whole number or a truth value of the range, where there is one: of numbers 0, 1, -1 and small ones, those around
/// one of the extents, as windows and offsets are, ends of the range, or any of the range; without a range the ends of
/// I32 now and then. Truth values are drawn evenly. Requires a kind that is whole.
[[nodiscard]] operation::Scalar draw_whole(notation::ScalarKind kind, const operation::ScalarRange* range,
                                           std::span<const std::int64_t> extents, base::Random& random);

/// A layout as it is wished: plain, but for the tensor that is meant.
[[nodiscard]] tensor::Layout wished_layout(const std::vector<std::int64_t>& shape, const operation::LayoutRule& limit,
                                           const LayoutWish& wish, bool is_meant, base::Random& random);

/// A plain layout but for one dimension, whose elements lie 2^29 to 2^33 apart and more than 2^31 in all; plain where
/// the limit has no such.
[[nodiscard]] tensor::Layout distant_layout(const std::vector<std::int64_t>& shape, const operation::LayoutRule& limit,
                                            std::size_t dimension, base::Random& random);

/// What case `index` of the stream `seed` is to be, of the list in wish.hpp; nothing for most. Requires a valid
/// request.
[[nodiscard]] std::optional<Wish> wish_of(const Request& request, std::uint64_t seed, std::uint64_t index);

/// The extent along which rows lie: the one that is reduced or updated, else the fastest of the last output.
[[nodiscard]] std::size_t inner_extent(const notation::Signature& signature);

/// The work of the largest case that is drawn on purpose: 2^23 products; 2^20 elements, each of which is drawn, moved
/// and judged. Where the least case that limits accept has more, only it is drawn.
[[nodiscard]] std::int64_t most_work(const notation::Signature& signature);

/// Whether indices of a declared operation are below an extent that is 0, as one that is computed from others may be,
/// and none of them may be -1.
[[nodiscard]] bool points_at_nothing(const operation::Operation& operation);

/// The operation of a plan, all but its layouts. `attempt` > 0 asks for ever smaller and plainer ones. `workload`: of
/// the variant that is drawn, and the kernel's limits; those of the request may be narrower, for this case.
[[nodiscard]] operation::Operation draw_operation(const Request& request, const operation::Workload& workload,
                                                  const Traits& traits, int attempt, base::Random& random);
[[nodiscard]] std::map<std::string, tensor::Layout> draw_layouts(const Request& request, const Traits& traits,
                                                                 const operation::Operation& operation,
                                                                 const LayoutWish& wish, base::Random& random);

}  // namespace negzero::generate
