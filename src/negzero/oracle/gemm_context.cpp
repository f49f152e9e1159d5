// The operands of a float GEMM taken apart once, and its results stored as the contract says.

#include <algorithm>
#include <iterator>
#include <utility>

#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/gemm_context.hpp>
#include <negzero/oracle/output.hpp>

namespace negzero::oracle {
namespace {

using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::IntermediateAt;
using contract::Order;
using contract::Start;
using contract::Subnormals;
using contract::TensorCore;
using number::FormatId;

Places places_of(const Contract& contract, bool reads_c) {
  const bool chain = contract.order == Order::Ascending;
  const bool starts = contract.start == Start::C || contract.start == Start::Any;
  const bool inside = reads_c && contract.beta != BetaPlace::Epilogue;
  const bool only_inside = inside && (contract.start == Start::C || contract.beta == BetaPlace::Leaf);
  return {chain, inside && (!chain || starts), inside && chain && contract.start != Start::C, !only_inside};
}

/// The format in which a tensor's elements are multiplied.
FormatId factor_of(FormatId tensor, contract::Multiplicand multiplicand) {
  const auto rounded = multiplicand_rounding(multiplicand);
  return rounded ? rounded->format : tensor;
}

/// The contract of a scaled operand on a matrix unit, which takes nothing but its own format: the scaling is rounded to
/// it.
Contract on_unit(Contract contract, FormatId operand) {
  if (contract.multiplicand != contract::Multiplicand::Exact) return contract;
  if (operand == FormatId::F16) contract.multiplicand = contract::Multiplicand::F16;
  if (operand == FormatId::BF16) contract.multiplicand = contract::Multiplicand::Bf16;
  return contract;
}

std::vector<Route> routes_of_gemm(const operation::Gemm& gemm, const Contract& contract) {
  std::vector<Route> ordinary = routes_of(contract, contract.accumulate);
  if (contract.tensor_core == TensorCore::No) return ordinary;
  std::vector<Route> routes;
  for (const FormatId format : {FormatId::F16, FormatId::F32}) {
    const bool is_wider = contract.wider && contract.accumulate == FormatId::F16;
    if (format != contract.accumulate && !is_wider) continue;
    if (const auto stepping = stepping_of(gemm, contract, format))
      routes.push_back({.format = format, .stepping = stepping});
  }
  if (contract.tensor_core == TensorCore::May) std::ranges::move(ordinary, std::back_inserter(routes));
  return routes;
}

std::vector<GemmContext::Sums> sums_of(const Contract& contract, const std::vector<Route>& routes, bool chain,
                                       std::int64_t outputs) {
  std::vector<GemmContext::Sums> sums;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    // The declared accumulator's additions are worth the cost of rule b.
    const bool leads = !routes[i].stepping && (i == 0 || routes[i - 1].stepping);
    SumShape shape{.are_values = false, .hull_terms = leads ? hull_terms(outputs) : 0};
    const Sum alone = sum_of(contract, routes[i], shape);
    shape.c = chain ? CAt::Start : CAt::Leaf;
    sums.push_back({alone, sum_of(contract, routes[i], shape)});
  }
  return sums;
}

}  // namespace

std::optional<Stepping> stepping_of(const operation::Gemm& gemm, const Contract& contract, FormatId accumulate) {
  const FormatId a = factor_of(gemm.a, contract.multiplicand), b = factor_of(gemm.b, contract.multiplicand);
  const auto unit = unit_of(contract.unit, a, b, accumulate);
  if (!unit) return std::nullopt;
  return Stepping{*unit, number::format(a).min_normal_exponent(), number::format(b).min_normal_exponent(),
                  contract.slices};
}

Contract member_for(const operation::Operation& operation, Contract member) {
  if (member.tensor_core != TensorCore::May || member.multiplicand != contract::Multiplicand::Exact) return member;
  auto gemm = operation::view_if<operation::Gemm>(operation);
  if (!gemm) gemm = operation::gemm_of_groups(operation);
  if (!gemm || stepping_of(*gemm, member, member.accumulate)) return member;
  member.tensor_core = TensorCore::No;
  member.unit = contract::Unit::Any;
  if (!member.slice_format) member.slices = 0;
  return member;
}

