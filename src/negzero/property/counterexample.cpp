// A case and a failure as text that a person can read.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/contract/contract.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/counterexample.hpp>

namespace negzero::property {

namespace {

// Of one tensor: what fits on a screen, lines that are no wider than one.
constexpr std::int64_t kMaxLines = 16, kMaxInLine = 8;

std::string value_text(const number::Format& format, std::uint64_t word) {
  return format.is_integer() ? number::to_decimal(format, word) : number::with_bits(format, word);
}

std::string format_name(number::FormatId id) { return std::string(number::format(id).name); }

std::string scalar_text(const operation::Scalar& scalar) {
  return number::to_decimal(number::format(scalar.format), scalar.bits);
}

/// Elements, each row of the last dimension on a line, or on several where it is long.
std::string elements(const tensor::Tensor& tensor, const std::string& indent) {
  const std::int64_t count = tensor.element_count();
  const std::int64_t width = tensor.shape().empty() ? 1 : std::max<std::int64_t>(1, tensor.shape().back());
  std::string text;
  std::int64_t lines = 0, i = 0;
  for (; i < count; ++i) {
    const std::int64_t column = i % width;
    if (column % kMaxInLine == 0) {
      if (lines++ == kMaxLines) break;
      text += fmt::format("\n{}{}", indent, column == 0 ? "  " : "    ");
    }
    text += value_text(tensor.format(), tensor.get(i));
    if (i + 1 < count) text += ", ";
  }
  if (i < count) text += fmt::format("\n{}  ... {} more (`negzero show CASE --json` has all)", indent, count - i);
  return text;
}

const oracle::Rule* find_rule(const std::string& id) {
  for (const oracle::Rule& rule : oracle::rules()) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

}  // namespace

std::string describe(const operation::Operation& operation) {
  const std::string name = operation::name(operation);
  if (const auto* gemm = std::get_if<operation::Gemm>(&operation)) {
    return fmt::format("{}  batch {}, m {}, n {}, k {}  ({}, {} -> {})  alpha {}, beta {}", name, gemm->batch, gemm->m,
                       gemm->n, gemm->k, format_name(gemm->a), format_name(gemm->b), format_name(gemm->d),
                       scalar_text(gemm->alpha), scalar_text(gemm->beta));
  }
  if (const auto* reduce = std::get_if<operation::Reduce>(&operation)) {
    return fmt::format("{}  rows {}, columns {}  ({} -> {})", name, reduce->rows, reduce->columns,
                       format_name(reduce->x), format_name(reduce->y));
  }
  const auto& scatter = std::get<operation::Scatter>(operation);
  return fmt::format("{}  updates {}, destinations {}  ({})", name, scatter.updates, scatter.destinations,
                     format_name(scatter.x));
}

std::string describe(const operation::Case& value, const std::string& indent) {
  std::string text = indent + describe(value.operation);
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    const tensor::Tensor& tensor = value.tensors.at(spec.name);
    text += fmt::format("\n{}{} {}[{}]", indent, spec.name, format_name(spec.format), fmt::join(spec.shape, ", "));
    text += elements(tensor, indent);
  }
  for (const auto& [name, layout] : value.layouts) {
    if (layout == tensor::Layout::packed(layout.shape)) continue;
    text += fmt::format("\n{}layout of {}: strides [{}], offset {} elements", indent, name,
                        fmt::join(layout.strides, ", "), layout.offset);
  }
  if (value.poison == operation::Poison::Large) {
    text += fmt::format("\n{}poison: the largest finite number", indent);
  }
  if (value.schedule != operation::Schedule{}) {
    using Order = operation::Schedule::Order;
    text += fmt::format("\n{}schedule: {}{}, seed {}", indent,
                        value.schedule.order == Order::Forward    ? "forward"
                        : value.schedule.order == Order::Backward ? "backward"
                                                                  : "random",
                        value.schedule.preempt ? " with preemption" : "", value.schedule.seed);
  }
  if (!value.strategy.empty()) {
    text += fmt::format("\n{}strategy {}, seed {}, index {}", indent, value.strategy, value.seed, value.index);
  }
  return text;
}

std::string counterexample(const kernel::Kernel& kernel, const operation::Case& value,
                           const operation::Failure& failure, const std::string& replay) {
  std::string text = fmt::format("FAIL  {}  {}\n", kernel.name, operation::name(failure.kind));
  if (!kernel.about.empty()) text += fmt::format("  kernel     {}\n", kernel.about);
  text += fmt::format("  claim      {}\n", failure.message);
  text += fmt::format("  case\n{}\n", describe(value, "             "));
  if (failure.element >= 0) {
    text += fmt::format("  observed   {}[{}] = {}\n", operation::output_spec(value.operation).name,
                        fmt::join(failure.coordinates, ", "), failure.observed_text);
  }
  if (!failure.permitted_text.empty()) text += fmt::format("  permitted  {}\n", failure.permitted_text);
  if (const oracle::Rule* rule = find_rule(failure.rule)) {
    text += fmt::format("  rule       {}: {}\n             [{}]\n", rule->id, rule->claim, rule->source);
  } else {
    text += fmt::format("  rule       {}\n", failure.rule);
  }
  if (const auto contract = contract_of(value, kernel)) {
    text += fmt::format("  contract   {}\n", contract::describe(*contract));
  }
  if (kernel.limits.formats.empty()) {
    text += "  hint       the kernel's limits name no formats, so cases of every format are made for it\n";
  }
  if (!replay.empty()) text += fmt::format("  replay     {}\n", replay);
  return text;
}

}  // namespace negzero::property
