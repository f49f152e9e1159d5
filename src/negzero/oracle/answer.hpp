// One element's permitted set with the facts behind it, and the interface that each operation fills.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

struct Paths;

struct Answer {
  Permitted permitted;
  std::optional<exact::Dyadic> exact;  ///< the exact result, where it is a number that sums are made of
  std::optional<Facts> facts;          ///< of the sum, where there is one
  exact::Dyadic bound;                 ///< B, where rule c decided
  std::string_view which{};            ///< under which choice, where a contract leaves one open
  std::vector<Answer> members{};  ///< under each of them, where there are several: this is what all permit together
};

/// The exact oracle of one output of a case: what each of its elements may be.
class Problem {
 public:
  virtual ~Problem() = default;
  [[nodiscard]] virtual Answer answer(std::int64_t element) const = 0;
  /// The same where a kernel gave `before` for the outputs before this one, such as the value that an index is of.
  [[nodiscard]] virtual Answer answer_beside(std::int64_t element, std::span<const tensor::Tensor> before) const {
    (void)before;
    return answer(element);
  }
  /// A set that holds that of answer() and is found sooner, by Detail::Hull; nothing where there is none.
  [[nodiscard]] virtual std::optional<Answer> hull(std::int64_t element) const {
    (void)element;
    return std::nullopt;
  }
  /// Oracle::reached().
  [[nodiscard]] virtual std::vector<Reached> reached(std::int64_t element) const {
    (void)element;
    return {};
  }
  /// The paths of its elements, where all of them are such sums; nullptr where they are not.
  [[nodiscard]] virtual const Paths* paths() const { return nullptr; }
  [[nodiscard]] std::int64_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] const number::Format& output_format() const noexcept { return *output_; }

 protected:
  Problem(std::int64_t outputs, number::FormatId output) : outputs_(outputs), output_(&number::format(output)) {}

  std::int64_t outputs_;
  const number::Format* output_;
};

/// Largest m that rule b is used for: its 3^m steps are spent where outputs are few.
[[nodiscard]] int hull_terms(std::int64_t outputs) noexcept;

}  // namespace negzero::oracle
