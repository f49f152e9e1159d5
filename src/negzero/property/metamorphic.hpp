// Claims that need no oracle: a change of the case whose effect on the output is known, bit for bit.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// A changed case and the output that it must give.
struct Variation {
  operation::Case value;
  tensor::Tensor predicted;        ///< output of `value`, packed
  bool zero_signs_exempt = false;  ///< zeros of either sign count as equal
  std::vector<bool> exempt{};      ///< elements about which nothing is claimed; empty: none. NaN always equals NaN
  /// By element of `predicted`: the element of the case's own output that it comes from, kNoOrigin where it is exempt.
  /// Empty: the same one.
  std::vector<std::int64_t> origins{};
  std::string drawn{};  ///< the drawn choices, for a failure's message; may be empty
};

/// One property of numerics.md section 8, of an operation with one output. It names operations, never kernels.
struct Metamorphic {
  verdict::Rule rule;  ///< of its failures: "meta.negate", "meta.permute_rows"
  /// The changed case for a case whose output was `output`; nothing where the precondition does not hold for this case
  /// under this contract, or the kernel's limits exclude the changed case.
  std::optional<Variation> (*vary)(const operation::Case& value, const kernel::Kernel& kernel,
                                   const contract::Contract& contract, const tensor::Tensor& output,
                                   base::Random& random);

  [[nodiscard]] std::string_view name() const noexcept { return rule.id().substr(std::string_view("meta.").size()); }
  [[nodiscard]] std::string_view claim() const noexcept { return rule.claim(); }
  /// When the claim holds bit for bit.
  [[nodiscard]] std::string_view precondition() const noexcept { return rule.source(); }
};

/// All properties, in the order of numerics.md section 8.
[[nodiscard]] const std::vector<Metamorphic>& metamorphic_properties();

/// Runs the case, changes it, runs the change and compares. Nothing where the precondition does not hold or a run did
/// not complete (conformance() reports that); else Pass, or a Fail with rule "meta.<name>". Its element is the one of
/// the case's own output that the first wrong one of the change comes from, so that shrinking can keep it.
[[nodiscard]] std::optional<verdict::Verdict> hold(const Metamorphic& property, const operation::Case& value,
                                                   const kernel::Kernel& kernel, run::Executor& executor,
                                                   base::Random random);

}  // namespace negzero::property
