// Drawing a plan: strategy, operation, layouts, poison and schedule.

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
namespace {

// Labels of the independent streams behind a plan: a change in one part leaves the others as they were.
enum Stream : std::uint64_t {
  kStrategy = 1,
  kPoison,
  kSchedule,
  kElements,
  kExtents,
  kWish,
  kOptions,
  kVariant,
  kAttempt = 64
};

bool takes_any_length(const Traits& traits) { return !traits.bounded_terms; }
bool shows_each_term(const Traits& traits) { return traits.shows_each_term; }

/// A strategy by its weight, of those alone that `has` is true of; nothing where those have no weight.
const Strategy* pick_strategy(const Request& request, base::Random random, bool (*has)(const Traits&) = nullptr) {
  const std::vector<Strategy>& all = strategies();
  const auto weight = [&](const Strategy& strategy) {
    if (has != nullptr && !has(traits(strategy.name))) return 0.0;
    if (request.mix.weights.empty()) return strategy.weight;
    const auto found = request.mix.weights.find(std::string(strategy.name));
    return found == request.mix.weights.end() ? 0.0 : found->second;
  };
  double largest = 0;
  for (const Strategy& strategy : all) largest = std::max(largest, weight(strategy));
  if (largest == 0) return nullptr;
  // Weights become integers once, so that the choice itself is integer arithmetic.
  std::uint64_t total = 0;
  for (const Strategy& strategy : all) total += static_cast<std::uint64_t>(weight(strategy) / largest * 0x1p32);
  std::uint64_t at = random.below(total);
  for (const Strategy& strategy : all) {
    const auto share = static_cast<std::uint64_t>(weight(strategy) / largest * 0x1p32);
    if (at < share) return &strategy;
    at -= share;
  }
  return &all.back();
}

/// The strategy of that name; nullptr where it has no weight.
const Strategy* weighing(const Request& request, std::string_view name) {
  const auto weight = request.mix.weights.find(std::string(name));
  const bool has_none = !request.mix.weights.empty() && (weight == request.mix.weights.end() || weight->second == 0);
  return has_none ? nullptr : &strategies()[static_cast<std::size_t>(find_strategy(name))];
}

/// A value of the range that the limit accepts, and that the ranges of all extents that are equal to it have; kFree
/// where none is found.
std::int64_t value_in(const ExtentRange& range, const operation::EqualExtents& equal, const Request& request,
                      const notation::Signature& signature, base::Random& random) {
  // Of ends and steps that differ not every value is in all ranges.
  constexpr int kMostDraws = 64;
  const operation::Limits limits =
      equal.size() < 2 ? request.limits : narrowed(request.limits, request.mix.extents, signature);
  const operation::ExtentLimit& limit = limits.extents[signature.extents[equal.front()]];
  const auto values = accepted(range, limit);
  for (int draws = 0; values && draws < kMostDraws; ++draws) {
    const std::int64_t value = draw_from(*values, limit, random);
    const bool is_everywhere = std::ranges::all_of(equal, [&](std::size_t e) {
      const auto other = request.mix.extents.find(signature.extents[e]);
      return other == request.mix.extents.end() || (value - other->second.low) % other->second.step == 0;
    });
    if (is_everywhere) return value;
  }
  return Wish::kFree;
}

/// `request` for one case: the limits of an extent that is decided let it be nothing else.
Request decided(const Request& request, const notation::Signature& signature, const Wish* wish, base::Random random) {
  Request result = request;
  const std::vector<operation::EqualExtents> groups = operation::equal_extents(request.limits, signature);
  std::array<bool, notation::kMostExtents> is_decided{};
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    if (is_decided[e]) continue;
    const auto range = request.mix.extents.find(signature.extents[e]);
    const auto has = [&](const operation::EqualExtents& group) { return std::ranges::find(group, e) != group.end(); };
    const auto group = std::ranges::find_if(groups, has);
    const operation::EqualExtents equal = group == groups.end() ? operation::EqualExtents{e} : *group;
    std::int64_t value = wish == nullptr ? Wish::kFree : wish->extents[e];
    if (value == Wish::kFree && range != request.mix.extents.end()) {
      value = value_in(range->second, equal, request, signature, random);
    }
    if (value == Wish::kFree) continue;
    for (const std::size_t other : equal) {
      operation::ExtentLimit& limit = result.limits.extents[signature.extents[other]];
      limit.min = limit.max = value;
      is_decided[other] = true;
    }
  }
  return result;
}

