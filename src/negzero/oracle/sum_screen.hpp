// The screen of float sums: what each element's hardware sums settle, and by which argument.
//
// Let y be the sum in the accumulator's format and f one way to finish it (alpha * y, then beta * c, fused or not).
//   witness  y is what the chain, or chains over slices of k, give, and f(y) is the observed value.
//   bound    order any, many terms: y may be any number of the accumulator in [s - B, s + B] (rule c), f is monotone in
//            y, and the oracle permits what lies between the values of f at two such numbers.
//   leaf     the same where beta * c may be one of the terms and alpha is 1: nothing is left to finish.
//   steps    on tensor cores, the same two with rule 2e's bound: y is s where the accumulator holds it, or any of its
//            numbers in [s - B, s + B].
//   stores   where sums of slices may be stored in a narrower format, both bounds grow by the u_G S of rule 2f, if S
//            shows that the sum is not exact in that format.
//   overflow order any, many terms whose positive or negative ones alone pass the overflow threshold: section 3 of
//            numerics.md permits the infinity of that sign, and NaN where both do. f maps infinities to infinities.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <negzero/oracle/finisher.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/oracle/screened_path.hpp>
#include <negzero/oracle/stepped.hpp>
#include <negzero/oracle/witness.hpp>

namespace negzero::oracle {

/// The sums that are screened. Nothing at all where K or alpha is zero.
template <class Arithmetic>
struct ScreenedSums {
  GemmFactors<typename Arithmetic::Value> factors{};  ///< of a Gemm
  std::vector<std::int64_t> slices{};  ///< lengths of slices of k to try; none where the order is not free
  Chains<Arithmetic> chains{};         ///< of every output; of values, fused and separate alike
  std::vector<Known> known{};          ///< of every output, or empty as yet: then it comes from the factors
  std::optional<Stepping> stepping{};  ///< of a Gemm on tensor cores: there are no chains
  double raised = 0;                   ///< there, at least every |a|' |b|' with a subnormal factor (stepped.cpp)
};

/// The chains that a contraction allows.
[[nodiscard]] ChainKinds kinds_of(contract::Contraction contraction);

/// The screen of so many elements of format `output`.
template <class Arithmetic>
[[nodiscard]] std::unique_ptr<Screen> screen_of(const ScreenedPath& path, const number::Format& output,
                                                std::size_t outputs, Finish finish, ScreenedSums<Arithmetic> sums);

}  // namespace negzero::oracle