GemmContext::GemmContext(const operation::Gemm& gemm, const Contract& contract_, std::string exact_method_)
    : shape{gemm.m, gemm.n, gemm.k},
      outputs(gemm.batch * gemm.m * gemm.n),
      output_format(number::format(gemm.d)),
      contract(contract_),
      exact_method(std::move(exact_method_)),
      epilogue(gemm, contract),
      reads_product(gemm.k > 0 ? !epilogue.alpha().is_zero() || contract.reads_a_b()
                               : contract.scalars == contract::Scalars::Formula),
      intermediate(intermediate_steps(contract)),
      rounds_sum(contract.intermediate_at == IntermediateAt::Sum && !contract.intermediate.empty()),
      places(places_of(contract, epilogue.reads_c())),
      routes(routes_of_gemm(gemm, contract)),
      sums(sums_of(contract, routes, places.chain, outputs)),
      c_flushing(flushing_of_c(gemm.c.value_or(gemm.d))) {}

void GemmContext::take_operands(const tensor::Tensor& a_tensor, const tensor::Tensor& b_tensor) {
  for (const Route& route : routes) {
    const FactorFlushing a = flushing_of(a_tensor.format_id(), route), b = flushing_of(b_tensor.format_id(), route);
    const auto same = std::ranges::find_if(
        factored, [&](const Factored& each) { return each.a_flushing == a && each.b_flushing == b; });
    factored_of.push_back(static_cast<std::size_t>(same - factored.begin()));
    if (same != factored.end()) continue;
    factored.push_back(
        {a, b, take_apart(a_tensor, contract.multiplicand, a), take_apart(b_tensor, contract.multiplicand, b)});
  }
  if (!epilogue.scales() || contract.alpha == AlphaPlace::Epilogue) return;
  for (const Route& route : routes) {
    const Arithmetic arithmetic(route.format, contract);
    const auto fold_into = [&](const tensor::Tensor& tensor) {
      Subnormals inputs = taken(tensor.format_id(), route.format, contract.subnormal_inputs);
      if (route.stepping) inputs = joined(inputs, Subnormals::Keep);
      return fold(tensor, epilogue.alpha(), arithmetic, inputs,
                  route.stepping ? on_unit(contract, tensor.format_id()) : contract);
    };
    folded.push_back({fold_into(a_tensor), fold_into(b_tensor)});
  }
}

FactorFlushing GemmContext::flushing_of(FormatId tensor, const Route& route) const {
  const FormatId factor = factor_of(tensor, contract.multiplicand);
  FactorFlushing flushing;
  if (factor != tensor && has_exponents_of_f32(number::format(tensor))) flushing.before = contract.subnormal_inputs;
  // Matrix units flush nothing.
  if (!route.stepping) flushing.taken = taken(factor, route.format, contract.subnormal_inputs);
  return flushing;
}

Subnormals GemmContext::flushing_of_c(FormatId c) const {
  const auto in = [&](FormatId format) { return taken(c, format, contract.subnormal_inputs); };
  Subnormals flushing = in(routes.front().format);
  for (const Route& route : routes) {
    const Arithmetic held = route.held_in(Arithmetic(route.format, contract));
    flushing = joined(flushing, in(held.format().id));
    for (const Arithmetic& last : epilogue.arithmetics(held)) flushing = joined(flushing, in(last.format().id));
    if (route.stepping && places.leaf) flushing = joined(flushing, Subnormals::Keep);
  }
  return flushing;
}

Factors GemmContext::factors_of(std::int64_t element) const {
  return {shape.a_begin(element), shape.b_begin(element), 1, static_cast<std::size_t>(shape.n),
          static_cast<std::size_t>(shape.k)};
}

Terms GemmContext::terms_of(std::int64_t element, const Factored& factors) const {
  const Factors at = factors_of(element);
  Terms terms;
  terms.reserve(at.count + 1);
  for (std::size_t i = 0; i < at.count; ++i) {
    terms.push_product(factors.a, at.a_begin + i * at.a_stride, factors.b, at.b_begin + i * at.b_stride);
  }
  return terms;
}

void GemmContext::permit(const Set& set, verdict::Rule rule, Answer& answer, bool first) const {
  const bool last = contract.intermediate_at == IntermediateAt::Result;
  const Permitted permitted =
      to_permitted(last ? finish(intermediate, set) : set, output_format, contract, false, rule);
  if (first) {
    answer.permitted = permitted;
  } else {
    join(answer.permitted, permitted);
  }
}

}  // namespace negzero::oracle