/// Whether the extents of a wish are among those that are asked for.
bool is_asked_for(const Wish& wish, const Request& request, const notation::Signature& signature) {
  for (const auto& [name, range] : request.mix.extents) {
    const auto place = signature.find_extent(name);
    const std::int64_t value = place ? wish.extents[*place] : Wish::kFree;
    if (value == Wish::kFree) continue;
    if (value < range.low || value > range.high || (value - range.low) % range.step != 0) return false;
  }
  return true;
}

/// The limits within which wishes are made: those of the request, between the ends of what is asked for; of the width
/// of packed tensors whose strides are aligned, such as are.
operation::Limits limits_of_wishes(const Request& request, const notation::Signature& signature) {
  operation::Limits limits = narrowed(request.limits, request.mix.extents, signature);
  for (std::size_t place = 0; place < signature.tensors.size(); ++place) {
    const notation::TensorSignature& tensor = signature.tensors[place];
    const operation::LayoutLimit& layout = operation::layout_limit(request.limits, signature, place);
    if (layout.order != operation::LayoutOrder::Packed || tensor.extents.size() < 2) continue;
    operation::ExtentLimit& limit = limits.extents[signature.extents[tensor.extents.back()]];
    limit.multiple = std::lcm(limit.multiple, layout.stride_multiple);
  }
  return operation::with_common_extents(std::move(limits), signature);
}

/// Gives the scalar of an addend that a wish is about a value with which it is read.
void read_what_is_meant(const operation::Limits& limits, const LayoutWish& wish, operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  if (wish.kind != LayoutWish::Kind::Repeated || wish.tensor != signature.addend) return;
  const auto gate = signature.tensors[wish.tensor].unread_at_zero;
  if (!gate || limits.beta == operation::ScalarLimit::Zero) return;
  operation::Scalar& scalar = operation.scalars()[*gate];
  const number::Format& format = number::format(scalar.format);
  if (number::is_zero(format, scalar.bits)) scalar.bits = number::one(format);
}

/// Which input of a case lies in the output's memory, where the formats allow it.
std::string in_place_of(const operation::InPlaceLimit& limit, const operation::Operation& operation,
                        base::Random& random) {
  if (limit.input.empty() || (!limit.always && random.below(2) == 0)) return "";
  return operation::may_be_in_place(operation, limit.input) ? limit.input : "";
}

/// Every value of each option equally often.
operation::Configuration draw_configuration(const operation::Options& options, base::Random random) {
  operation::Configuration configuration;
  for (const auto& [name, values] : options) {
    operation::set_option(configuration, options, name, values[static_cast<std::size_t>(random.below(values.size()))]);
  }
  return configuration;
}

/// The terms of a sum that a wish decides; nullptr where it leaves them open.
std::int64_t* terms_of(std::optional<Wish>& wish, const notation::Signature& signature) {
  if (!wish || !signature.reduced || signature.is_update) return nullptr;
  std::int64_t& terms = wish->extents[*signature.reduced];
  return terms == Wish::kFree ? nullptr : &terms;
}

/// The variant of the operation that case `index` has: an optional input is absent in three cases of eight, all are
/// there in one and absent in one besides.
const notation::Signature& draw_variant(const Request& request, std::uint64_t seed, std::uint64_t index) {
  const notation::Signature& family = *operation::find_signature(request.operation);
  const std::vector<std::string> inputs = operation::optional_inputs(family);
  if (inputs.empty()) return family;
  base::Random random = base::Random(seed).split(index).split(kVariant);
  const std::uint64_t kind = random.below(8);
  if (kind == 0) return family;
  if (kind == 1) return operation::variant(family, inputs);
  return operation::variant_with(family, [&](const std::string&) { return random.below(3) != 0; });
}

}  // namespace

std::optional<std::string> outside(const operation::Limits& limits, const Plan& plan) {
  return operation::outside(limits, plan.operation, plan.layouts, plan.in_place, plan.configuration);
}

void lay_in_place(Plan& plan) {
  if (!plan.in_place.empty()) plan.layouts.at(plan.in_place) = plan.layouts.at(operation::first_output(plan.operation));
}

std::optional<Wish> wish_of(const Request& request, std::uint64_t seed, std::uint64_t index) {
  const auto place = place_of_wish(seed, index);
  if (!place) return std::nullopt;
  const notation::Signature& signature = draw_variant(request, seed, index);
  auto wish =
      make_wish(signature, limits_of_wishes(request, signature), *place, base::Random(seed).split(index).split(kWish));
  return wish && is_asked_for(*wish, request, signature) ? wish : std::nullopt;
}

