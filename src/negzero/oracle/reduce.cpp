// Reductions along one dimension of a tensor.

#include <optional>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/lines.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/line_sum.hpp>
#include <negzero/oracle/select.hpp>

namespace negzero::oracle {
namespace {

using base::usage_error;

using number::FormatId;
using operation::Line;
using operation::Lines;

/// Sums of floats or of integers.
class SumOfLine final : public Problem {
 public:
  SumOfLine(const Lines& lines, const tensor::Tensor& x, FormatId output, const Declared& contract,
            const Options& options)
      : Problem(lines.outputs(), output), lines_(lines), sums_(x, contract, options, outputs(), output_format()) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override { return sums_.sum(lines_.of(element)); }
  [[nodiscard]] std::optional<Answer> hull(std::int64_t element) const override {
    return sums_.of_integers() ? std::nullopt : std::optional(sums_.sum(lines_.of(element), Detail::Hull));
  }
  [[nodiscard]] std::vector<Reached> reached(std::int64_t element) const override {
    return sums_.reached(lines_.of(element));
  }
  [[nodiscard]] const Paths* paths() const override { return sums_.paths(); }

 private:
  Lines lines_;
  LineSums sums_;
};

class MeanOfLine final : public Problem {
 public:
  MeanOfLine(const Lines& lines, const tensor::Tensor& x, FormatId output, const Declared& contract,
             const Options& options)
      : Problem(lines.outputs(), output),
        lines_(lines),
        contract_(contract),
        sums_(x, contract, options, outputs(), output_format(), Mean{lines.longest()}) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    if (lines_.longest() > 0) return sums_.mean(lines_.of(element));
    Answer answer = sums_.of_nothing();
    // A mean of nothing is 0/0 to who divides, and 0 to who does not get that far.
    if (!contract_.empty) answer.permitted.nan = true;
    return answer;
  }
  [[nodiscard]] std::optional<Answer> hull(std::int64_t element) const override {
    return lines_.longest() == 0 ? std::nullopt : std::optional(sums_.mean(lines_.of(element), Detail::Hull));
  }
  [[nodiscard]] std::vector<Reached> reached(std::int64_t element) const override {
    return sums_.reached(lines_.of(element));
  }
  [[nodiscard]] const Paths* paths() const override { return lines_.longest() == 0 ? nullptr : sums_.paths(); }

 private:
  Lines lines_;
  const Declared& contract_;
  LineSums sums_;
};

/// One output of a selection: the value or its index.
class LineSelection final : public Problem {
 public:
  LineSelection(const operation::Case& value, const Lines& lines, const Declared& contract, std::size_t output)
      : Problem(lines.outputs(), operation::output_specs(value.operation)[output].format),
        lines_(lines),
        words_(operation::factor(value).words()),
        contract_(contract) {
    const notation::Combine combine = *value.operation.signature().outputs[output].combine;
    index_ = notation::gives_index(combine);
    // What a sum of nothing gives is declared for the first output.
    if (output > 0) contract_.empty.reset();
    selection_ = {notation::takes_greatest(combine) ? Side::Max : Side::Min, &operation::factor(value).format(),
                  &output_format(), &contract_, true};
  }

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    const Gathered words(words_, lines_.of(element));
    Answer answer;
    answer.permitted = words.of().empty() ? select_nothing(selection_, index_)
                       : index_           ? select_index(selection_, words.of())
                                          : select_value(selection_, words.of());
    return answer;
  }
  [[nodiscard]] Answer answer_beside(std::int64_t element, std::span<const tensor::Tensor> before) const override {
    const Gathered words(words_, lines_.of(element));
    if (words.of().empty() || !index_) return answer(element);
    Answer beside;
    beside.permitted = select_index_beside(selection_, words.of(), before.front().get(element));
    return beside;
  }

 private:
  /// The words of a line, which are copied where they are no neighbours.
  class Gathered {
   public:
    Gathered(std::span<const std::uint64_t> words, const Line& line) {
      if (line.step == 1) {
        words_ = words.subspan(static_cast<std::size_t>(line.first), static_cast<std::size_t>(line.count));
        return;
      }
      copies_.reserve(static_cast<std::size_t>(line.count));
      for (std::int64_t i = 0; i < line.count; ++i) copies_.push_back(words[static_cast<std::size_t>(line.at(i))]);
      words_ = copies_;
    }
    Gathered(const Gathered&) = delete;
    Gathered& operator=(const Gathered&) = delete;
    [[nodiscard]] std::span<const std::uint64_t> of() const noexcept { return words_; }

   private:
    std::vector<std::uint64_t> copies_{};
    std::span<const std::uint64_t> words_{};
  };

  Lines lines_;
  bool index_ = false;
  std::vector<std::uint64_t> words_;
  Declared contract_;
  Selection selection_;
};

}  // namespace

base::Result<std::unique_ptr<Problem>> make_reduce(const operation::Case& value, const Declared& contract,
                                                   const Options& options, std::size_t output) {
  const Lines lines(value.operation);
  const notation::Combine combine = *value.operation.signature().outputs[output].combine;
  if (notation::selects(combine)) {
    return std::unique_ptr<Problem>(std::make_unique<LineSelection>(value, lines, contract, output));
  }
  const tensor::Tensor& x = operation::factor(value);
  const FormatId format = operation::output_specs(value.operation)[output].format;
  if (const base::Status fits = check_sums(x, format, contract, "a reduction"); !fits) return fits.error();
  if (combine == notation::Combine::Sum) {
    return std::unique_ptr<Problem>(std::make_unique<SumOfLine>(lines, x, format, contract, options));
  }
  if (x.format().is_integer()) return usage_error("operation: a mean of integers has no rule");
  return std::unique_ptr<Problem>(std::make_unique<MeanOfLine>(lines, x, format, contract, options));
}

}  // namespace negzero::oracle
