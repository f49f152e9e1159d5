// The exact facts about every sum of a case, computed term by term, apart from the generators.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/exact/dyadic.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/lines.hpp>

namespace negzero::generate {

/// One product (or value) with the encodings that it came from.
struct Term {
  exact::Dyadic value;
  std::uint64_t left = 0, right = 0;
};

/// The terms of one result, in ascending order of k; the addend (c, init) apart.
struct Sum {
  std::vector<Term> terms;
  std::optional<exact::Dyadic> addend;
  bool finite = true;  ///< no NaN or Inf among the terms

  [[nodiscard]] exact::Dyadic total() const {
    exact::Dyadic sum;
    for (const Term& term : terms) sum += term.value;
    return sum;
  }
  [[nodiscard]] exact::Dyadic magnitude() const {
    exact::Dyadic sum;
    for (const Term& term : terms) sum += term.value.abs();
    return sum;
  }
  [[nodiscard]] int nonzero() const {
    return static_cast<int>(
        std::count_if(terms.begin(), terms.end(), [](const Term& term) { return !term.value.is_zero(); }));
  }
  /// g of numerics.md section 2 as an exponent. Requires a nonzero term.
  [[nodiscard]] int lowest_bit() const {
    std::optional<int> lowest;
    for (const Term& term : terms) {
      if (term.value.is_zero()) continue;
      lowest = lowest ? std::min(*lowest, term.value.lowest_bit()) : term.value.lowest_bit();
    }
    return lowest.value_or(0);
  }
};

inline Sum make_sum(const number::Format& left, const number::Format& right, const std::vector<std::uint64_t>& a,
                    const std::vector<std::uint64_t>& b) {
  Sum sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!number::decode(left, a[i]).is_finite() || !number::decode(right, b[i]).is_finite()) {
      sum.finite = false;
      continue;
    }
    sum.terms.push_back(
        {exact::Dyadic::from_encoding(left, a[i]) * exact::Dyadic::from_encoding(right, b[i]), a[i], b[i]});
  }
  return sum;
}

/// The sums behind at most `most` outputs, evenly spread over the case. Empty sums included.
inline std::vector<Sum> sums_of(const operation::Case& value, std::int64_t most) {
  std::vector<Sum> sums;
  const auto every = [most](std::int64_t count) { return std::max<std::int64_t>(1, count / most); };
  if (const auto gemm = operation::view_if<operation::Gemm>(value.operation)) {
    const auto &a = value.tensors.at("a"), &b = value.tensors.at("b"), &c = value.tensors.at("c");
    const std::int64_t outputs = gemm->batch * gemm->m * gemm->n;
    for (std::int64_t at = 0; at < outputs; at += every(outputs)) {
      const std::int64_t batch = at / (gemm->m * gemm->n), i = at / gemm->n % gemm->m, j = at % gemm->n;
      std::vector<std::uint64_t> left, right;
      for (std::int64_t k = 0; k < gemm->k; ++k) {
        left.push_back(a.get((batch * gemm->m + i) * gemm->k + k));
        right.push_back(b.get((batch * gemm->k + k) * gemm->n + j));
      }
      Sum sum = make_sum(a.format(), b.format(), left, right);
      if (number::decode(c.format(), c.get(at)).is_finite()) {
        sum.addend = exact::Dyadic::from_encoding(c.format(), c.get(at));
      }
      sums.push_back(std::move(sum));
    }
    return sums;
  }
  const number::Format& one = number::format(number::FormatId::F32);
  const auto& x = value.tensors.at("x");
  if (operation::kind_of(value.operation.signature()) == operation::Kind::Reduction) {
    const operation::Lines lines(value.operation);
    for (std::int64_t at = 0; at < lines.outputs(); at += every(lines.outputs())) {
      const operation::Line line = lines.of(at);
      std::vector<std::uint64_t> left;
      for (std::int64_t k = 0; k < line.count; ++k) left.push_back(x.get(line.at(k)));
      sums.push_back(make_sum(x.format(), one, left, std::vector<std::uint64_t>(left.size(), number::one(one))));
    }
    return sums;
  }
  const auto& scatter = operation::view<operation::Scatter>(value.operation);
  const auto &index = value.tensors.at("index"), &init = value.tensors.at("init");
  for (std::int64_t at = 0; at < scatter.destinations; at += every(scatter.destinations)) {
    std::vector<std::uint64_t> left;
    for (std::int64_t i = 0; i < scatter.updates; ++i) {
      if (static_cast<std::int64_t>(index.get(i)) == at) left.push_back(x.get(i));
    }
    Sum sum = make_sum(x.format(), one, left, std::vector<std::uint64_t>(left.size(), number::one(one)));
    if (number::decode(init.format(), init.get(at)).is_finite()) {
      sum.addend = exact::Dyadic::from_encoding(init.format(), init.get(at));
    }
    sums.push_back(std::move(sum));
  }
  return sums;
}

/// The sum in ascending order, each step rounded once to `format`; nothing when it overflows.
inline std::optional<exact::Dyadic> accumulate_in(const number::Format& format, const std::vector<Term>& terms) {
  exact::Dyadic sum;
  for (const Term& term : terms) {
    const std::uint64_t word = (sum + term.value).round_to(format);
    if (!number::decode(format, word).is_finite()) return std::nullopt;
    sum = exact::Dyadic::from_encoding(format, word);
  }
  return sum;
}

}  // namespace negzero::generate
