// Claims that need no oracle: a change of the case whose effect on the output is known, bit for bit.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// What an output of a changed case must be.
struct Prediction {
  tensor::Tensor values;       ///< packed
  std::vector<bool> exempt{};  ///< elements about which nothing is claimed; empty: none. NaN always equals NaN
  /// By element of `values`: the element of the case's own output that it comes from, kNoOrigin where it is exempt.
  /// Empty: the same one.
  std::vector<std::int64_t> origins{};
};

/// A changed case and the outputs that it must give.
struct Variation {
  Variation() = default;
  Variation(operation::Case changed, const tensor::Tensor& predicted)
      : value(std::move(changed)), outputs{{predicted}} {}
  /// Of a case whose outputs stay as they are.
  Variation(operation::Case changed, std::span<const tensor::Tensor> same) : value(std::move(changed)), outputs{} {
    for (const tensor::Tensor& output : same) outputs.push_back({output});
  }

  operation::Case value;
  std::vector<Prediction> outputs{1};  ///< in the operation's order
  bool zero_signs_exempt = false;      ///< zeros of either sign count as equal
  std::string drawn{};                 ///< the drawn choices, for a failure's message; may be empty

  /// Of an operation with one output.
  [[nodiscard]] Prediction& only() { return outputs.front(); }
};

/// One property of numerics.md section 8. It names operations, never kernels.
struct Metamorphic {
  verdict::Rule rule;  ///< of its failures: "meta.negate", "meta.permute_rows"
  /// The changed case for a case whose outputs were `outputs`; nothing where the precondition does not hold for this
  /// case under this contract, or the kernel's limits exclude the changed case.
  std::optional<Variation> (*vary)(const operation::Case& value, const kernel::Kernel& kernel,
                                   const contract::Contract& contract, std::span<const tensor::Tensor> outputs,
                                   base::Random& random);
  bool takes_several = false;  ///< operations with several outputs too

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
