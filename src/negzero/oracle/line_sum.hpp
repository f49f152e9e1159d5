// Sums of elements along one dimension, in the declared accumulator: what reductions and scans are made of.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/lines.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/prefix.hpp>
#include <negzero/oracle/value_element.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

class LineSums {
 public:
  /// Sums of elements of `x`, stored as `output`; `outputs` says for how many elements of the output. Tensor and
  /// contract must outlive it.
  LineSums(const tensor::Tensor& x, const Declared& contract, const Options& options, std::int64_t outputs,
           const number::Format& output, const std::optional<Mean>& mean = std::nullopt);

  /// The sum of the elements of a line, floats or integers.
  [[nodiscard]] Answer sum(const operation::Line& line, Detail detail = Detail::Results) const;
  /// The mean of them: floats only, where a mean was asked for.
  [[nodiscard]] Answer mean(const operation::Line& line, Detail detail = Detail::Results) const;
  [[nodiscard]] bool of_integers() const noexcept { return output_.is_integer(); }
  /// What each path reaches of their sum or mean; none for integers, and where there are no elements.
  [[nodiscard]] std::vector<Reached> reached(const operation::Line& line) const;
  /// What those are made of; nullptr for integers.
  [[nodiscard]] const Paths* paths() const;
  /// The sum of nothing.
  [[nodiscard]] Answer of_nothing() const;

 private:
  friend class RunningSum;
  [[nodiscard]] std::int64_t integer(std::int64_t place) const;
  /// The elements as terms.
  [[nodiscard]] Terms terms(const operation::Line& line) const;
  /// A single element as the only term of a sum, which no addition need take: flushed or not.
  [[nodiscard]] Terms term_alone(std::int64_t place) const;

  const tensor::Tensor& tensor_;
  const Declared& contract_;
  std::string exact_method_;
  SumShape shape_;
  const number::Format& output_;
  std::optional<Followed> followed_;    ///< of floats
  mutable std::once_flag taken_apart_;  ///< the screen settles most lines without a question
  mutable Operand x_;
};

/// The sums of a line's first elements: those of a scan. Each goes on from a shorter one, so that all of them together
/// take time in proportion to the line, asked for in ascending order; in any other, each the time of at most kApart
/// elements more. (But for sums in any order that are promoted: see evaluate_blocks().)
class RunningSum {
 public:
  /// `sums` must outlive it.
  RunningSum(const LineSums& sums, const operation::Line& line, Detail detail = Detail::Results);
  RunningSum(const RunningSum&) = delete;
  RunningSum& operator=(const RunningSum&) = delete;
  /// The sum of the first `count` elements, at most as many as the line has.
  [[nodiscard]] Answer sum(std::int64_t count);

 private:
  /// One of the two is used.
  struct State {
    Prefix floats;
    IntegerSum integers{};
    std::int64_t count = 0;
  };
  static constexpr std::int64_t kApart = 64;

  void extend(std::int64_t count);
  [[nodiscard]] Answer answer();

  const LineSums& sums_;
  operation::Line line_;
  Detail detail_;
  Terms terms_;
  State state_;
  /// Once something was asked for that lies before the last question: the states at every kApart elements.
  std::vector<State> kept_;
  bool keeps_ = false;
};

/// An error where sums of `x` in the contract's accumulator cannot be stored in `output`, or start from C. `what` names
/// the operation in it.
[[nodiscard]] base::Status check_sums(const tensor::Tensor& x, number::FormatId output, const Declared& contract,
                                      std::string_view what);

}  // namespace negzero::oracle
