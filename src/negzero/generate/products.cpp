// Extents and scalars of a GEMM, grouped or not.

#include <algorithm>
#include <span>

#include <negzero/generate/kinds.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;

/// Most results of a case, and most elements of one of its inputs: each costs time by itself.
struct Room {
  std::int64_t results = 4400, elements = 16384;
};

/// batch, m, n and k of a case of usual size.
void draw_usual_extents(std::span<const Dimension, 4> dimensions, const Size& size, base::Random& random,
                        operation::Gemm& gemm) {
  std::int64_t volume = size.room(size.volume);
  Room room = volume > 65536 ? Room{1 << 17, 1 << 19} : Room{};
  room = {std::max(room.results, size.least_volume), std::max(room.elements, size.least_volume)};
  for (int attempt = 0; attempt < 6; ++attempt, volume = std::max<std::int64_t>(1, volume / 2)) {
    const std::vector<std::int64_t> extents = draw_extents(dimensions, volume, random);
    gemm.batch = extents[0];
    gemm.m = extents[1];
    gemm.n = extents[2];
    gemm.k = extents[3];
    const bool fits =
        gemm.batch * gemm.m * gemm.n <= room.results && gemm.batch * gemm.k * std::max(gemm.m, gemm.n) <= room.elements;
    if (fits) return;
  }
}

/// Products of a long sum, where results are tiles: a few of thousands of terms each would take as long as all others.
constexpr std::int64_t kMostLong = std::int64_t{1} << 19;

/// Few results of 1000 to 5000 terms each, or as many as the limits allow.
void draw_long_extents(std::span<const Dimension, 4> dimensions, base::Random& random, operation::Gemm& gemm) {
  const Dimension& k = dimensions[3];
  std::int64_t results = 1;
  for (const Dimension& side : dimensions.first<3>()) {
    results = std::min(kMostLong, results * std::max<std::int64_t>(1, least_length(side.limit)));
  }
  gemm.k = nearest_extent(k.limit, std::min({random.between(1000, 5000), k.cap, kMostLong / results}));
  const std::vector<std::int64_t> extents = draw_extents(dimensions.first<3>(), 12, random);
  gemm.batch = extents[0];
  gemm.m = extents[1];
  gemm.n = extents[2];
}

/// What limits say of extents by their names in one operation, by those in another of as many extents.
void rename_extents(operation::Limits& limits, const notation::Signature& from, const notation::Signature& to) {
  const operation::ExtentLimits said = limits.extents;
  for (std::size_t e = 0; e < to.extents.size(); ++e) limits.extents[to.extents[e]] = said[from.extents[e]];
  const auto rename = [&](std::vector<std::string>& names) {
    for (std::string& name : names) name = to.extents[*from.find_extent(name)];
  };
  for (operation::ProductLimit& product : limits.products) rename(product.of);
  for (std::vector<std::string>& names : limits.equal) rename(names);
  limits.relations.clear();  // They are kept once the extents have their own names again.
}

/// `gemm` with drawn extents and scalars.
operation::Gemm draw_gemm(const Drawing& drawing, operation::Gemm gemm, base::Random& random) {
  const Request& request = drawing.request;
  const Traits& traits = drawing.traits;
  const operation::Limits& limits = request.limits;
  const Size size = draw_size(drawing, random);
  const std::int64_t most = most_terms(request, traits, gemm, random);
  const std::int64_t batches = random.below(4) != 0 ? 1 : random.below(8) == 0 ? 64 : 5;
  const operation::Operation drawn(gemm);
  const notation::Signature& signature = drawn.signature();
  const std::vector<std::string>& names = signature.extents;  // batch, m, n and k
  const auto of = [&](std::size_t extent, std::int64_t cap = operation::ExtentLimit{}.max) {
    return dimension_of(limits, signature, names[extent], cap);
  };
  const Dimension dimensions[] = {of(0, batches), of(1), width(of(2), names[2], limits, signature, drawing.attempt),
                                  width(of(3, most), names[3], limits, signature, drawing.attempt)};
  const bool sums_ends = traits.ends && number::format(gemm.a).is_integer() && random.below(2) == 0;
  if (size.long_sum || sums_ends) {
    draw_long_extents(dimensions, random, gemm);
  } else {
    draw_usual_extents(dimensions, size, random, gemm);
  }
  if (gemm.k < traits.fewest_terms) gemm.k = nearest_extent(dimensions[3].limit, traits.fewest_terms);
  const std::uint64_t empty = random.below(256);
  if (empty < 11) gemm.k = nearest_extent(limits.extents[names[3]], 0);
  if (empty == 16) gemm.m = nearest_extent(limits.extents[names[1]], 0);
  if (empty == 17) gemm.n = nearest_extent(limits.extents[names[2]], 0);
  if (empty == 18 && random.below(4) == 0) gemm.batch = nearest_extent(limits.extents[names[0]], 0);
  const FormatId scalars = scalar_format(request.contract);
  const number::Format& format = number::format(scalars);
  const Traits::Scalars kind = gemm.k == 0 ? Traits::Scalars::Any : traits.scalars;
  gemm.alpha = draw_scalar(scalars, limits.alpha, kind, false, random);
  gemm.beta = draw_scalar(scalars, limits.beta, kind, true, random);
  // Without products all that can go wrong is beta * c: a second chance for a beta that matters.
  if (gemm.k == 0 && number::is_zero(format, gemm.beta.bits)) {
    gemm.beta = draw_scalar(scalars, limits.beta, kind, true, random);
  }
  // And alpha must not matter: half of them have one that spoils whatever it is multiplied by.
  const bool any_alpha = limits.alpha == operation::ScalarLimit::Any && !format.is_integer();
  if (gemm.k == 0 && any_alpha && random.below(2) == 0) {
    const std::uint64_t which = random.below(4);
    gemm.alpha.bits = which < 2 ? number::canonical_nan(format) : number::infinity(format, which == 2);
  }
  return gemm;
}

}  // namespace

operation::Operation draw_products(const Drawing& drawing, const operation::Operation& wanted, base::Random& random) {
  operation::Operation drawn = wanted;
  draw_formats(drawing.request, drawn, random);
  return draw_gemm(drawing, operation::view<operation::Gemm>(drawn), random);
}

operation::Operation draw_grouped(const Drawing& drawing, const operation::Operation& wanted, base::Random& random) {
  const Request& request = drawing.request;
  Request as_gemm = request;
  operation::Operation drawn = wanted;
  const operation::Operation products{operation::Gemm{}};
  rename_extents(as_gemm.limits, drawn.signature(), products.signature());
  operation::ExtentLimit& groups = as_gemm.limits.extents[products.signature().extents.front()];
  const std::int64_t several = random.between(1, random.below(4) == 0 ? 17 : 6);
  if (drawing.attempt < 8) groups.min = std::max(groups.min, nearest_extent(groups, several));
  draw_formats(request, drawn, random);
  const operation::Operation gemm = draw_gemm({as_gemm, drawing.workload, drawing.traits, drawing.attempt},
                                              *operation::gemm_of_groups(drawn), random);
  std::ranges::copy(gemm.extents(), drawn.extents().begin());
  if (random.below(256) == 0) {
    drawn.extents().front() = nearest_extent(request.limits.extents[drawn.signature().extents.front()], 0);
  }
  return drawn;
}

}  // namespace negzero::generate
