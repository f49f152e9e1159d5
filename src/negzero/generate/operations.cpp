// Operations: formats, extents and scalars of a plan.

#include <algorithm>
#include <numeric>
#include <span>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;

/// Formats that a kernel without declared ones may get: those that its accumulator holds without loss.
std::vector<FormatId> storable_formats(int most_bits) {
  std::vector<FormatId> formats;
  for (const number::Format& format : number::all_formats()) {
    if (!format.is_integer() && format.unused_bits == 0 && format.precision() <= most_bits)
      formats.push_back(format.id);
  }
  return formats;
}

std::vector<FormatId> draw_formats(const Request& request, const operation::Operation& operation,
                                   base::Random& random) {
  const auto& declared = request.limits.formats;
  if (!declared.empty()) return declared[static_cast<std::size_t>(random.below(declared.size()))];
  const bool adds = operation.signature().combine && !is_selection(operation);
  const int bits = adds ? number::format(request.contract.accumulate).precision() : 53;
  std::vector<FormatId> formats = storable_formats(bits);
  if (formats.empty()) formats = storable_formats(53);
  std::vector<FormatId> drawn(operation.formats().begin(), operation.formats().end());
  const bool uniform = random.below(2) == 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    drawn[i] = uniform && i != 0 ? drawn[0] : formats[static_cast<std::size_t>(random.below(formats.size()))];
  }
  const operation::Signature& signature = operation.signature();
  if (is_selection(operation) && !signature.is_update) {
    for (const operation::OutputSignature& output : signature.outputs) {
      const bool is_index = operation::gives_index(*output.combine);
      drawn[signature.tensors[output.tensor].format] = is_index ? FormatId::I32 : drawn[0];
    }
  }
  return drawn;
}

/// How many products (elements of a Reduce, updates of a Scatter) a case has at most; `long_sum`: in few results.
struct Size {
  std::int64_t volume = 0;
  bool long_sum = false;
};

/// Mean about 10,000 products; one case in a hundred is large.
Size draw_size(int attempt, base::Random& random) {
  const std::uint64_t draw = random.below(100);
  if (attempt > 8) return {64, false};
  if (draw == 0) return {std::int64_t{1} << (random.below(8) == 0 ? 21 : random.between(17, 20)), random.below(4) == 0};
  if (draw < 20) return {64, false};
  if (draw < 35) return {2048, false};
  if (draw < 60) return {16384, false};
  if (draw < 88) return {65536, false};
  return {12 * 5000, true};
}

/// The most terms that a sum may have so that its bound says something; one case in 32 ignores that.
std::int64_t most_terms(const Request& request, const Traits& traits, const operation::Operation& operation,
                        base::Random& random) {
  const bool bounded = random.below(32) != 0;
  return traits.bounded_terms && bounded ? bounded_terms(operation, request.contract) : operation::ExtentLimit{}.max;
}

/// Most results of a case, and most elements of one of its inputs: each costs time by itself.
struct Room {
  std::int64_t results = 4400, elements = 16384;
};

/// Most columns of a scan, one in 32 apart, and most pairs of a result and a term of it.
constexpr std::int64_t kMostScanned = 400, kMostScannedPairs = std::int64_t{1} << 16;

/// The first attempt whose widths are aligned by construction.
constexpr int kAligned = 2;

/// `dimension` of the width of packed tensors whose strides must be aligned: where the first attempts have not met that
/// by chance, only widths that do.
Dimension width(Dimension dimension, std::string_view extent, const operation::Limits& limits,
                const operation::Signature& signature, int attempt) {
  const auto is_packed = [](const operation::LayoutLimit& layout) {
    return layout.order == operation::LayoutOrder::Packed && layout.stride_multiple > 1;
  };
  std::vector<const operation::LayoutLimit*> layouts{&limits.inputs, &limits.output};
  for (const auto& [name, layout] : limits.tensors) {
    const auto place = signature.find_tensor(name);
    if (place && signature.extents[signature.tensors[*place].extents.back()] == extent) layouts.push_back(&layout);
  }
  for (const operation::LayoutLimit* const layout : layouts) {
    if (attempt < kAligned || !is_packed(*layout)) continue;
    operation::ExtentLimit aligned = dimension.limit;
    aligned.multiple = std::lcm(std::max<std::int64_t>(1, aligned.multiple), layout->stride_multiple);
    if (aligned.accepts(nearest_extent(aligned, aligned.multiple))) dimension.limit = aligned;
  }
  return dimension;
}

