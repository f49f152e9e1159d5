// Extents of reductions and scans, along whichever dimension.

#include <algorithm>

#include <negzero/generate/kinds.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
namespace {

/// Most results of a reduction whose terms are few, and of one that has few results.
constexpr std::int64_t kMostResults = 257, kFewResults = 6;

/// The extents of a reduction or a scan but the one that is reduced, by their places in the signature.
std::vector<std::size_t> kept_extents(const notation::Signature& signature) {
  std::vector<std::size_t> kept;
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    if (e != signature.reduced) kept.push_back(e);
  }
  return kept;
}

/// Makes several extents smaller, where their product exceeds `most`.
void keep_together(operation::Operation& drawn, const std::vector<std::size_t>& extents, std::int64_t most,
                   const operation::Limits& limits) {
  if (extents.size() < 2) return;
  operation::ProductLimit product{.of = {}, .max = most};
  for (const std::size_t e : extents) product.of.push_back(drawn.signature().extents[e]);
  operation::Limits room = limits;
  room.products.push_back(std::move(product));
  operation::keep_relations(drawn.extents(), drawn.signature(), room);
}

}  // namespace

operation::Operation draw_reduction(const Drawing& drawing, const operation::Operation& wanted, base::Random& random) {
  const Request& request = drawing.request;
  const Traits& traits = drawing.traits;
  const operation::Limits& limits = request.limits;
  operation::Operation drawn = wanted;
  draw_formats(request, drawn, random);
  const notation::Signature& signature = wanted.signature();
  const auto limit = [&](std::size_t e) -> const operation::ExtentLimit& {
    return limits.extents[signature.extents[e]];
  };
  const std::vector<std::size_t> kept = kept_extents(signature);
  std::int64_t& terms = drawn.extents()[*signature.reduced];
  const Size size = draw_size(drawing, random);
  const std::int64_t most = most_terms(request, traits, drawn, random);
  const std::int64_t results = size.volume > 65536 ? operation::ExtentLimit{}.max : kMostResults;
  const std::size_t innermost = signature.tensors[signature.factors.front()].extents.back();
  std::vector<Dimension> dimensions;
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    const std::string& name = signature.extents[e];
    const Dimension dimension = dimension_of(limits, signature, name, e == signature.reduced ? most : results);
    dimensions.push_back(e == innermost ? width(dimension, name, limits, signature, drawing.attempt) : dimension);
  }
  const Dimension& reduced = dimensions[*signature.reduced];
  if (size.long_sum) {
    terms = nearest_extent(reduced.limit, std::min(random.between(1000, 5000), most));
    for (std::int64_t few = kFewResults; const std::size_t e : kept) {
      drawn.extents()[e] = nearest_extent(limit(e), random.between(1, few));
      few = std::max<std::int64_t>(1, few / std::max<std::int64_t>(1, drawn.extents()[e]));
    }
  } else {
    const std::int64_t usual = std::min<std::int64_t>(size.volume, 1 << 20) / 2;
    std::ranges::copy(draw_extents(dimensions, size.room(usual), random), drawn.extents().begin());
    terms = std::max(terms, nearest_extent(reduced.limit, traits.fewest_terms));
    keep_together(drawn, kept, results, limits);
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 9) terms = nearest_extent(limit(*signature.reduced), 0);
  if (empty >= 16 && empty < 16 + kept.size()) {
    const std::size_t e = kept[static_cast<std::size_t>(empty - 16)];
    drawn.extents()[e] = nearest_extent(limit(e), 0);
  }
  return drawn;
}

}  // namespace negzero::generate
