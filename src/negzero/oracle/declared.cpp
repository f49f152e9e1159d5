// Takes a contract apart.

#include <negzero/oracle/declared.hpp>

namespace negzero::oracle {

using contract::Contract;

/// Every field by its name; two of them are handled elsewhere: no model is built in (Oracle::make() refuses one), and
/// what two runs have in common is a property's to check.
Declared declared(const Contract& contract) {
  const auto& [multiplicand, multiplicand_b, accumulate, accumulate_rounding, model, wider, compensated, order, depth,
               tensor_core, unit, slices, slice_format, contraction, start, promote, alpha, beta, scalar_format,
               intermediate, intermediate_at, output_rounding, subnormal_inputs, subnormal_results, nan, all_nan,
               zero_sign, overflow, integer_overflow, ties, empty, mean, mean_may_overflow, scalars,
               reads_a_b_at_alpha_zero, reads_c_at_beta_zero, determinism, position_invariant] = contract;
  static_cast<void>(multiplicand);
  static_cast<void>(multiplicand_b);  // conversions() reads both.
  static_cast<void>(model);
  static_cast<void>(depth);  // additions_of() reads it.
  static_cast<void>(determinism);
  static_cast<void>(position_invariant);
  const bool is_formula = scalars == contract::Scalars::Formula;
  using contract::OverflowPolicy;
  const auto overflow_is = [overflow](OverflowPolicy by_default) {
    return overflow == OverflowPolicy::Default ? by_default : overflow;
  };
  std::optional<Stores> stores;
  if (slice_format) stores = Stores{*slice_format, slices};
  return {.sums = {accumulate, accumulate_rounding, wider, compensated, order == contract::Order::Ascending,
                   contraction, start, promote, stores, zero_sign == contract::ZeroSign::Ieee},
          .units = {tensor_core, unit, slices},
          .products = {conversions(contract), alpha, beta, scalar_format, is_formula,
                       reads_a_b_at_alpha_zero || is_formula, reads_c_at_beta_zero || is_formula},
          .roundings = {intermediate, intermediate_at == contract::IntermediateAt::Sum, output_rounding,
                        overflow_is(OverflowPolicy::Ieee), overflow_is(OverflowPolicy::Saturate)},
          .subnormals = {subnormal_inputs, subnormal_results},
          .selections = {nan, all_nan, zero_sign, ties},
          .means = {mean, mean_may_overflow},
          .empty = empty,
          .integers_wrap = integer_overflow == contract::IntegerOverflow::Wrap};
}

Contract without_scalars(Contract contract) {
  const Contract defaults;
  contract.alpha = contract::AlphaPlace::Epilogue;
  contract.beta = contract::BetaPlace::Epilogue;
  contract.scalar_format.reset();
  contract.scalars = defaults.scalars;
  contract.reads_a_b_at_alpha_zero = contract.reads_c_at_beta_zero = false;
  return contract;
}

}  // namespace negzero::oracle
