// What a kernel gave for one case, element by element beside what is exact and what is permitted: for a report.

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/outputs.hpp>
#include <negzero/number/text.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::campaign {

namespace {

using verdict::FailureClass;
using verdict::VerdictKind;

/// Where a part of `most` out of `all` begins that has `at` in its middle, as far as there is room.
std::int64_t first_of(std::int64_t at, std::int64_t all, std::int64_t most) {
  return std::clamp<std::int64_t>(at - most / 2, 0, std::max<std::int64_t>(0, all - most));
}

/// What the run showed that differs from the failure.
std::string remark_on(const verdict::Failure& failure, const operation::Case& value, const contract::Contract& contract,
                      const run::Outcome& outcome, std::size_t shown, const std::string& exact) {
  // Of two sides that are compared, the failure describes the first.
  if (failure.rule.family() == "compare") return "";
  const tensor::Tensor& output = outcome.outputs[shown];
  const number::Format& format = output.format();
  if (failure.element >= 0 && failure.element < output.element_count()) {
    const std::uint64_t word = output.get(failure.element);
    if (number::same_result(format, word, failure.observed)) return "";
    return fmt::format("This run gave {} where the finding has {}: what the kernel gives varies from run to run.",
                       number::with_bits(format, word), failure.observed_text);
  }
  if (property::judge(value, contract, outcome, {.exact = exact}).kind != VerdictKind::Fail) {
    return "Every value of this run, which was not watched, is permitted.";
  }
  return "";
}

void judge_elements(const operation::Case& value, const contract::Contract& contract,
                    const std::vector<tensor::Tensor>& outputs, std::size_t shown, const std::string& exact,
                    Observation& result) {
  const auto oracle = oracle::Oracle::make(value, contract, {.exact = exact});
  if (!oracle) {
    result.nothing = oracle.error().message;
    return;
  }
  for (std::int64_t row = 0; row < result.output.rows; ++row) {
    for (std::int64_t column = 0; column < result.output.columns; ++column) {
      const std::int64_t element = result.output.element(row, column);
      const oracle::Permitted permitted = oracle->permitted(element, shown, std::span(outputs).first(shown));
      const bool holds = permitted.contains(result.output.words[result.judged.size()]);
      result.judged.push_back({oracle->exact(element, shown), holds, holds ? "" : permitted.to_string()});
    }
  }
}

void run_and_judge(const operation::Case& value, const kernel::Kernel& kernel, const verdict::Failure& failure,
                   const EvaluationOptions& options, Observation& result) {
  const auto contract = property::contract_of(value, kernel);
  if (!contract) {
    result.nothing = contract.error().message;
    return;
  }
  const auto given = outcome_of(value, kernel, *contract, options);
  if (!given) {
    result.nothing = given.error().message;
    return;
  }
  const run::Outcome& outcome = *given;
  result.nothing = why_nothing(outcome);
  if (!result.nothing.empty()) return;
  const std::vector<operation::TensorSpec> specs = operation::output_specs(value.operation);
  const auto named = std::ranges::find(specs, failure.output, &operation::TensorSpec::name);
  const std::size_t shown = named == specs.end() ? 0 : static_cast<std::size_t>(named - specs.begin());
  result.output = grid_of(specs[shown].name, outcome.outputs[shown], failure.element);
  judge_elements(value, *contract, outcome.outputs, shown, options.exact, result);
  result.remark = remark_on(failure, value, *contract, outcome, shown, options.exact);
}

}  // namespace

Grid grid_of(const std::string& name, const tensor::Tensor& tensor, std::int64_t element) {
  Grid grid{.name = name, .format = tensor.format_id(), .shape = tensor.shape()};
  grid.all_columns = grid.shape.empty() ? 1 : grid.shape.back();
  grid.all_rows = grid.all_columns == 0 ? 0 : tensor.element_count() / grid.all_columns;
  grid.rows = std::min(grid.all_rows, kMostRows);
  grid.columns = std::min(grid.all_columns, kMostColumns);
  if (grid.rows == 0) return grid;
  const std::int64_t at = std::max<std::int64_t>(0, element);
  grid.first_row = first_of(at / grid.all_columns, grid.all_rows, kMostRows);
  grid.first_column = first_of(at % grid.all_columns, grid.all_columns, kMostColumns);
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      grid.words.push_back(tensor.get(grid.element(row, column)));
    }
  }
  return grid;
}

Observation observe(const operation::Case& value, const kernel::Kernel& kernel, const verdict::Failure& failure,
                    const EvaluationOptions& options) {
  Observation result;
  result.kernel = property::to_string(kernel);
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    Grid grid = grid_of(spec.name, value.tensors.at(spec.name), -1);
    if (grid.is_whole()) {
      result.inputs.push_back(std::move(grid));
    } else {
      result.left_out.push_back(
          fmt::format("{} {}[{}]", spec.name, number::format(spec.format).name, fmt::join(spec.shape, ", ")));
    }
  }
  if (failure.kind == FailureClass::Crash || failure.kind == FailureClass::Hang) {
    result.nothing = "a run that ends so has no output";
    return result;
  }
  try {
    run_and_judge(value, kernel, failure, options, result);
  } catch (const std::exception& exception) {
    result.nothing = exception.what();
  }
  if (!result.nothing.empty()) result.judged.clear();
  return result;
}

}  // namespace negzero::campaign
