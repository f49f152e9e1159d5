// Atomics: each destination combines its initial value with the values sent to it, in any order.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/select.hpp>
#include <negzero/oracle/value_element.hpp>

namespace negzero::oracle {
namespace {

using base::usage_error;

using contract::Multiplicand;
using number::FormatId;
using operation::ScatterKind;

/// Which updates go to which destination, in the order of the list.
class Buckets {
 public:
  Buckets(const tensor::Tensor& index, std::int64_t destinations)
      : begin_(static_cast<std::size_t>(destinations) + 1), order_(static_cast<std::size_t>(index.element_count())) {
    const std::vector<std::uint64_t> words = index.words();
    for (const std::uint64_t word : words) ++begin_[static_cast<std::size_t>(word) + 1];
    for (std::size_t d = 1; d < begin_.size(); ++d) begin_[d] += begin_[d - 1];
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < words.size(); ++i) order_[next[static_cast<std::size_t>(words[i])]++] = i;
  }
  [[nodiscard]] std::span<const std::size_t> of(std::int64_t destination) const {
    const auto d = static_cast<std::size_t>(destination);
    return std::span(order_).subspan(begin_[d], begin_[d + 1] - begin_[d]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> order_;
};

class Scatter final : public Problem {
 public:
  Scatter(const operation::Scatter& scatter, const operation::Case& value, Declared contract, const Options& options)
      : Problem(scatter.destinations, scatter.x),
        kind_(scatter.kind),
        contract_(std::move(contract)),
        exact_method_(options.exact),
        x_words_(operation::factor(value).words()),
        init_words_(operation::addend(value).words()),
        buckets_(operation::index_list(value), scatter.destinations),
        selection_{scatter.kind == ScatterKind::Max ? Side::Max : Side::Min, &output_format(), &output_format(),
                   &contract_, false} {
    if (kind_ != ScatterKind::Add || output_format().is_integer()) return;
    const FormatId format = output_format().id;
    followed_.emplace(paths_of(contract_, SumShape{.input = format,
                                                   .output = format,
                                                   .accumulate = format,
                                                   .c = CAt::Start,
                                                   .hull_terms = hull_terms(outputs())}),
                      output_format(), options.prunes);
    const FactorFlushing flushing = followed_->paths().list.front().terms.a;
    x_ = take_apart(output_format(), x_words_, Multiplicand::Exact, flushing);
    init_ = take_apart(output_format(), init_words_, Multiplicand::Exact, flushing);
  }

  [[nodiscard]] Answer answer(std::int64_t destination) const override {
    const std::span<const std::size_t> updates = buckets_.of(destination);
    const auto d = static_cast<std::size_t>(destination);
    Answer answer;
    if (updates.empty()) {
      // Nobody touches it: these bits, a NaN's payload and sign included.
      answer.permitted.format = output_format().id;
      answer.permitted.only = {init_words_[d]};
      answer.permitted.rule = "scatter.untouched";
      return answer;
    }
    if (kind_ != ScatterKind::Add) {
      std::vector<std::uint64_t> words{init_words_[d]};
      for (const std::size_t i : updates) words.push_back(x_words_[i]);
      answer.permitted = select_value(selection_, words);
      return answer;
    }
    if (output_format().is_integer()) {
      std::vector<std::int64_t> terms{number::ordinal(output_format(), init_words_[d])};
      for (const std::size_t i : updates) terms.push_back(number::ordinal(output_format(), x_words_[i]));
      const bool wraps = contract_.integers_wrap;
      return integer_sum(terms, contract_, wraps ? verdict::Rule("integer.wrap") : verdict::Rule("integer.saturate"));
    }
    const Terms terms = terms_of(destination);
    Prefix all(terms);
    ValueElement values(all, exact_method_);
    return followed_->answer(values);
  }

  [[nodiscard]] std::vector<Reached> reached(std::int64_t destination) const override {
    if (!followed_ || buckets_.of(destination).empty()) return {};
    const Terms terms = terms_of(destination);
    Prefix all(terms);
    ValueElement values(all, exact_method_);
    return followed_->reached(values);
  }
  [[nodiscard]] const Paths* paths() const override { return followed_ ? &followed_->paths() : nullptr; }

 private:
  /// What is added, the initial value last: floats only.
  [[nodiscard]] Terms terms_of(std::int64_t destination) const {
    const std::span<const std::size_t> updates = buckets_.of(destination);
    Terms terms;
    terms.reserve(updates.size() + 1);
    for (const std::size_t i : updates) terms.push_value(x_, i);
    terms.push_value(init_, static_cast<std::size_t>(destination));
    return terms;
  }

  ScatterKind kind_;
  Declared contract_;
  std::string exact_method_;
  std::vector<std::uint64_t> x_words_, init_words_;
  Buckets buckets_;
  Selection selection_;
  Operand x_, init_;
  std::optional<Followed> followed_{};
};

}  // namespace

base::Result<std::unique_ptr<Problem>> make_scatter(const operation::Case& value, const Declared& contract,
                                                    const Options& options, std::size_t /*output*/) {
  const auto& scatter = operation::view<operation::Scatter>(value.operation);
  const number::Format& format = number::format(scatter.x);
  const number::Format& accumulate = number::format(contract.sums.accumulate);
  Declared adapted = contract;
  if (scatter.kind == ScatterKind::Add) {
    if (format.is_integer() != accumulate.is_integer() || accumulate.precision() < format.precision()) {
      return usage_error("contract: accumulate \"" + std::string(accumulate.name) +
                         "\" does not fit a scatter.add of " + std::string(format.name) +
                         ": atomics add in the location's format or a wider one");
    }
    if (contract.sums.promote) {
      return usage_error("contract: promote does not fit a scatter: atomics have no blocks of k");
    }
    if (contract.sums.stores) {
      return usage_error("contract: slice_format does not fit a scatter: atomics have no slices of k");
    }
    // What is said of the start is said of partial sums: a location itself starts from its initial value.
    if (contract.sums.start == contract::Start::C) adapted.sums.start = contract::Start::Any;
    adapted.sums.wider = contract.sums.wider || accumulate.precision() > format.precision();
    adapted.roundings.before.clear();
  }
  return std::unique_ptr<Problem>(std::make_unique<Scatter>(scatter, value, std::move(adapted), options));
}

}  // namespace negzero::oracle
