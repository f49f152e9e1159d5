// Operations: formats, extents and scalars of a plan, by the kind of what is wanted.

#include <algorithm>
#include <span>

#include <negzero/generate/kinds.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
namespace {

operation::Operation draw_scatter(const Drawing& drawing, const operation::Operation& wanted, base::Random& random) {
  const Request& request = drawing.request;
  const Traits& traits = drawing.traits;
  operation::Operation drawn = wanted;
  const notation::Signature& signature = wanted.signature();
  const std::size_t combined = *signature.reduced;
  const std::size_t numbered = *signature.tensors[*signature.find_tensor(operation::index_name(signature))].index_below;
  const operation::ExtentLimit& update_limit = request.limits.extents[signature.extents[combined]];
  const operation::ExtentLimit& destination_limit = request.limits.extents[signature.extents[numbered]];
  std::int64_t &updates = drawn.extents()[combined], &destinations = drawn.extents()[numbered];
  draw_formats(request, drawn, random);
  const Size size = draw_size(drawing, random);
  const std::int64_t most = size.room(size.volume > 65536 ? std::int64_t{1} << 18 : 5000);
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

}  // namespace

operation::Operation draw_elements(const Drawing& drawing, const operation::Operation& wanted, base::Random& random) {
  const Request& request = drawing.request;
  operation::Operation drawn = wanted;
  draw_formats(request, drawn, random);
  const Size size = draw_size(drawing, random);
  std::vector<Dimension> dimensions;
  for (const std::string& name : drawn.signature().extents) {
    std::int64_t most = size.volume > 65536 ? operation::ExtentLimit{}.max : 16384;
    // Windows, strides and paddings are small: a large one leaves few results, or much that is padded.
    if (drawn.signature().is_parameter(*drawn.signature().find_extent(name))) most = random.below(8) != 0 ? 8 : 64;
    dimensions.push_back(width(dimension_of(request.limits, drawn.signature(), name, most), name, request.limits,
                               drawn.signature(), drawing.attempt));
  }
  const auto work = [&](std::span<const std::int64_t> lengths) {
    if (!operation::has_relations(drawn.signature(), request.limits)) return drawing.workload.of(lengths);
    std::vector<std::int64_t> completed(lengths.begin(), lengths.end());
    operation::complete(completed, drawn.signature(), request.limits);
    return drawing.workload.of(completed);
  };
  const auto extents = draw_extents(dimensions, size.room(1 << 18), work, random);
  std::ranges::copy(extents, drawn.extents().begin());
  const std::uint64_t empty = random.below(256);
  if (empty < 4) drawn.extents()[0] = nearest_extent(dimensions[0].limit, 0);
  return drawn;
}

namespace {

/// Each extent within its own limit, all else as it comes.
operation::Operation draw_by_kind(const Drawing& drawing, const operation::Operation& wanted, base::Random& random) {
  if (wanted.signature().is_declared) return draw_declared(drawing, wanted, random);
  switch (operation::kind_of(wanted.signature()).value()) {
    case operation::Kind::Elements:
      return draw_elements(drawing, wanted, random);
    case operation::Kind::Reduction:
    case operation::Kind::Scan:
      return draw_reduction(drawing, wanted, random);
    case operation::Kind::Update:
      return draw_scatter(drawing, wanted, random);
    case operation::Kind::Products:
      return draw_products(drawing, wanted, random);
    case operation::Kind::GroupedProducts:
      break;
  }
  return draw_grouped(drawing, wanted, random);
}

/// Halves extents, those that cost most first, until a case has no more work than `most` or none can be shorter: what
/// is computed from drawn extents may be longer than anything that is drawn.
void shorten(std::span<std::int64_t> extents, std::int64_t most, const operation::Limits& limits,
             const operation::Workload& workload) {
  const notation::Signature& signature = workload.signature();
  std::int64_t work = workload.of(extents);
  for (int halvings = 0; work > most && halvings < 64; ++halvings) {
    std::vector<std::int64_t> best;
    for (std::size_t e = 0; e < extents.size(); ++e) {
      const auto shorter = limits.extents[signature.extents[e]].at_most(extents[e] / 2);
      if (!shorter || *shorter == 0) continue;
      std::vector<std::int64_t> cut(extents.begin(), extents.end());
      cut[e] = *shorter;
      operation::keep_relations(cut, signature, limits, e);
      if (workload.of(cut) >= work || operation::breaks_relation(cut, signature, limits)) continue;
      work = workload.of(cut);
      best = std::move(cut);
    }
    if (best.empty()) return;
    std::ranges::copy(best, extents.begin());
  }
}

}  // namespace

bool points_at_nothing(const operation::Operation& operation) {
  return operation.signature().is_declared &&
         std::ranges::any_of(operation::input_specs(operation), [](const operation::TensorSpec& spec) {
           return spec.index_below == 0 && !spec.words.has_none && tensor::count_elements(spec.shape) > 0;
         });
}

operation::Operation draw_operation(const Request& request, const operation::Workload& workload, const Traits& traits,
                                    int attempt, base::Random& random) {
  const operation::Operation wanted(workload.signature());
  const notation::Signature& signature = wanted.signature();
  if (request.limits.equal.empty() && request.limits.products.empty() &&
      !operation::has_relations(signature, request.limits)) {
    return draw_by_kind({request, workload, traits, attempt}, wanted, random);
  }
  Request related = request;
  related.limits = operation::with_common_extents(request.limits, wanted.signature());
  // Free extents as they come, a few times: a repair would give those that a relation ties the ends of their ranges.
  operation::Operation drawn = wanted;
  constexpr int kMostDraws = 8;
  constexpr std::int64_t kUsualWork = 1 << 16;
  std::int64_t most = 0;
  for (int draws = 0; draws < kMostDraws; ++draws) {
    drawn = draw_by_kind({related, workload, traits, attempt}, wanted, random);
    most = std::max(kUsualWork, workload.of(drawn.extents()));
    if (operation::complete(drawn.extents(), signature, related.limits) && !points_at_nothing(drawn)) break;
  }
  operation::keep_relations(drawn.extents(), signature, related.limits);
  if (operation::has_relations(signature, related.limits)) shorten(drawn.extents(), most, related.limits, workload);
  return drawn;
}

}  // namespace negzero::generate
