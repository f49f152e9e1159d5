// Answers for the elements of a float GEMM: beta * C where nothing is multiplied, else a walk along every route.

#include <mutex>
#include <string_view>

#include <negzero/operation/operands.hpp>
#include <negzero/oracle/float_gemm.hpp>
#include <negzero/oracle/gemm_context.hpp>
#include <negzero/oracle/gemm_walk.hpp>
#include <negzero/oracle/output.hpp>

namespace negzero::oracle {
namespace {

using contract::Contract;
using exact::Dyadic;

/// The contract of a formula at K = 0: alpha multiplies the sum of nothing, where it is not declared to have been
/// folded into operands, of which there are none.
Contract literal(Contract contract) {
  const bool is_formula = contract.scalars == contract::Scalars::Formula;
  if (is_formula && contract.alpha != contract::AlphaPlace::Operand) contract.alpha = contract::AlphaPlace::Epilogue;
  return contract;
}

class FloatGemm final : public Problem {
 public:
  FloatGemm(const operation::Case& value, const operation::Gemm& gemm, const Contract& contract, const Options& options)
      : Problem(gemm.batch * gemm.m * gemm.n, gemm.d),
        value_(value),
        contract_(gemm.k == 0 ? literal(contract) : contract),
        context_(gemm, contract_, options.exact) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override;

 private:
  [[nodiscard]] Answer scaled_c(std::int64_t element, const Real& c) const;

  const operation::Case& value_;
  Contract contract_;
  mutable GemmContext context_;  ///< whose operands wait for the first question
  mutable std::once_flag taken_apart_;
};

Answer FloatGemm::scaled_c(std::int64_t element, const Real& c) const {
  const verdict::Rule rule = context_.shape.k == 0 ? verdict::Rule("gemm.k_zero") : verdict::Rule("gemm.alpha_zero");
  const Real& beta = context_.epilogue.beta();
  Answer answer;
  bool first = true;
  if (!context_.epilogue.reads_c()) {
    answer.permitted = to_permitted(Set::value(Dyadic()), context_.output_format, context_.contract, false, rule);
    answer.exact = Dyadic();
    return answer;
  }
  if (c.is_finite() && beta.is_finite()) answer.exact = c.value * beta.value;
  if (beta.is_one()) {
    // C's own bits, whatever the accumulator, or in D's format what a conversion makes of them; what follows adds what
    // arithmetic would make of them.
    const tensor::Tensor& tensor = operation::addend(value_);
    Contract plain = context_.contract;
    if (tensor.format() == context_.output_format) plain.overflow = contract::OverflowPolicy::Ieee;
    const Real bits = Real::from_encoding(tensor.format(), tensor.get(element));
    answer.permitted = to_permitted(bits.set(), context_.output_format, plain, false, rule);
    first = false;
  }
  for (const Route& route : context_.routes) {
    const Arithmetic sum(route.format, context_.contract);
    for (const Arithmetic& arithmetic : context_.epilogue.arithmetics(route.held_in(sum))) {
      context_.permit(context_.epilogue.addend(arithmetic, c), rule, answer, first);
      first = false;
    }
  }
  return answer;
}

Answer FloatGemm::answer(std::int64_t element) const {
  const tensor::Tensor& c_tensor = operation::addend(value_);
  const Epilogue& epilogue = context_.epilogue;
  const Real c =
      epilogue.reads_c() ? Epilogue::read(c_tensor.format(), c_tensor.get(element), context_.c_flushing) : Real{};
  if (!context_.reads_product) return scaled_c(element, c);
  std::call_once(taken_apart_,
                 [this] { context_.take_operands(operation::factor(value_, 0), operation::factor(value_, 1)); });
  Answer answer;
  Terms terms;
  const GemmContext::Factored* factored = nullptr;
  for (std::size_t i = 0; i < context_.routes.size(); ++i) {
    if (factored != &context_.factored_for(i)) {
      factored = &context_.factored_for(i);
      terms = context_.terms_of(element, *factored);
    }
    const bool is_settled = GemmWalk(context_, terms, c, element, i, answer).settles();
    // Another route may take other factors.
    if (is_settled && context_.factored.size() == 1) break;
    if (is_settled || !context_.places.leaf) continue;
    const Route& route = context_.routes[i];
    const Arithmetic held = route.held_in(Arithmetic(route.format, context_.contract));
    for (const Real& loaded : epilogue.loaded_leaves(held, c)) {
      GemmWalk(context_, terms, loaded, element, i, answer).join_leaf();
    }
  }
  return answer;
}

}  // namespace

std::unique_ptr<Problem> make_float_gemm(const operation::Case& value, const Contract& contract,
                                         const Options& options) {
  return std::make_unique<FloatGemm>(value, operation::view<operation::Gemm>(value.operation), contract, options);
}

}  // namespace negzero::oracle
