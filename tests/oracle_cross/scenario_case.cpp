// Scenarios as cases of the oracle, and as one line of text.

#include <utility>

#include <fmt/format.h>

#include "scenario.hpp"

namespace negzero::oracle_cross {

using number::FormatId;

operation::Case make_case(const Scenario& scenario, std::span<const OperandSet> sets) {
  const auto count = static_cast<std::int64_t>(sets.size());
  const auto k = static_cast<std::int64_t>(sets.front().a.size());
  operation::Case value;
  const auto fill = [&](const char* name, FormatId id, std::vector<std::int64_t> shape, auto code) {
    tensor::Tensor tensor(id, std::move(shape));
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, to_word(id, code(i)));
    value.tensors.emplace(name, std::move(tensor));
  };
  const auto at = [&](std::int64_t i) -> const OperandSet& { return sets[static_cast<std::size_t>(i)]; };
  const auto element = [&](const Codes OperandSet::*member) {
    return [&at, member, k](std::int64_t i) { return (at(i / k).*member)[static_cast<std::size_t>(i % k)]; };
  };
  const auto c = [&](std::int64_t i) { return at(i).c; };
  switch (scenario.shape) {
    case Scenario::Shape::Gemm: {
      value.operation = operation::Gemm{
          count, 1, 1, k, scenario.a, scenario.b, scenario.d, scenario.alpha, scenario.beta, scenario.c};
      fill("a", scenario.a, {count, 1, k}, element(&OperandSet::a));
      fill("b", scenario.b, {count, k, 1}, element(&OperandSet::b));
      fill("c", scenario.addend_id(), {count, 1, 1}, c);
      break;
    }
    case Scenario::Shape::Reduce:
      value.operation = operation::Reduce{scenario.mean ? operation::ReduceKind::Mean : operation::ReduceKind::Sum,
                                          count, k, scenario.a, scenario.d};
      fill("x", scenario.a, {count, k}, element(&OperandSet::a));
      break;
    case Scenario::Shape::Scatter: {
      value.operation = operation::Scatter{operation::ScatterKind::Add, count * k, count, scenario.a};
      fill("x", scenario.a, {count * k}, element(&OperandSet::a));
      fill("init", scenario.d, {count}, c);
      tensor::Tensor index(FormatId::I32, {count * k});
      for (std::int64_t i = 0; i < count * k; ++i) index.set(i, static_cast<std::uint64_t>(i / k));
      value.tensors.emplace("index", std::move(index));
      break;
    }
  }
  operation::pack_missing_layouts(value);
  return value;
}

std::string describe(const Scenario& scenario, const OperandSet& set) {
  constexpr const char* kShapes[] = {"gemm", "reduce.sum", "scatter.add"};
  const auto list = [](FormatId id, const Codes& codes) {
    std::string text;
    for (const Code code : codes) {
      const std::uint64_t word = to_word(id, code);
      text += fmt::format(" {}({:#x})", number::to_decimal(number::format(id), word), word);
    }
    return text;
  };
  std::string text =
      fmt::format("{} {} a:{}", scenario.mean ? "reduce.mean" : kShapes[static_cast<int>(scenario.shape)],
                  contract::to_json(scenario.contract), list(scenario.a, set.a));
  if (scenario.shape == Scenario::Shape::Gemm) {
    text += " b:" + list(scenario.b, set.b);
    text += " alpha:" + list(scenario.alpha.format, {to_code(scenario.alpha.format, scenario.alpha.bits)});
    text += " beta:" + list(scenario.beta.format, {to_code(scenario.beta.format, scenario.beta.bits)});
  }
  if (scenario.shape != Scenario::Shape::Reduce) text += " c:" + list(scenario.addend_id(), {set.c});
  return text + " -> " + std::string(number::format(scenario.d).name);
}

}  // namespace negzero::oracle_cross
