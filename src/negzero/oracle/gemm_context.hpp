// What a float GEMM's elements have in common: operands, scalars, routes, and where alpha and C may act.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/epilogue.hpp>
#include <negzero/oracle/folding.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/routes.hpp>
#include <negzero/oracle/steps.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// Where the contract lets C enter.
struct Places {
  bool chain;
  bool leaf;       ///< anywhere in the sum, or where the chain starts
  bool chain_end;  ///< as the last term of a chain, before what follows the sum
  bool epilogue;   ///< after the sum
};

/// One case under one contract. The screen settles most cases without a single question, so the operands wait for the
/// first: take_operands() comes before everything that reads `factored` or `folded`.
struct GemmContext {
  /// The factors, as the arithmetic of a route takes them, and where alpha may be folded, as it may be.
  struct Factored {
    FactorFlushing a_flushing, b_flushing;
    Operand a, b;
  };
  struct FoldedPair {
    Folded a, b;
  };
  /// The sum of the products along a route, and the same with C among its terms.
  struct Sums {
    Sum alone, with_c;
  };

  GemmContext(const operation::Gemm& gemm, const contract::Contract& contract_, std::string exact_method_);

  void take_operands(const tensor::Tensor& a_tensor, const tensor::Tensor& b_tensor);
  [[nodiscard]] Factors factors_of(std::int64_t element) const;
  [[nodiscard]] Terms terms_of(std::int64_t element, const Factored& factored) const;
  [[nodiscard]] const Factored& factored_for(std::size_t route) const { return factored[factored_of[route]]; }
  /// Adds what storing `set` to D permits to the answer; replaces it where `first`.
  void permit(const Set& set, verdict::Rule rule, Answer& answer, bool first) const;

  GemmShape shape;
  std::int64_t outputs;
  const number::Format& output_format;
  const contract::Contract& contract;
  std::string exact_method;
  Epilogue epilogue;
  bool reads_product;  ///< alpha is not zero, or A and B count all the same, and K > 0, or a sum of nothing counts too
  std::vector<Step> intermediate;  ///< the declared roundings
  bool rounds_sum;                 ///< intermediate roundings stand between the sum and C
  Places places;
  std::vector<Route> routes;             ///< those of matrix units first, which permit the most
  std::vector<Sums> sums;                ///< of each route
  contract::Subnormals c_flushing;       ///< what becomes of a subnormal C
  std::vector<Factored> factored;        ///< one for all routes that take factors alike
  std::vector<std::size_t> factored_of;  ///< of each route, which
  std::vector<FoldedPair> folded;        ///< for each route, where alpha may be folded

 private:
  /// What becomes of subnormal factors in a tensor of that format, and of a subnormal C in that format.
  [[nodiscard]] FactorFlushing flushing_of(number::FormatId tensor, const Route& route) const;
  [[nodiscard]] contract::Subnormals flushing_of_c(number::FormatId c) const;
};

/// The unit that sums the products where the contract has tensor cores; nothing where none is known that takes them.
[[nodiscard]] std::optional<Stepping> stepping_of(const operation::Gemm& gemm, const contract::Contract& contract,
                                                  number::FormatId accumulate);

/// A member of a contract that leaves the conversion of factors open, for that operation: where tensor cores take no
/// factors as they are (F32), those are multiplied in the ordinary way, as `may` allows.
[[nodiscard]] contract::Contract member_for(const operation::Operation& operation, contract::Contract member);

}  // namespace negzero::oracle