/// batch, m, n and k of a case of usual size.
void draw_usual_extents(std::span<const Dimension, 4> dimensions, std::int64_t volume, base::Random& random,
                        operation::Gemm& gemm) {
  const Room room = volume > 65536 ? Room{1 << 17, 1 << 19} : Room{};
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
    results = std::min(kMostLong, results * std::max<std::int64_t>(1, nearest_extent(side.limit, 1)));
  }
  gemm.k = nearest_extent(k.limit, std::min({random.between(1000, 5000), k.cap, kMostLong / results}));
  const std::vector<std::int64_t> extents = draw_extents(dimensions.first<3>(), 12, random);
  gemm.batch = extents[0];
  gemm.m = extents[1];
  gemm.n = extents[2];
}

operation::Gemm draw_gemm(const Request& request, const Traits& traits, int attempt, base::Random& random) {
  const operation::Limits& limits = request.limits;
  operation::Gemm gemm;
  const std::vector<FormatId> formats = draw_formats(request, gemm, random);
  gemm.a = formats[0];
  gemm.b = formats[1];
  gemm.d = formats[2];
  const Size size = draw_size(attempt, random);
  const std::int64_t most = most_terms(request, traits, gemm, random);
  const std::int64_t batches = random.below(4) != 0 ? 1 : random.below(8) == 0 ? 64 : 5;
  const operation::Operation drawn(gemm);
  const operation::Signature& signature = drawn.signature();
  const std::vector<std::string>& names = signature.extents;  // batch, m, n and k
  const auto of = [&](std::size_t extent, std::int64_t cap = operation::ExtentLimit{}.max) {
    return dimension_of(limits, signature, names[extent], cap);
  };
  const Dimension dimensions[] = {of(0, batches), of(1), width(of(2), names[2], limits, signature, attempt),
                                  width(of(3, most), names[3], limits, signature, attempt)};
  if (size.long_sum) {
    draw_long_extents(dimensions, random, gemm);
  } else {
    draw_usual_extents(dimensions, size.volume, random, gemm);
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

/// What limits say of extents by their names in one operation, by those in another of as many extents.
void rename_extents(operation::Limits& limits, const operation::Signature& from, const operation::Signature& to) {
  const operation::ExtentLimits said = limits.extents;
  for (std::size_t e = 0; e < to.extents.size(); ++e) limits.extents[to.extents[e]] = said[from.extents[e]];
  const auto rename = [&](std::vector<std::string>& names) {
    for (std::string& name : names) name = to.extents[*from.find_extent(name)];
  };
  for (operation::ProductLimit& product : limits.products) rename(product.of);
  for (std::vector<std::string>& names : limits.equal) rename(names);
}

/// As a GEMM of as many batches, in nearly all cases of several groups: what one group does wrong shows in others.
operation::Operation draw_grouped(const Request& request, const operation::Operation& wanted, const Traits& traits,
                                  int attempt, base::Random& random) {
  Request as_gemm = request;
  operation::Operation drawn = wanted;
  const operation::Operation products{operation::Gemm{}};
  rename_extents(as_gemm.limits, drawn.signature(), products.signature());
  operation::ExtentLimit& groups = as_gemm.limits.extents[products.signature().extents.front()];
  const std::int64_t several = random.between(1, random.below(4) == 0 ? 17 : 6);
  if (attempt < 8) groups.min = std::max(groups.min, nearest_extent(groups, several));
  const operation::Operation gemm = draw_gemm(as_gemm, traits, attempt, random);
  std::ranges::copy(gemm.extents(), drawn.extents().begin());
  std::ranges::copy(gemm.formats(), drawn.formats().begin());
  if (random.below(256) == 0) {
    drawn.extents().front() = nearest_extent(request.limits.extents[drawn.signature().extents.front()], 0);
  }
  return drawn;
}

/// Most results of a reduction whose terms are few, and of one that has few results.
constexpr std::int64_t kMostResults = 257, kFewResults = 6;

/// The extents of a reduction or a scan but the one that is reduced, by their places in the signature.
std::vector<std::size_t> kept_extents(const operation::Signature& signature) {
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

/// Of an operation along one dimension of a tensor. A scan is judged in the square of its terms, so that it has fewer
/// of them.
operation::Operation draw_reduction(const Request& request, const operation::Operation& wanted, const Traits& traits,
                                    int attempt, base::Random& random) {
  const operation::Limits& limits = request.limits;
  operation::Operation drawn = wanted;
  std::ranges::copy(draw_formats(request, drawn, random), drawn.formats().begin());
  const operation::Signature& signature = wanted.signature();
  const auto limit = [&](std::size_t e) -> const operation::ExtentLimit& {
    return limits.extents[signature.extents[e]];
  };
  const std::vector<std::size_t> kept = kept_extents(signature);
  std::int64_t& terms = drawn.extents()[*signature.reduced];
  const bool scans = signature.reach != operation::Reach::All;
  const Size size = draw_size(attempt, random);
  std::int64_t most = most_terms(request, traits, drawn, random);
  if (scans) most = std::min(most, random.below(32) == 0 ? 4 * kMostScanned : kMostScanned);
  const std::int64_t results = size.volume > 65536 ? operation::ExtentLimit{}.max : kMostResults;
  const std::size_t innermost = signature.tensors[signature.factors.front()].extents.back();
  std::vector<Dimension> dimensions;
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    const std::string& name = signature.extents[e];
    const Dimension dimension = dimension_of(limits, signature, name, e == signature.reduced ? most : results);
    dimensions.push_back(e == innermost ? width(dimension, name, limits, signature, attempt) : dimension);
  }
  const Dimension& reduced = dimensions[*signature.reduced];
  if (size.long_sum) {
    terms = nearest_extent(reduced.limit, std::min(random.between(1000, 5000), most));
    for (std::int64_t few = kFewResults; const std::size_t e : kept) {
      drawn.extents()[e] = nearest_extent(limit(e), random.between(1, few));
      few = std::max<std::int64_t>(1, few / std::max<std::int64_t>(1, drawn.extents()[e]));
    }
  } else {
    std::ranges::copy(draw_extents(dimensions, std::min<std::int64_t>(size.volume, 1 << 20) / 2, random),
                      drawn.extents().begin());
    terms = std::max(terms, nearest_extent(reduced.limit, traits.fewest_terms));
    keep_together(drawn, kept, results, limits);
  }
  if (scans) {
    std::int64_t fewer = std::max<std::int64_t>(1, kMostScannedPairs / std::max<std::int64_t>(1, terms * terms));
    for (const std::size_t e : kept) {
      drawn.extents()[e] = nearest_extent(limit(e), std::min(drawn.extents()[e], fewer));
      fewer = std::max<std::int64_t>(1, fewer / std::max<std::int64_t>(1, drawn.extents()[e]));
    }
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 9) terms = nearest_extent(limit(*signature.reduced), 0);
  if (empty >= 16 && empty < 16 + kept.size()) {
    const std::size_t e = kept[static_cast<std::size_t>(empty - 16)];
    drawn.extents()[e] = nearest_extent(limit(e), 0);
  }
  return drawn;
}

operation::Operation draw_scatter(const Request& request, const operation::Operation& wanted, const Traits& traits,
                                  int attempt, base::Random& random) {
  operation::Operation drawn = wanted;
  const operation::Signature& signature = wanted.signature();
  const std::size_t combined = *signature.reduced;
  const std::size_t numbered = *signature.tensors[*signature.find_tensor(operation::index_name(signature))].index_below;
  const operation::ExtentLimit& update_limit = request.limits.extents[signature.extents[combined]];
  const operation::ExtentLimit& destination_limit = request.limits.extents[signature.extents[numbered]];
  std::int64_t &updates = drawn.extents()[combined], &destinations = drawn.extents()[numbered];
  drawn.formats().front() = draw_formats(request, drawn, random).front();
  const Size size = draw_size(attempt, random);
  const std::int64_t most = size.volume > 65536 ? std::int64_t{1} << 18 : std::min<std::int64_t>(size.volume, 5000);
  updates = draw_extent({update_limit}, most, random);
  // Terms that belong together must meet in one destination.
  const bool crowded = traits.structured && random.below(4) != 0;
  const std::int64_t few = crowded ? std::max<std::int64_t>(1, updates / 8) : most;
  destinations = draw_extent({destination_limit}, random.below(4) == 0 ? 4 : few, random);
  const std::int64_t most_terms = std::min(bounded_terms(drawn, request.contract), tensor::kMaxElements);
  // As many updates as a wish demands: each destination gets a bounded number.
  const std::int64_t demanded = update_limit.min;
  if (traits.bounded_terms && demanded > most_terms) {
    const std::int64_t needed = (2 * demanded + most_terms - 1) / most_terms;
    destinations = nearest_extent(destination_limit, std::max(destinations, needed));
  }
  if (traits.bounded_terms && random.below(32) != 0) {
    // Even the updates of one destination alone must not make every result vacuous: a second, idle one does.
    const std::int64_t terms = std::max(most_terms, destinations > 1 ? most_terms * destinations / 2 : 0);
    updates = std::min(updates, nearest_extent(update_limit, terms));
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 6 || destinations == 0) updates = nearest_extent(update_limit, 0);
  if (empty == 16 && nearest_extent(update_limit, 0) == 0) {
    updates = 0;
    destinations = nearest_extent(destination_limit, 0);
  }
  return drawn;
}

/// Of an operation that gives each element by itself: as many elements as others have terms.
operation::Operation draw_elements(const Request& request, const operation::Operation& wanted, int attempt,
                                   base::Random& random) {
  operation::Operation drawn = wanted;
  std::ranges::copy(draw_formats(request, drawn, random), drawn.formats().begin());
  const Size size = draw_size(attempt, random);
  std::vector<Dimension> dimensions;
  for (const std::string& name : drawn.signature().extents) {
    const std::int64_t most = size.volume > 65536 ? operation::ExtentLimit{}.max : 16384;
    dimensions.push_back(width(dimension_of(request.limits, drawn.signature(), name, most), name, request.limits,
                               drawn.signature(), attempt));
  }
  const auto extents = draw_extents(dimensions, std::min<std::int64_t>(size.volume, 1 << 18), random);
  std::ranges::copy(extents, drawn.extents().begin());
  const std::uint64_t empty = random.below(256);
  if (empty < 4) drawn.extents()[0] = nearest_extent(dimensions[0].limit, 0);
  return drawn;
}

/// Each extent within its own limit, all else as it comes.
operation::Operation draw_by_kind(const Request& request, const operation::Operation& wanted, const Traits& traits,
                                  int attempt, base::Random& random) {
  switch (operation::kind_of(wanted.signature()).value()) {
    case operation::Kind::Elements:
      return draw_elements(request, wanted, attempt, random);
    case operation::Kind::Reduction:
    case operation::Kind::Scan:
      return draw_reduction(request, wanted, traits, attempt, random);
    case operation::Kind::Update:
      return draw_scatter(request, wanted, traits, attempt, random);
    case operation::Kind::Products:
      return draw_gemm(request, traits, attempt, random);
    case operation::Kind::GroupedProducts:
      break;
  }
  return draw_grouped(request, wanted, traits, attempt, random);
}

}  // namespace

operation::Operation draw_operation(const Request& request, const Traits& traits, int attempt, base::Random& random) {
  const operation::Operation wanted = *operation::operation_named(request.operation);
  if (request.limits.equal.empty() && request.limits.products.empty()) {
    return draw_by_kind(request, wanted, traits, attempt, random);
  }
  Request related = request;
  related.limits = operation::with_common_extents(request.limits, wanted.signature());
  operation::Operation drawn = draw_by_kind(related, wanted, traits, attempt, random);
  operation::keep_relations(drawn.extents(), wanted.signature(), related.limits);
  return drawn;
}

}  // namespace negzero::generate
