// Drawing a plan: strategy, formats, extents, scalars, layouts, poison and schedule.

#include <algorithm>
#include <cmath>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;
using operation::Scalar;
using operation::ScalarLimit;

// Labels of the independent streams behind a plan: a change in one part leaves the others as they were.
enum Stream : std::uint64_t { kStrategy = 1, kPoison, kSchedule, kElements, kAttempt = 64 };

const Strategy& pick_strategy(const Request& request, base::Random random) {
  const std::vector<Strategy>& all = strategies();
  const auto weight = [&](const Strategy& strategy) {
    if (request.weights.empty()) return strategy.weight;
    const auto found = request.weights.find(std::string(strategy.name));
    return found == request.weights.end() ? 0.0 : found->second;
  };
  double largest = 0;
  for (const Strategy& strategy : all) largest = std::max(largest, weight(strategy));
  // Weights become integers once, so that the choice itself is integer arithmetic.
  std::uint64_t total = 0;
  for (const Strategy& strategy : all) total += static_cast<std::uint64_t>(weight(strategy) / largest * 0x1p32);
  std::uint64_t at = random.below(total);
  for (const Strategy& strategy : all) {
    const auto share = static_cast<std::uint64_t>(weight(strategy) / largest * 0x1p32);
    if (at < share) return strategy;
    at -= share;
  }
  return all.back();
}

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
  const int bits = number::format(request.contract.accumulate).precision();
  std::vector<FormatId> formats = storable_formats(is_selection(operation) ? 53 : bits);
  if (formats.empty()) formats = storable_formats(53);
  std::vector<FormatId> drawn = operation::formats_of(operation);
  const bool uniform = random.below(2) == 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    drawn[i] = uniform && i != 0 ? drawn[0] : formats[static_cast<std::size_t>(random.below(formats.size()))];
  }
  if (const auto* reduce = std::get_if<operation::Reduce>(&operation); reduce != nullptr && is_selection(operation)) {
    const bool index = reduce->kind == operation::ReduceKind::Argmax || reduce->kind == operation::ReduceKind::Argmin;
    drawn[1] = index ? FormatId::I32 : drawn[0];
  }
  return drawn;
}

/// The format of alpha and beta: the declared one, else that of a usual BLAS: F64 with an F64 accumulator, F32
/// otherwise.
FormatId scalar_format(const contract::Contract& contract) {
  return contract.scalar_format.value_or(contract.accumulate == FormatId::F64 ? FormatId::F64 : FormatId::F32);
}

std::uint64_t scalar_bits(const number::Format& format, double value) {
  return number::from_double(format, value, kFinite);
}

/// One value other than 0 and 1 with all signs and sizes that matter.
std::uint64_t odd_scalar(const number::Format& format, Traits::Scalars kind, base::Random& random) {
  const auto pick = [&](std::initializer_list<double> values) {
    return scalar_bits(format, *(values.begin() + random.below(values.size())));
  };
  switch (kind) {
    case Traits::Scalars::Finite:
      return pick({-1, 2, 0.5, 3, -2});
    case Traits::Scalars::Power:
      return pick({-1, 2, 0.5});
    case Traits::Scalars::Small:
      return pick({0.5, 0.0625, -0.5, 2, -1});
    case Traits::Scalars::Any:
      break;
  }
  switch (random.below(12)) {
    case 0:
      return number::canonical_nan(format);
    case 1:
      return number::infinity(format, random.below(2) == 0);
    case 2:
      return number::zero(format, true);
    case 3:
    case 4:
      return word_in_binade(format, 0, random.next());
    default:
      return pick({-1, 2, 0.5, 3, -1, 2});
  }
}

Scalar draw_scalar(FormatId id, ScalarLimit limit, Traits::Scalars kind, bool is_beta, base::Random& random) {
  const number::Format& format = number::format(id);
  const std::uint64_t draw = random.below(32);
  const std::uint64_t minus = random.below(8);
  const std::uint64_t odd = odd_scalar(format, kind, random);
  const std::uint64_t zero = number::zero(format, minus == 0), one = number::one(format);
  switch (limit) {
    case ScalarLimit::Zero:
      return {id, zero};
    case ScalarLimit::One:
      return {id, one};
    case ScalarLimit::ZeroOrOne:
    case ScalarLimit::Any:
      break;
  }
  // Of 32: beta is 0 in 18, 1 in 6. Alpha is 1 in 22; 0 in 2, but only where nothing rests on the sum.
  std::uint64_t bits = odd;
  if (is_beta) {
    if (draw < 24) bits = draw < 18 ? zero : one;
  } else if (draw < 24) {
    bits = draw < 22 || kind != Traits::Scalars::Any ? one : zero;
  }
  if (limit == ScalarLimit::ZeroOrOne && bits == odd) bits = is_beta && minus < 4 ? zero : one;
  return {id, bits};
}

