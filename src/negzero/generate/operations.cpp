// Operations: formats, extents and scalars of a plan.

#include <algorithm>
#include <numeric>
#include <span>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/work.hpp>
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
  if (!declared.empty()) {
    operation::Operation chosen = operation;
    chosen.set_formats(declared[static_cast<std::size_t>(random.below(declared.size()))]);
    return {chosen.formats().begin(), chosen.formats().end()};
  }
  const bool adds = operation.signature().combine && !is_selection(operation);
  const int bits = adds ? number::format(request.contract.accumulate).precision() : 53;
  std::vector<FormatId> formats = storable_formats(bits);
  if (formats.empty()) formats = storable_formats(53);
  const operation::Signature& signature = operation.signature();
  std::vector<FormatId> drawn(operation.formats().begin(), operation.formats().end());
  const bool uniform = random.below(2) == 0;
  for (std::size_t i = 0; i < signature.own_formats; ++i) {
    drawn[i] = uniform && i != 0 ? drawn[0] : formats[static_cast<std::size_t>(random.below(formats.size()))];
  }
  if (is_selection(operation) && !signature.is_update) {
    for (const operation::OutputSignature& output : signature.outputs) {
      const bool is_index = operation::gives_index(*output.combine);
      drawn[signature.tensors[output.tensor].format] = is_index ? FormatId::I32 : drawn[0];
    }
  }
  for (std::size_t i = signature.own_formats; i < drawn.size(); ++i) drawn[i] = signature.usual_format(i, drawn);
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

/// `gemm` with drawn extents and scalars.
operation::Gemm draw_gemm(const Request& request, operation::Gemm gemm, const Traits& traits, int attempt,
                          base::Random& random) {
  const operation::Limits& limits = request.limits;
  const Size size = draw_size(attempt, random);
  const std::int64_t most = most_terms(request, traits, gemm, random);
  const std::int64_t batches = random.below(4) != 0 ? 1 : random.below(8) == 0 ? 64 : 5;
  const operation::Signature& signature = *operation::find_signature(request.operation);
  const auto of = [&](std::string_view extent, std::int64_t cap = operation::ExtentLimit{}.max) {
    return dimension_of(limits, signature, extent, cap);
  };
  const Dimension dimensions[] = {of("batch", batches), of("m"), width(of("n"), "n", limits, signature, attempt),
                                  width(of("k", most), "k", limits, signature, attempt)};
  if (size.long_sum) {
    draw_long_extents(dimensions, random, gemm);
  } else {
    draw_usual_extents(dimensions, size.volume, random, gemm);
  }
  if (gemm.k < traits.fewest_terms) gemm.k = nearest_extent(dimensions[3].limit, traits.fewest_terms);
  const std::uint64_t empty = random.below(256);
  if (empty < 11) gemm.k = nearest_extent(limits.extents["k"], 0);
  if (empty == 16) gemm.m = nearest_extent(limits.extents["m"], 0);
  if (empty == 17) gemm.n = nearest_extent(limits.extents["n"], 0);
  if (empty == 18 && random.below(4) == 0) gemm.batch = nearest_extent(limits.extents["batch"], 0);
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
  as_gemm.operation = "gemm";
  operation::Operation drawn = wanted;
  rename_extents(as_gemm.limits, drawn.signature(), operation::Operation(operation::Gemm{}).signature());
  operation::ExtentLimit& groups = as_gemm.limits.extents["batch"];
  const std::int64_t several = random.between(1, random.below(4) == 0 ? 17 : 6);
  if (attempt < 8) groups.min = std::max(groups.min, nearest_extent(groups, several));
  drawn.set_formats(draw_formats(request, wanted, random));
  const operation::Operation gemm = draw_gemm(as_gemm, *operation::gemm_of_groups(drawn), traits, attempt, random);
  std::ranges::copy(gemm.extents(), drawn.extents().begin());
  if (random.below(256) == 0) drawn.extent("groups") = nearest_extent(request.limits.extents["groups"], 0);
  return drawn;
}

