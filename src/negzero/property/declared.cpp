// What a case of a declared operation is held to, whose values no oracle knows.

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/property/declared.hpp>

namespace negzero::property {

namespace {

using verdict::Verdict;
using verdict::VerdictKind;

/// The first element of an output whose bits are none of its format's: a byte of BOOL above 1, of 6 bits above 63.
std::optional<verdict::Failure> foreign_bits(const operation::Case& value, std::span<const tensor::Tensor> outputs) {
  const std::vector<operation::TensorSpec> specs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < specs.size(); ++o) {
    const number::Format& format = number::format(specs[o].format);
    const std::uint64_t most = format.id == number::FormatId::BOOL ? 1 : format.word_mask();
    if (format.is_half_byte() || most >= 0xff) continue;
    const operation::Counted counted(value, specs[o].name);
    verdict::Failure failure{.kind = verdict::FailureClass::WrongValue, .rule = "declared.bound"};
    for (std::int64_t i = 0; i < outputs[o].element_count(); ++i) {
      const std::uint64_t word = outputs[o].get(i);
      if (word <= most || !counted.holds(i) || failure.failing_elements++ > 0) continue;
      operation::locate(failure, specs[o], i);
      failure.observed = word;
      failure.observed_text = fmt::format("{:#04x}", word);
      failure.permitted_text = fmt::format("0 to {:#04x}", most);
      failure.message =
          fmt::format("{} holds bytes of {}, 0 to {:#04x}; it gave {:#04x}.", specs[o].name, format.name, most, word);
    }
    if (failure.failing_elements > 0) return failure;
  }
  return std::nullopt;
}

/// The first element of an output of indices that is none of its extent's.
std::optional<verdict::Failure> out_of_bound(const operation::Case& value, std::span<const tensor::Tensor> outputs) {
  const std::vector<operation::TensorSpec> specs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < specs.size(); ++o) {
    if (!specs[o].index_below) continue;
    verdict::Failure failure{.kind = verdict::FailureClass::WrongValue, .rule = "declared.bound"};
    const number::Format& format = number::format(specs[o].format);
    const operation::Counted counted(value, specs[o].name);
    for (std::int64_t i = 0; i < outputs[o].element_count(); ++i) {
      const std::int64_t index = number::ordinal(format, outputs[o].get(i));
      const bool is_none = specs[o].words.has_none && index == operation::kNoIndex;
      const bool is_within = is_none || (index >= 0 && index < *specs[o].index_below);
      if (is_within || !counted.holds(i) || failure.failing_elements++ > 0) continue;
      operation::locate(failure, specs[o], i);
      failure.observed = outputs[o].get(i);
      failure.observed_text = number::with_bits(format, failure.observed);
      failure.permitted_text = fmt::format("0 to {}", *specs[o].index_below - 1);
      failure.message = fmt::format("{} is declared to hold indices below {}; it gave {}.", specs[o].name,
                                    *specs[o].index_below, failure.observed_text);
    }
    if (failure.failing_elements > 0) return failure;
    if (!counted.all()) continue;  // Of what is not looked at, two elements may well be equal.
    const auto broken = operation::broken_word(specs[o], outputs[o]);
    if (!broken) continue;
    failure.rule = "declared.words";
    failure.failing_elements = 1;
    operation::locate(failure, specs[o], broken->element);
    failure.observed = outputs[o].get(broken->element);
    failure.observed_text = number::with_bits(format, failure.observed);
    failure.permitted_text = "an index that no other element has";
    failure.message = fmt::format("{} {}.", failure.observed_text, broken->what);
    return failure;
  }
  return std::nullopt;
}

}  // namespace

Verdict judge_declared(const operation::Case& value, std::span<const tensor::Tensor> outputs) {
  Verdict verdict{.kind = VerdictKind::NotJudged};
  auto failure = out_of_bound(value, outputs);
  if (!failure) failure = foreign_bits(value, outputs);
  if (failure) {
    verdict.kind = VerdictKind::Fail;
    verdict.failure = std::move(failure);
  } else {
    verdict.reason = fmt::format("{} has no definition", operation::name(value.operation));
  }
  return verdict;
}

}  // namespace negzero::property