/// How many products (elements of a Reduce, updates of a Scatter) a case has at most; `long_sum`: in few results.
struct Size {
  std::int64_t volume = 0;
  bool long_sum = false;
};

/// Mean about 16,000 products; one case in a hundred is large.
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

operation::Gemm draw_gemm(const Request& request, const Traits& traits, int attempt, base::Random& random) {
  const operation::Limits& limits = request.limits;
  operation::Gemm gemm;
  const std::vector<FormatId> formats = draw_formats(request, gemm, random);
  gemm.a = formats[0];
  gemm.b = formats[1];
  gemm.d = formats[2];
  const Size size = draw_size(attempt, random);
  std::int64_t most_terms = operation::ExtentLimit{}.max;
  if (traits.bounded_terms && random.below(32) != 0) most_terms = bounded_terms(gemm, request.contract);
  const std::int64_t batches = random.below(4) != 0 ? 1 : random.below(8) == 0 ? 64 : 5;
  Dimension batch{limits.batch, {}, batches};
  Dimension m{limits.m, limits.tiles.m}, n{limits.n, limits.tiles.n}, k{limits.k, limits.tiles.k, most_terms};
  if (size.long_sum) {
    gemm.k = nearest_extent(limits.k, std::min(random.between(1000, 5000), most_terms));
    const Dimension rest[] = {batch, m, n};
    const std::vector<std::int64_t> extents = draw_extents(rest, std::max<std::int64_t>(1, size.volume / 5000), random);
    gemm.batch = extents[0];
    gemm.m = extents[1];
    gemm.n = extents[2];
  } else {
    const Dimension all[] = {batch, m, n, k};
    const std::vector<std::int64_t> extents = draw_extents(all, size.volume, random);
    gemm.batch = extents[0];
    gemm.m = extents[1];
    gemm.n = extents[2];
    gemm.k = extents[3];
    if (gemm.k < traits.fewest_terms) gemm.k = nearest_extent(limits.k, traits.fewest_terms);
    if (size.volume > 65536 && random.below(4) == 0) {  // More rows than a 16-bit grid dimension counts.
      (random.below(2) == 0 ? gemm.m : gemm.n) = 1;
      gemm.k = nearest_extent(limits.k, 1);
      const std::int64_t many = random.between(65535, 65537);
      const std::uint64_t which = random.below(3);
      if (which == 0) gemm.batch = nearest_extent(limits.batch, many);
      gemm.m = which == 1 ? nearest_extent(limits.m, many) : nearest_extent(limits.m, 1);
      gemm.n = which == 2 ? nearest_extent(limits.n, many) : nearest_extent(limits.n, 1);
      if (which != 0) gemm.batch = nearest_extent(limits.batch, 1);
    }
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 9) gemm.k = nearest_extent(limits.k, 0);
  if (empty == 16) gemm.m = nearest_extent(limits.m, 0);
  if (empty == 17) gemm.n = nearest_extent(limits.n, 0);
  if (empty == 18 && random.below(4) == 0) gemm.batch = nearest_extent(limits.batch, 0);
  const FormatId scalars = scalar_format(request.contract);
  // Without products all that can go wrong is beta * c.
  const Traits::Scalars kind = gemm.k == 0 ? Traits::Scalars::Any : traits.scalars;
  gemm.alpha = draw_scalar(scalars, limits.alpha, kind, false, random);
  gemm.beta = draw_scalar(scalars, limits.beta, kind, true, random);
  return gemm;
}

operation::Reduce draw_reduce(const Request& request, operation::ReduceKind kind, const Traits& traits, int attempt,
                              base::Random& random) {
  const operation::Limits& limits = request.limits;
  operation::Reduce reduce;
  reduce.kind = kind;
  const std::vector<FormatId> formats = draw_formats(request, reduce, random);
  reduce.x = formats[0];
  reduce.y = formats[1];
  const Size size = draw_size(attempt, random);
  std::int64_t most_terms = operation::ExtentLimit{}.max;
  if (traits.bounded_terms && random.below(32) != 0) most_terms = bounded_terms(reduce, request.contract);
  const Dimension rows{limits.rows, limits.tiles.m, size.volume > 65536 ? operation::ExtentLimit{}.max : 257};
  const Dimension columns{limits.columns, limits.tiles.k, most_terms};
  if (size.long_sum) {
    reduce.columns = nearest_extent(limits.columns, std::min(random.between(1000, 5000), most_terms));
    reduce.rows = nearest_extent(limits.rows, random.between(1, 6));
  } else {
    const Dimension all[] = {rows, columns};
    const std::vector<std::int64_t> extents =
        draw_extents(all, std::min<std::int64_t>(size.volume, 1 << 20) / 2, random);
    reduce.rows = extents[0];
    reduce.columns = std::max(extents[1], nearest_extent(limits.columns, traits.fewest_terms));
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 9) reduce.columns = nearest_extent(limits.columns, 0);
  if (empty == 16) reduce.rows = nearest_extent(limits.rows, 0);
  return reduce;
}

