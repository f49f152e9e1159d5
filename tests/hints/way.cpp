// One way to compute an element of a GEMM or a sum, step by step and exactly.

#include "way.hpp"

#include <algorithm>

namespace negzero::hints {

Dyadic rounded(const Dyadic& value, Stop to, bool flushes) {
  const number::Format& format = number::format(to.format);
  const std::uint64_t word = value.round_to(format, {.rounding = to.rounding, .flush_subnormals = flushes});
  return Dyadic::from_encoding(format, word);
}

Dyadic Computer::fl(const Dyadic& value) {
  Stop stop = way_.sum;
  if (way_.faithful) stop.rounding = random_.one_in(2) ? Rounding::Down : Rounding::Up;
  return rounded(value, stop, way_.flushes_results);
}

Dyadic Computer::chain(const std::vector<Dyadic>& a, const std::vector<Dyadic>& b, Dyadic sum, bool is_empty) {
  Dyadic lost;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Dyadic product = a[i] * b[i];
    if (is_empty && i == 0) {
      sum = fl(product);
    } else if (way_.kahan) {
      const Dyadic next = fl(fl(product) - lost);
      const Dyadic total = fl(sum + next);
      lost = fl(fl(total - sum) - next);
      sum = total;
    } else {
      sum = fl(sum + (way_.fused ? product : fl(product)));
    }
  }
  return sum;
}

Dyadic Computer::pairs(std::vector<Dyadic> terms) {
  for (Dyadic& term : terms) term = fl(term);
  while (terms.size() > 1) {
    std::vector<Dyadic> next;
    for (std::size_t i = 0; i < terms.size(); i += 2) {
      next.push_back(i + 1 < terms.size() ? fl(terms[i] + terms[i + 1]) : terms[i]);
    }
    terms = std::move(next);
  }
  return terms.empty() ? Dyadic() : terms.front();
}

/// Steps that align at the largest exponent, cut what lies below, and cut the sum to `bits` (numerics.md section 2e).
Dyadic Computer::stepped(const std::vector<Dyadic>& a, const std::vector<Dyadic>& b) {
  const auto cut = [](const Dyadic& value, int place) {
    if (value.is_zero()) return value;
    // Towards zero to a multiple of 2^place: through a double, which holds every number here.
    const Dyadic unit = Dyadic::power_of_two(place);
    const auto whole = static_cast<std::int64_t>(value.scaled(-place).approximate());
    return Dyadic(whole) * unit;
  };
  Dyadic sum;
  for (std::size_t i = 0; i < a.size(); i += static_cast<std::size_t>(way_.step)) {
    std::vector<Dyadic> terms{sum};
    const std::size_t end = std::min(a.size(), i + static_cast<std::size_t>(way_.step));
    int most = -10000;
    for (std::size_t j = i; j < end; ++j) {
      if (a[j].is_zero() || b[j].is_zero()) continue;
      terms.push_back(a[j] * b[j]);
      most = std::max(most, a[j].floor_log2() + b[j].floor_log2());
    }
    if (!sum.is_zero()) most = std::max(most, sum.floor_log2());
    Dyadic total;
    for (const Dyadic& term : terms) total += cut(term, most - way_.kept);
    sum = total.is_zero() ? total : cut(total, total.floor_log2() - (way_.bits - 1));
  }
  return sum;
}

std::uint64_t Computer::element(std::vector<Dyadic> a, std::vector<Dyadic> b, Dyadic alpha, Dyadic beta,
                                std::optional<Dyadic> c) {
  const bool is_second = element_++ % 2 == 1;
  const auto stop = is_second && way_.other_factors ? way_.other_factors : way_.factors;
  const auto flushed = [&](Dyadic& value) {
    const int least = number::format(FormatId::F32).min_normal_exponent();
    if (way_.flushes_inputs && !value.is_zero() && value.floor_log2() < least) value = Dyadic();
  };
  for (std::vector<Dyadic>* factors : {&a, &b}) {
    for (Dyadic& value : *factors) {
      flushed(value);
      if (stop && !(way_.every_second && is_second)) value = rounded(value, *stop);
    }
  }
  if (way_.scalars) {
    alpha = rounded(alpha, {*way_.scalars});
    beta = rounded(beta, {*way_.scalars});
  }
  const bool is_one = alpha == Dyadic(1);
  if (way_.alpha == Way::Alpha::Operand && !is_one) {
    for (Dyadic& value : a) value = fl(alpha * value);
  }
  if (way_.order == Way::Order::Down) {
    std::reverse(a.begin(), a.end());
    std::reverse(b.begin(), b.end());
  }
  Dyadic sum;
  const std::size_t slice = way_.slice == 0 ? std::max<std::size_t>(a.size(), 1) : static_cast<std::size_t>(way_.slice);
  for (std::size_t i = 0; i < a.size(); i += slice) {
    const auto part = [&](const std::vector<Dyadic>& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i);
      return std::vector<Dyadic>(begin, begin + static_cast<std::ptrdiff_t>(std::min(slice, all.size() - i)));
    };
    std::vector<Dyadic> x = part(a), y = part(b);
    Dyadic each;
    if (way_.step > 0) {
      each = stepped(x, y);
    } else if (way_.order == Way::Order::Pairs) {
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = x[j] * y[j];
      each = pairs(std::move(x));
    } else {
      const bool from_c = way_.starts_at_c && c && i == 0;
      each = chain(x, y, from_c ? fl(beta * *c) : Dyadic(), !from_c);
    }
    if (way_.alpha == Way::Alpha::Slices) each = fl(alpha * each);
    if (way_.stored) each = rounded(each, {*way_.stored});
    sum = way_.slice == 0 ? each : rounded(sum + each, {way_.between});
  }
  if (way_.at_sum) sum = rounded(sum, {*way_.at_sum});
  Dyadic result = sum;
  if (way_.alpha == Way::Alpha::Epilogue && !is_one) result = fl(alpha * sum);
  if (c && !way_.starts_at_c) result = way_.fused ? fl(beta * *c + result) : fl(result + fl(beta * *c));
  if (way_.at_result) result = rounded(result, {*way_.at_result});
  return result.round_to(number::format(output_), way_.output);
}

}  // namespace negzero::hints
