// Features that need no element: operation, extents, layouts, scalars, setting, verdict.

#include <algorithm>
#include <bit>
#include <cmath>

#include <negzero/feature/kinds.hpp>
#include <negzero/generate/draw.hpp>
#include <negzero/operation/views.hpp>

namespace negzero::feature {
namespace {

using operation::Case;

std::uint32_t strategy_value(std::string_view strategy) {
  constexpr std::string_view kChanged = "mutated.";
  const bool is_changed = strategy.starts_with(kChanged);
  if (is_changed) strategy.remove_prefix(kChanged.size());
  const int found = generate::find_strategy(strategy);
  return value_of(is_changed ? 1 : 0, found < 0 ? 0xffff : static_cast<std::uint32_t>(found));
}

std::uint32_t setting_value(const Case& value) {
  const auto order = static_cast<std::uint32_t>(value.schedule.order);
  return (value.poison == operation::Poison::Large ? 1u : 0u) + 2 * order + (value.schedule.preempt ? 8u : 0u) +
         (value.history.empty() ? 0u : 16u);
}

std::uint32_t margin_value(double margin) {
  return margin > 0 ? static_cast<std::uint32_t>(std::clamp(std::ilogb(margin), -31, 31) + 32) : 0;
}

void gather_options(const Run& run, Gathered& to) {
  if (run.options == nullptr) return;
  for (std::size_t i = 0; const auto& [name, value] : operation::whole(*run.options, run.value.configuration)) {
    const std::vector<std::int64_t>& values = *run.options->find(name);
    const auto place = std::ranges::find(values, value) - values.begin();
    // What is none of them has the place behind the last one.
    to.add(Kind::Option, value_of(i++, option_bucket(static_cast<std::uint32_t>(place))));
  }
}

}  // namespace

std::uint32_t extent_bucket(std::int64_t extent) noexcept {
  const auto value = static_cast<std::uint64_t>(extent);
  if (value == 0) return 0;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(value));
  const std::uint32_t place = std::has_single_bit(value)       ? 0
                              : std::has_single_bit(value + 1) ? 1
                              : std::has_single_bit(value - 1) ? 2
                                                               : 3;
  return 4 * bits + place;
}

std::uint32_t option_bucket(std::uint32_t place) noexcept {
  if (place < kOptionPlaces) return place;
  return kOptionPlaces + static_cast<std::uint32_t>(std::bit_width(place / kOptionPlaces)) - 1;
}

std::uint32_t layout_bits(const tensor::Layout& layout) {
  if (layout.element_count() == 0) return 0;
  std::uint32_t bits = layout.offset > 0 ? kOffset : 0u;
  std::int64_t least = 0, before = 0;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] < 2) continue;
    const std::int64_t stride = layout.strides[d];
    if (stride == 0) {
      bits |= kBroadcast;
      continue;
    }
    if (before > stride) bits |= kTransposed;
    before = stride;
    least = least == 0 ? stride : std::min(least, stride);
  }
  if (least > 1) bits |= kApart;
  if (layout.extent() - layout.offset > layout.element_count()) bits |= kGaps;
  return bits;
}

std::uint32_t rule_number(verdict::Rule rule) {
  return static_cast<std::uint32_t>(std::min(rule.place(), verdict::judging_rules().size()));
}

void gather_setting(const Run& run, Gathered& to) {
  const Case& value = run.value;
  const auto& names = operation::operation_names();
  const auto named = std::ranges::find(names, operation::name(value.operation));
  // Behind the last one: a declared operation, which a folder's kernels do not share.
  to.add(Kind::Operation, static_cast<std::uint32_t>(named - names.begin()));
  to.add(Kind::Strategy, strategy_value(value.strategy));
  for (std::size_t i = 0; const operation::Extent& extent : operation::extents_of(value.operation)) {
    to.add(Kind::Extent, value_of(i++, extent_bucket(extent.value)));
  }
  for (std::size_t i = 0; const auto& [name, layout] : value.layouts) {
    to.add(Kind::Layout, value_of(i++, layout_bits(layout)));
  }
  for (std::size_t i = 0; const operation::Scalar& scalar : value.operation.scalars()) {
    std::uint32_t classes = classes_of(number::format(scalar.format), scalar.bits);
    for (; classes != 0; classes &= classes - 1) {
      to.add(Kind::Scalar, value_of(i, static_cast<std::uint32_t>(std::countr_zero(classes))));
    }
    ++i;
  }
  to.add(Kind::Setting, setting_value(value));
  gather_options(run, to);
  to.add(Kind::Verdict, static_cast<std::uint32_t>(run.verdict.kind));
  to.add(Kind::Margin, margin_value(run.verdict.margin));
  if (run.verdict.failure) {
    const auto kind = static_cast<std::uint32_t>(run.verdict.failure->kind);
    to.add(Kind::Failure, value_of(rule_number(run.verdict.failure->rule), kind));
  }
}

}  // namespace negzero::feature