operation::Scatter draw_scatter(const Request& request, operation::ScatterKind kind, const Traits& traits, int attempt,
                                base::Random& random) {
  const operation::Limits& limits = request.limits;
  operation::Scatter scatter;
  scatter.kind = kind;
  scatter.x = draw_formats(request, scatter, random)[0];
  const Size size = draw_size(attempt, random);
  const std::int64_t most = size.volume > 65536 ? std::int64_t{1} << 18 : std::min<std::int64_t>(size.volume, 5000);
  const Dimension updates{limits.updates, limits.tiles.k}, destinations{limits.destinations, limits.tiles.m};
  scatter.updates = draw_extent(updates, most, random);
  // Terms that belong together must meet in one destination.
  const bool crowded = traits.structured && random.below(4) != 0;
  const std::int64_t few = crowded ? std::max<std::int64_t>(1, scatter.updates / 8) : most;
  scatter.destinations = draw_extent(destinations, random.below(4) == 0 ? 4 : few, random);
  if (traits.bounded_terms && random.below(32) != 0) {
    // Even the updates of one destination alone must not make every result vacuous: a second, idle one does.
    const std::int64_t most_terms = bounded_terms(scatter, request.contract);
    const std::int64_t terms =
        std::max(most_terms, scatter.destinations > 1 ? most_terms * scatter.destinations / 2 : 0);
    scatter.updates = std::min(scatter.updates, nearest_extent(limits.updates, terms));
  }
  const std::uint64_t empty = random.below(256);
  if (empty < 6 || scatter.destinations == 0) scatter.updates = nearest_extent(limits.updates, 0);
  if (empty == 16 && nearest_extent(limits.updates, 0) == 0) {
    scatter.updates = 0;
    scatter.destinations = nearest_extent(limits.destinations, 0);
  }
  return scatter;
}

}  // namespace

operation::Operation draw_operation(const Request& request, const Traits& traits, int attempt, base::Random& random) {
  using operation::ReduceKind;
  using operation::ScatterKind;
  for (const ReduceKind kind :
       {ReduceKind::Sum, ReduceKind::Mean, ReduceKind::Max, ReduceKind::Min, ReduceKind::Argmax, ReduceKind::Argmin}) {
    if (request.operation == operation::name(operation::Reduce{.kind = kind})) {
      return draw_reduce(request, kind, traits, attempt, random);
    }
  }
  for (const ScatterKind kind : {ScatterKind::Add, ScatterKind::Max, ScatterKind::Min}) {
    if (request.operation == operation::name(operation::Scatter{.kind = kind})) {
      return draw_scatter(request, kind, traits, attempt, random);
    }
  }
  return draw_gemm(request, traits, attempt, random);
}

Plan draw(const Request& request, std::uint64_t seed, std::uint64_t index) {
  const base::Random root = base::Random(seed).split(index);
  Plan plan;
  plan.strategy = pick_strategy(request, root.split(kStrategy)).name;
  const Traits& wanted = traits(plan.strategy);
  // Nearly always the first attempt: what it draws respects each limit by itself, but alignment of packed strides
  // depends on the shape.
  for (int attempt = 0; attempt < 24; ++attempt) {
    base::Random random = root.split(kAttempt + static_cast<std::uint64_t>(attempt));
    plan.operation = draw_operation(request, wanted, attempt, random);
    plan.layouts = draw_layouts(request, wanted, plan.operation, attempt > 4, random);
    if (!operation::outside(request.limits, plan.operation, plan.layouts)) break;
  }
  plan.poison = root.split(kPoison).at(0) >> 63 != 0 ? operation::Poison::Nan : operation::Poison::Large;
  base::Random schedule = root.split(kSchedule);
  const std::uint64_t order = schedule.below(5);
  plan.schedule.order = order < 2   ? operation::Schedule::Order::Forward
                        : order < 3 ? operation::Schedule::Order::Backward
                                    : operation::Schedule::Order::Random;
  plan.schedule.preempt = schedule.below(4) == 0;
  plan.schedule.seed = schedule.next();
  plan.element_seed = root.split(kElements).at(0);
  return plan;
}

}  // namespace negzero::generate
