// Elements of cases as questions, and back.

#include <cstddef>

#include <negzero/operation/lines.hpp>
#include <negzero/operation/operands.hpp>

#include "legal.hpp"

namespace negzero::oracle_legal {

std::optional<Question> question_of(const operation::Case& value, std::int64_t element) {
  const std::string& name = operation::name(value.operation);
  Question question;
  const operation::TensorSpec output = operation::output_specs(value.operation).front();
  question.d = output.format;
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  if (name == "gemm" || name == "gemm.grouped") {
    const bool is_grouped = name == "gemm.grouped";
    const operation::Gemm gemm =
        is_grouped ? *operation::gemm_of_groups(value.operation) : operation::view<operation::Gemm>(value.operation);
    question.kind = Question::Kind::Product;
    const std::int64_t j = element % gemm.n, i = element / gemm.n % gemm.m, batch = element / gemm.n / gemm.m;
    if (is_grouped && static_cast<std::int64_t>(value.tensors.at("rows").get(batch)) <= i) return std::nullopt;
    const tensor::Tensor &a = operation::factor(value, 0), &b = operation::factor(value, 1);
    question.a = a.format_id();
    question.b = b.format_id();
    for (std::int64_t k = 0; k < gemm.k; ++k) {
      question.x.push_back(a.get((batch * gemm.m + i) * gemm.k + k));
      question.y.push_back(b.get((batch * gemm.k + k) * gemm.n + j));
    }
    if (is_grouped) return question;
    question.has_c = true;
    question.c = operation::addend(value).format_id();
    question.addend = operation::addend(value).get(element);
    question.alpha = gemm.alpha;
    question.beta = gemm.beta;
    return question;
  }
  const tensor::Tensor& x = operation::factor(value);
  question.a = x.format_id();
  if (name == "convert") {
    question.kind = Question::Kind::Conversion;
    question.x = {x.get(element)};
    return question;
  }
  const bool is_greatest = name.ends_with("max"), is_least = name.ends_with("min");
  question.takes_greatest = is_greatest;
  question.gives_index = name.starts_with("reduce.arg");
  question.is_update = name.starts_with("scatter.");
  if (question.is_update) {
    question.kind = is_greatest || is_least ? Question::Kind::Selection : Question::Kind::Location;
    question.addend = operation::addend(value).get(element);
    const tensor::Tensor& index = operation::index_list(value);
    for (std::int64_t i = 0; i < index.element_count(); ++i) {
      if (static_cast<std::int64_t>(index.get(i)) == element) question.x.push_back(x.get(i));
    }
    return question;
  }
  const bool is_sum = name == "reduce.sum" || name.starts_with("scan.");
  if (!is_sum && name != "reduce.mean" && !is_greatest && !is_least) return std::nullopt;
  question.kind = is_sum                    ? Question::Kind::Sum
                  : is_greatest || is_least ? Question::Kind::Selection
                                            : Question::Kind::Mean;
  const operation::Line line = operation::Lines(value.operation).of(element);
  question.x.reserve(at(line.count));
  for (std::int64_t i = 0; i < line.count; ++i) question.x.push_back(x.get(line.at(i)));
  return question;
}
operation::Case case_of(const Question& question) {
  operation::Case value;
  const auto count = static_cast<std::int64_t>(question.x.size());
  const auto fill = [&](const char* name, number::FormatId id, std::vector<std::int64_t> shape,
                        const std::vector<std::uint64_t>& words) {
    tensor::Tensor tensor(id, std::move(shape));
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, words[static_cast<std::size_t>(i)]);
    value.tensors.emplace(name, std::move(tensor));
  };
  if (question.kind == Question::Kind::Product) {
    operation::Gemm gemm{1,           1, 1, count, question.a, question.b, question.d, question.alpha, question.beta,
                         std::nullopt};
    if (question.has_c && question.c != question.d) gemm.c = question.c;
    value.operation = gemm;
    fill("a", question.a, {1, 1, count}, question.x);
    fill("b", question.b, {1, count, 1}, question.y);
    fill("c", gemm.c.value_or(question.d), {1, 1, 1}, {question.addend});
  } else if (question.is_update) {
    using operation::ScatterKind;
    const ScatterKind kind = question.kind == Question::Kind::Location ? ScatterKind::Add
                             : question.takes_greatest                 ? ScatterKind::Max
                                                                       : ScatterKind::Min;
    value.operation = operation::Scatter{kind, count, 1, question.a};
    fill("x", question.a, {count}, question.x);
    fill("init", question.d, {1}, {question.addend});
    fill("index", number::FormatId::I32, {count}, std::vector<std::uint64_t>(question.x.size()));
  } else if (question.kind == Question::Kind::Conversion) {
    value.operation = *operation::operation_named("convert");
    value.operation.extent("count") = 1;
    value.operation.set_formats(std::vector{question.a, question.d});
    fill("x", question.a, {1}, question.x);
  } else {
    using operation::ReduceKind;
    ReduceKind kind = question.kind == Question::Kind::Sum ? ReduceKind::Sum : ReduceKind::Mean;
    if (question.kind == Question::Kind::Selection) {
      kind = question.gives_index ? (question.takes_greatest ? ReduceKind::Argmax : ReduceKind::Argmin)
                                  : (question.takes_greatest ? ReduceKind::Max : ReduceKind::Min);
    }
    value.operation = operation::Reduce{kind, 1, count, question.a, question.d};
    fill("x", question.a, {1, count}, question.x);
  }
  operation::pack_missing_layouts(value);
  return value;
}

}  // namespace negzero::oracle_legal