/// Of an operation on rows and columns. A scan is judged in the square of its columns, so that it has fewer of them.
operation::Operation draw_reduce(const Request& request, const operation::Operation& wanted, const Traits& traits,
                                 int attempt, base::Random& random) {
  const operation::Limits& limits = request.limits;
  operation::Operation drawn = wanted;
  std::ranges::copy(draw_formats(request, drawn, random), drawn.formats().begin());
  std::int64_t &row_count = drawn.extent("rows"), &column_count = drawn.extent("columns");
  const bool scans = wanted.signature().reach != operation::Reach::All;
  const Size size = draw_size(attempt, random);
  std::int64_t most = most_terms(request, traits, drawn, random);
  if (scans) most = std::min(most, random.below(32) == 0 ? 4 * kMostScanned : kMostScanned);
  const operation::Signature& signature = wanted.signature();
  const Dimension rows =
      dimension_of(limits, signature, "rows", size.volume > 65536 ? operation::ExtentLimit{}.max : 257);
  const Dimension columns =
      width(dimension_of(limits, signature, "columns", most), "columns", limits, signature, attempt);
  if (size.long_sum) {
    column_count = nearest_extent(columns.limit, std::min(random.between(1000, 5000), most));
    row_count = nearest_extent(limits.extents["rows"], random.between(1, 6));
  } else {
    const Dimension all[] = {rows, columns};
    const auto extents = draw_extents(all, std::min<std::int64_t>(size.volume, 1 << 20) / 2, random);
    row_count = extents[0];
    column_count = std::max(extents[1], nearest_extent(columns.limit, traits.fewest_terms));
  }
  if (scans) {
    const std::int64_t fewer = kMostScannedPairs / std::max<std::int64_t>(1, column_count * column_count);
    row_count = nearest_extent(limits.extents["rows"], std::min(row_count, std::max<std::int64_t>(1, fewer)));
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 9) column_count = nearest_extent(limits.extents["columns"], 0);
  if (empty == 16) row_count = nearest_extent(limits.extents["rows"], 0);
  return drawn;
}

operation::Scatter draw_scatter(const Request& request, operation::ScatterKind kind, const Traits& traits, int attempt,
                                base::Random& random) {
  const operation::Limits& limits = request.limits;
  operation::Scatter scatter;
  scatter.kind = kind;
  const std::vector<FormatId> formats = draw_formats(request, scatter, random);
  scatter.x = formats[0];
  scatter.index = formats[1];
  const Size size = draw_size(attempt, random);
  const std::int64_t most = size.volume > 65536 ? std::int64_t{1} << 18 : std::min<std::int64_t>(size.volume, 5000);
  const Dimension updates{limits.extents["updates"]}, destinations{limits.extents["destinations"]};
  scatter.updates = draw_extent(updates, most, random);
  // Terms that belong together must meet in one destination.
  const bool crowded = traits.structured && random.below(4) != 0;
  const std::int64_t few = crowded ? std::max<std::int64_t>(1, scatter.updates / 8) : most;
  scatter.destinations = draw_extent(destinations, random.below(4) == 0 ? 4 : few, random);
  const std::int64_t most_terms = std::min(bounded_terms(scatter, request.contract), tensor::kMaxElements);
  // As many updates as a wish demands: each destination gets a bounded number.
  const std::int64_t demanded = limits.extents["updates"].min;
  if (traits.bounded_terms && demanded > most_terms) {
    const std::int64_t needed = (2 * demanded + most_terms - 1) / most_terms;
    scatter.destinations = nearest_extent(limits.extents["destinations"], std::max(scatter.destinations, needed));
  }
  if (traits.bounded_terms && random.below(32) != 0) {
    // Even the updates of one destination alone must not make every result vacuous: a second, idle one does.
    const std::int64_t terms =
        std::max(most_terms, scatter.destinations > 1 ? most_terms * scatter.destinations / 2 : 0);
    scatter.updates = std::min(scatter.updates, nearest_extent(limits.extents["updates"], terms));
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 6 || scatter.destinations == 0) scatter.updates = nearest_extent(limits.extents["updates"], 0);
  if (empty == 16 && nearest_extent(limits.extents["updates"], 0) == 0) {
    scatter.updates = 0;
    scatter.destinations = nearest_extent(limits.extents["destinations"], 0);
  }
  return scatter;
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
  const operation::Signature& signature = wanted.signature();
  if (!signature.is_update && signature.factors.size() == 1 && signature.combine) {
    return draw_reduce(request, wanted, traits, attempt, random);
  }
  if (const auto scatter = operation::view_if<operation::Scatter>(wanted)) {
    return draw_scatter(request, scatter->kind, traits, attempt, random);
  }
  if (!signature.combine) return draw_elements(request, wanted, attempt, random);
  if (operation::gemm_of_groups(wanted)) return draw_grouped(request, wanted, traits, attempt, random);
  operation::Operation gemm = wanted;
  gemm.set_formats(draw_formats(request, gemm, random));
  return draw_gemm(request, operation::view<operation::Gemm>(gemm), traits, attempt, random);
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
