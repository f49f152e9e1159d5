// What a contract claims beside values, looked at with changed cases.

#include <span>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/views.hpp>
#include <negzero/property/claimed.hpp>
#include <negzero/property/metamorphic.hpp>

namespace negzero::property {

namespace {

using contract::Determinism;
using verdict::Rule;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr std::uint64_t kClaimSalt = 0x636c61696d000000;

bool is_declared(const operation::Case& value) { return value.operation.signature().is_declared; }

bool is_gemm(const operation::Case& value) { return operation::view_if<operation::Gemm>(value.operation).has_value(); }

std::span<const Rule> rules_for(const operation::Case& value) {
  static constexpr Rule kDeclared[] = {"meta.permute_rows", "meta.other_rows", "meta.nan_row", "meta.embed"};
  static constexpr Rule kRows[] = {"meta.permute_rows", "meta.other_rows", "meta.embed"};
  static constexpr Rule kGemm[] = {"meta.permute_rows", "meta.other_rows", "meta.embed",       "meta.permute_columns",
                                   "meta.batch",        "meta.pad_rows",   "meta.pad_columns", "meta.other_columns"};
  if (is_declared(value)) return kDeclared;
  return is_gemm(value) ? std::span<const Rule>(kGemm) : kRows;
}

std::optional<Verdict> broken(Rule rule, const operation::Case& value, const kernel::Kernel& kernel,
                              run::Executor& executor) {
  for (const Metamorphic& property : metamorphic_properties()) {
    if (property.rule != rule) continue;
    auto verdict = hold(property, value, kernel, executor, base::Random(value.schedule.seed));
    if (verdict && verdict->kind == VerdictKind::Fail) return verdict;
  }
  return std::nullopt;
}

}  // namespace

bool is_held_to_claims(const operation::Case& value, const kernel::Kernel& kernel, Repeat which) {
  const contract::Contract& contract = kernel.contract;
  const bool is_claimed = contract.position_invariant && contract.determinism != Determinism::NotGuaranteed;
  if (which == Repeat::Never || !(is_declared(value) || is_claimed)) return false;
  return which == Repeat::Always || base::is_one_in(8, value.seed, value.index, kClaimSalt);
}

std::optional<Verdict> broken_claim(const operation::Case& value, const kernel::Kernel& kernel, run::Executor& executor,
                                    Repeat which) {
  const std::span<const Rule> rules = rules_for(value);
  if (which == Repeat::Some && !is_declared(value)) {
    // Most of them those that libraries break: they choose their way by the numbers of rows and of columns.
    base::Random random(base::mix64(value.seed ^ base::mix64(value.index ^ kClaimSalt)));
    const std::uint64_t drawn = random.below(4);
    const Rule rule = drawn < 2                      ? Rule("meta.other_rows")
                      : drawn == 2 && is_gemm(value) ? Rule("meta.other_columns")
                                                     : rules[random.below(rules.size())];
    return broken(rule, value, kernel, executor);
  }
  for (const Rule rule : rules) {
    if (auto verdict = broken(rule, value, kernel, executor)) return verdict;
  }
  return std::nullopt;
}

}  // namespace negzero::property
