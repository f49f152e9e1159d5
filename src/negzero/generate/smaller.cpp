// Simpler plans than a given one: the shrink tree that RapidCheck walks, and a plan as text.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/generate/draw.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/operation/views.hpp>
#include <negzero/operation/whole.hpp>

namespace negzero::generate {
namespace {

Plan with_plain_layouts(const Request& request, Plan plan, const std::string& only) {
  for (const auto& [spec, limit, is_output] : operation::tensor_views(plan.operation, request.limits)) {
    if (only.empty() || only == spec.name) plan.layouts[spec.name] = operation::plain_layout(spec.shape, limit);
  }
  lay_in_place(plan);
  return plan;
}

/// `plan` after its operation has changed shape.
Plan with_fitting_layouts(const Request& request, Plan plan) {
  Plan kept = plan;
  for (const auto& [spec, limit, is_output] : operation::tensor_views(plan.operation, request.limits)) {
    const auto found = kept.layouts.find(spec.name);
    if (found == kept.layouts.end()) continue;
    found->second = resized_layout(found->second, spec.shape);
  }
  lay_in_place(kept);
  if (!outside(request.limits, kept)) return kept;
  return with_plain_layouts(request, std::move(plan), "");
}

}  // namespace

std::vector<Plan> smaller_plans(const Request& request, const Plan& plan) {
  std::vector<Plan> result;
  const auto offer = [&](Plan candidate) {
    if (candidate == plan) return;
    if (outside(request.limits, candidate)) return;
    if (std::find(result.begin(), result.end(), candidate) == result.end()) result.push_back(std::move(candidate));
  };

  operation::Operation original = plan.operation;
  const std::vector<operation::ExtentView> extents = operation::extent_views(original, request.limits);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::int64_t extent = *extents[d].value;
    const std::int64_t smallest = nearest_extent(*extents[d].limit, 0);
    // Half of the way is left out, a quarter, and so on, down to one step.
    for (std::int64_t back = extent - smallest; back > 0; back /= 2) {
      Plan candidate = plan;
      *operation::extent_views(candidate.operation, request.limits)[d].value =
          nearest_extent(*extents[d].limit, extent - back);
      operation::keep_relations(candidate.operation.extents(), plan.operation.signature(), request.limits, d);
      offer(with_fitting_layouts(request, std::move(candidate)));
    }
  }

  for (const std::string& input : operation::optional_inputs(plan.operation.signature())) {
    if (operation::is_absent(plan.operation.signature(), input)) continue;
    Plan candidate = plan;
    candidate.operation.set_variant(operation::variant_with(plan.operation.signature(), [&](const std::string& each) {
      return each != input && !operation::is_absent(plan.operation.signature(), each);
    }));
    candidate.layouts.erase(input);
    if (candidate.in_place == input) candidate.in_place.clear();
    offer(std::move(candidate));
  }

  offer(with_plain_layouts(request, plan, ""));
  for (const auto& [spec, limit, is_output] : operation::tensor_views(plan.operation, request.limits)) {
    offer(with_plain_layouts(request, plan, spec.name));
  }
  for (std::size_t i = 0; i < plan.operation.scalars().size(); ++i) {
    const number::Format& format = number::format(plan.operation.scalars()[i].format);
    const auto offer_scalar = [&](std::uint64_t bits) {
      Plan candidate = plan;
      candidate.operation.scalars()[i].bits = bits;
      offer(std::move(candidate));
    };
    const notation::ScalarSignature& scalar = plan.operation.signature().scalars[i];
    if (scalar.is_whole()) {
      const std::int64_t own = operation::whole_value(plan.operation.scalars()[i]);
      const std::int64_t least =
          operation::whole_range(scalar.kind, request.limits.scalars.find(scalar.name)).nearest(0);
      for (std::int64_t back = own - least; back != 0; back /= 2) {
        offer_scalar(operation::whole_scalar(own - back).bits);
      }
      continue;
    }
    if (!scalar.is_addend) {
      offer_scalar(number::one(format));
      continue;
    }
    offer_scalar(number::zero(format));
    // Only from elsewhere: otherwise 0 and 1 would follow each other for ever.
    if (plan.operation.scalars()[i].bits != number::zero(format)) offer_scalar(number::one(format));
  }
  Plan apart = plan;
  apart.in_place.clear();
  offer(std::move(apart));
  operation::each_simpler(request.limits.configuration, plan.configuration, [&](operation::Configuration simpler) {
    Plan candidate = plan;
    candidate.configuration = std::move(simpler);
    offer(std::move(candidate));
    return true;
  });
  Plan calm = plan;
  calm.schedule = {};
  offer(std::move(calm));
  Plan with_nan = plan;
  with_nan.poison = operation::Poison::Nan;
  offer(std::move(with_nan));
  Plan plain = plan;
  plain.element_seed = 0;
  offer(std::move(plain));
  return result;
}

std::string to_string(const Plan& plan) {
  std::string text = fmt::format("{} {}", plan.strategy, operation::name(plan.operation));
  for (const operation::Extent& extent : operation::extents_of(plan.operation)) {
    text += fmt::format(" {}={}", extent.name, extent.value);
  }
  if (const std::string without = operation::absent_text(plan.operation.signature()); !without.empty())
    text += " " + without;
  for (std::size_t i = 0; i < plan.operation.scalars().size(); ++i) {
    const operation::Scalar& scalar = plan.operation.scalars()[i];
    text += fmt::format(" {}={}", plan.operation.signature().scalars[i].name,
                        number::to_decimal(number::format(scalar.format), scalar.bits));
  }
  for (const auto& [name, layout] : plan.layouts) {
    text += fmt::format(", {} {} @{} ({})", name, fmt::join(layout.shape, "x"), layout.offset,
                        fmt::join(layout.strides, ", "));
  }
  if (!plan.in_place.empty()) text += fmt::format(", {} in the output's memory", plan.in_place);
  if (!plan.configuration.empty()) text += ", " + operation::describe(plan.configuration);
  return text + fmt::format(", poison {}, schedule {}{} {:#x}, elements {:#x}", operation::name(plan.poison),
                            operation::name(plan.schedule.order), plan.schedule.preempt ? " preempting" : "",
                            plan.schedule.seed, plan.element_seed);
}

}  // namespace negzero::generate
