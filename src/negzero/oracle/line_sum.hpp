// Sums of elements along one dimension, in the declared accumulator: what reductions and scans are made of.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/lines.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

class LineSums {
 public:
  /// Sums of elements of `x`, stored as `output`; `outputs` says for how many elements of the output. Tensor and
  /// contract must outlive it.
  LineSums(const tensor::Tensor& x, const contract::Contract& contract, const Options& options, std::int64_t outputs,
           const number::Format& output);

  /// The sum of the elements of a line, floats or integers.
  [[nodiscard]] Answer sum(const operation::Line& line) const;
  /// The sum of nothing.
  [[nodiscard]] Answer of_nothing() const;

  /// The elements as terms, and what is asked of their sum: floats only.
  [[nodiscard]] Terms terms(const operation::Line& line) const;
  [[nodiscard]] SumQuery query() const;

 private:
  const tensor::Tensor& tensor_;
  const contract::Contract& contract_;
  std::string exact_method_;
  int hull_terms_;
  const number::Format& output_;
  mutable std::once_flag taken_apart_;  ///< the screen settles most lines without a question
  mutable Operand x_;
};

/// An error where sums of `x` in the contract's accumulator cannot be stored in `output`, or start from C. `what` names
/// the operation in it.
[[nodiscard]] base::Status check_sums(const tensor::Tensor& x, number::FormatId output,
                                      const contract::Contract& contract, std::string_view what);

}  // namespace negzero::oracle