bool is_risky(const Request& request, std::uint64_t seed, std::uint64_t index) {
  const auto wish = wish_of(request, seed, index);
  return wish && wish->is_watched;
}

namespace {

/// Draws what depends on the strategy: extents, scalars, layouts. `is_granted`: a wish is to be had.
void draw_shape(const Request& request, const notation::Signature& signature, const base::Random& root,
                const Strategy& strategy, std::optional<Wish>& wish, bool is_granted, Plan& plan) {
  plan.strategy = strategy.name;
  const Traits& wanted = traits(plan.strategy);
  std::int64_t* const terms = terms_of(wish, signature);
  if (terms != nullptr && *terms < wanted.fewest_terms) {
    *terms = nearest_extent(request.limits.extents[signature.extents[*signature.reduced]], wanted.fewest_terms);
    for (const operation::EqualExtents& group : operation::equal_extents(request.limits, signature)) {
      if (std::ranges::find(group, *signature.reduced) == group.end()) continue;
      for (const std::size_t e : group) wish->extents[e] = *terms;
    }
  }
  // Nearly always the first attempt: what it draws respects each limit by itself, but alignment of packed strides
  // depends on the shape.
  const operation::Workload workload(signature, request.limits);
  for (int attempt = 0; attempt < 24; ++attempt) {
    base::Random random = root.split(kAttempt + static_cast<std::uint64_t>(attempt));
    const Wish* const now = is_granted && attempt < 3 ? &*wish : nullptr;
    std::optional<Request> narrow;
    if (now != nullptr || !request.mix.extents.empty()) {
      narrow = decided(request, signature, now, root.split(kExtents).split(static_cast<std::uint64_t>(attempt)));
    }
    LayoutWish layouts = now != nullptr ? now->layouts : LayoutWish{};
    if (now == nullptr && attempt > 4) layouts.kind = LayoutWish::Kind::Plain;
    plan.operation = draw_operation(narrow ? *narrow : request, workload, wanted, attempt, random);
    if (now != nullptr) read_what_is_meant(request.limits, now->layouts, plan.operation);
    plan.layouts = draw_layouts(request, wanted, plan.operation, layouts, random);
    plan.in_place = in_place_of(request.limits.in_place, plan.operation, random);
    lay_in_place(plan);
    // A wish and what is asked for may contradict each other through a relation.
    const bool is_asked =
        !operation::has_relations(signature, request.limits) || fits(request.mix.extents, plan.operation);
    if (is_asked && !outside(request.limits, plan) && !points_at_nothing(plan.operation)) break;
  }
}

}  // namespace

Plan draw(const Request& request, std::uint64_t seed, std::uint64_t index) {
  const base::Random root = base::Random(seed).split(index);
  const notation::Signature& signature = draw_variant(request, seed, index);
  std::optional<Wish> wish = wish_of(request, seed, index);
  Plan plan;
  const Strategy* strategy = pick_strategy(request, root.split(kStrategy));
  bool is_granted = wish.has_value();
  const bool selects = signature.combine && notation::selects(*signature.combine);
  if (wish && wish->is_rare && !selects) {
    if (const Strategy* const exact = weighing(request, "exact")) strategy = exact;
  }
  // Where one of the terms wins, a shape shows little unless that stands where kernels err.
  if (wish && selects && root.split(kWish).split(1).below(4) != 0) {
    if (const Strategy* const sparse = weighing(request, "sparse")) strategy = sparse;
  }
  const std::int64_t* const terms = terms_of(wish, signature);
  // Where there are more of them than a bound says anything about, a strategy that needs none takes its turn.
  if (terms != nullptr && traits(strategy->name).bounded_terms &&
      *terms > bounded_terms(*operation::operation_named(request.operation), request.contract)) {
    const Strategy* const other = pick_strategy(request, root.split(kStrategy), takes_any_length);
    is_granted = other != nullptr;
    if (other != nullptr) strategy = other;
  }
  draw_shape(request, signature, root, *strategy, wish, is_granted, plan);
  // What shows each term takes three turns of four where the contract hides most of them in any other data.
  if (traits(plan.strategy).bounded_terms && hides_terms(plan.operation, request.contract) &&
      root.split(kStrategy).split(1).below(4) != 0) {
    strategy = pick_strategy(request, root.split(kStrategy).split(2), shows_each_term);
    if (strategy != nullptr) draw_shape(request, signature, root, *strategy, wish, is_granted, plan);
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
  plan.configuration = draw_configuration(request.limits.configuration, root.split(kOptions));
  return plan;
}

}  // namespace negzero::generate
