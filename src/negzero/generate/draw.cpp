// Drawing a plan: strategy, operation, layouts, poison and schedule.

#include <algorithm>

#include <negzero/generate/draw.hpp>

namespace negzero::generate {
namespace {

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

}  // namespace

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
