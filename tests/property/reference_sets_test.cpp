// The sets that a reference permits hold exactly what a judge by it accepts.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/reference.hpp>
#include <negzero/property/reference_sets.hpp>

namespace negzero::property {
namespace {

using number::Format;
using number::FormatId;

/// Two elements: the first is looked at, and the second, 1 as its reference has it, lets numbers decide.
void compare(FormatId id, const kernel::Reference& said, double right, double scale) {
  const Format& format = number::format(id);
  operation::Case value;
  value.operation = *operation::operation_named("f: y[n] <- x[n]");
  value.operation.extents()[0] = 2;
  value.operation.set_formats(std::vector{id, id});
  value.tensors.emplace("x", tensor::Tensor(id, {2}));
  operation::pack_missing_layouts(value);
  const contract::Contract contract{};
  const kernel::Kernel reference{.name = "right", .operation = line_for(said, value.operation.signature())};
  const kernel::Kernel kernel{.name = "f", .operation = reference.operation, .reference = said};
  const operation::Case asked = case_for_reference(value, contract, reference);
  std::vector<tensor::Tensor> given, outputs{tensor::Tensor(id, {2})};
  for (const operation::TensorSpec& spec : operation::output_specs(asked.operation)) {
    tensor::Tensor& tensor = given.emplace_back(spec.format, spec.shape);
    tensor.set(0, number::from_double(tensor.format(), spec.name == "y" ? right : scale));
    tensor.set(1, number::from_double(tensor.format(), 1));
  }
  outputs[0].set(1, number::from_double(format, 1));
  const oracle::Permitted set = permitted_by_reference(value, contract, kernel, 0, asked, given)[0];
  const std::uint64_t step = format.bits == 16 ? 17 : 1;  // All of 16 bits take a quarter of a minute.
  for (std::uint64_t word = 0; word <= format.word_mask(); word += step) {
    outputs[0].set(0, word);
    const verdict::Verdict verdict = judge_by_reference(value, contract, kernel, outputs, asked, given);
    ASSERT_EQ(set.contains(word), verdict.kind != verdict::VerdictKind::Fail)
        << format.name << " " << number::to_hex(format, word) << " of " << right << ": " << set.to_string();
  }
}

TEST(ReferenceSets, HoldWhatAJudgeAccepts) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const FormatId id : {FormatId::F16, FormatId::F8_E4M3, FormatId::F8_E5M2}) {
    for (const double right : {0.0, -0.0, 1.0, -0.3, 447.0, 500.0, 60000.0, 1e6, -1e6, 1e-9, inf, -inf, nan}) {
      for (const bool is_strict : {false, true}) {
        const kernel::ErrorBound close{.ulps = is_strict ? 0u : 3u}, scaled{.ulps = 1, .relative = 0.01};
        for (const kernel::ErrorBound& bound : {close, scaled}) {
          const kernel::Reference said{
              .kernel = "right", .errors = {{"y", bound}}, .nan = is_strict, .zero_signs = is_strict};
          ASSERT_NO_FATAL_FAILURE(compare(id, said, right, 2.0));
          ASSERT_NO_FATAL_FAILURE(compare(id, said, right, inf));
        }
      }
    }
  }
}

}  // namespace
}  // namespace negzero::property
