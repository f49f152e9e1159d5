// Dynamic programming over subsets of terms, with sets of values.

#include "trees.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace negzero::oracle_faults {

std::optional<std::size_t> Adding::width_of(const Number& x) const {
  for (std::size_t i = 0; i < ways_.widths.size(); ++i) {
    if (is_of(ways_.widths[i], x)) return i;
  }
  return std::nullopt;
}

void Adding::put(const Number& exact, std::optional<std::size_t> width, Unrounded& out) {
  if (ways_.keeps_exact) width = 0;
  // An operation in no width takes an operand that none holds.
  if (width) out[*width].push_back(reduced(exact));
}

void Adding::add(const Numbers& a, const Numbers& b, bool b_is_unrounded, Unrounded& out) {
  if (a.size() * b.size() > left_) {
    is_complete_ = false;
    left_ = 0;
    return;
  }
  left_ -= a.size() * b.size();
  const bool tells_widths = !ways_.keeps_exact && ways_.widths.size() > 1;
  const auto widths_of = [&](const Numbers& numbers, bool is_unrounded) {
    std::vector<std::optional<std::size_t>> widths(numbers.size(), std::size_t{0});
    for (std::size_t i = 0; tells_widths && !is_unrounded && i < numbers.size(); ++i) widths[i] = width_of(numbers[i]);
    return widths;
  };
  const auto of_a = widths_of(a, false), of_b = widths_of(b, b_is_unrounded);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (!of_a[i] || !of_b[j]) continue;
      put(oracle_cross::add(a[i], b[j]), std::max(*of_a[i], *of_b[j]), out);
    }
  }
}

Numbers Adding::stored(Numbers numbers) const {
  for (std::size_t i = ways_.widths.size(); i-- > 0;) {
    const std::size_t count = numbers.size();
    for (std::size_t j = 0; j < count; ++j) numbers.push_back(rounded(ways_.widths[i], numbers[j]));
    oracle_faults::tidy(numbers);
  }
  return numbers;
}

Numbers Adding::finished(Unrounded unrounded) {
  Numbers all;
  for (std::size_t least = 0; least < unrounded.size(); ++least) {
    oracle_faults::tidy(unrounded[least]);
    for (const Number& exact : unrounded[least]) {
      for (std::size_t i = least; i < ways_.widths.size(); ++i) all.push_back(rounded(ways_.widths[i], exact));
      if (!ways_.keeps_exact) continue;
      if (is_kept_whole(exact)) {
        all.push_back(exact);
      } else {
        is_complete_ = false;
      }
    }
  }
  oracle_faults::tidy(all);
  return ways_.widths.size() > 1 ? stored(std::move(all)) : all;
}

Numbers Adding::leaf(const Term& term) {
  Unrounded unrounded = none();
  if (term.is_product) {
    put(term.exact, 0, unrounded);
    return finished(std::move(unrounded));
  }
  Numbers value{term.exact};
  oracle_faults::tidy(value);
  return ways_.widths.size() > 1 ? stored(std::move(value)) : value;
}

Numbers Adding::trees(std::span<const Term> terms) {
  if (terms.empty()) return {Number{}};
  const std::size_t full = (std::size_t{1} << terms.size()) - 1;
  std::vector<Numbers> sums(full + 1);
  for (std::size_t set = 1; set <= full; ++set) {
    if (std::has_single_bit(set)) {
      sums[set] = leaf(terms[static_cast<std::size_t>(std::countr_zero(set))]);
      continue;
    }
    const std::size_t lowest = set & (~set + 1);
    Unrounded unrounded = none();
    for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
      const std::size_t rest = set ^ part;
      if ((part & lowest) != 0) add(sums[part], sums[rest], false, unrounded);
      if (!std::has_single_bit(part) || !ways_.fused) continue;
      const Term& single = terms[static_cast<std::size_t>(std::countr_zero(part))];
      if (single.is_product) add(sums[rest], {single.exact}, true, unrounded);
    }
    sums[set] = finished(std::move(unrounded));
  }
  return sums[full];
}

Numbers Adding::chains(std::span<const Term> terms, const std::optional<Term>& start) {
  Numbers all;
  const std::vector<SmallFormat> widths = ways_.widths;
  for (const SmallFormat& width : widths) {
    Adding one({{width}, false, ways_.fused, ways_.separate}, left_);
    Numbers sums = start ? one.leaf(*start) : terms.empty() ? Numbers{Number{}} : one.leaf(terms.front());
    for (const Term& term : start || terms.empty() ? terms : terms.subspan(1)) {
      Unrounded unrounded = one.none();
      if (ways_.fused && term.is_product) one.add(sums, {term.exact}, true, unrounded);
      if (ways_.separate || !term.is_product) one.add(sums, one.leaf(term), false, unrounded);
      sums = one.finished(std::move(unrounded));
    }
    is_complete_ = is_complete_ && one.is_complete();
    all.insert(all.end(), sums.begin(), sums.end());
  }
  oracle_faults::tidy(all);
  // Stored from the width it is in: a number of a narrower one is stored as itself.
  return widths.size() > 1 ? stored(std::move(all)) : all;
}

Numbers Adding::epilogue(const Numbers& sums, const Number& alpha, const std::optional<Number>& beta, const Number& c) {
  const auto take = [&](const Number& x) -> std::optional<Number> {
    // A factor of a product has 64 bits at most here.
    if ((x.significand >> 64) == 0) return x;
    is_complete_ = false;
    return std::nullopt;
  };
  const bool is_plain = is_one(alpha);
  const bool tells_widths = !ways_.keeps_exact && ways_.widths.size() > 1;
  Numbers all;
  for (const Number& sum : sums) {
    const std::optional<Number> v = is_plain ? sum : take(sum);
    const std::optional<std::size_t> least = tells_widths && v ? width_of(*v) : std::size_t{0};
    if (!v || !least) continue;
    const Number product = is_plain ? *v : multiply(alpha, *v);
    // Its operations all in one width; or, where partial sums may be exact, each in any.
    for (std::size_t i = *least; i < (tells_widths ? ways_.widths.size() : *least + 1); ++i) {
      Adding one({tells_widths ? std::vector{ways_.widths[i]} : ways_.widths, ways_.keeps_exact, true, true}, left_);
      const Numbers scaled = is_plain ? Numbers{*v} : one.leaf({product, true});
      if (!beta) {
        all.insert(all.end(), scaled.begin(), scaled.end());
        continue;
      }
      const Term addend{multiply(*beta, c), !is_one(*beta)};
      const Numbers added = one.leaf(addend);
      Unrounded unrounded = one.none();
      if (ways_.separate || (is_plain && !addend.is_product)) one.add(scaled, added, false, unrounded);
      if (ways_.fused) {
        one.add(scaled, {addend.exact}, true, unrounded);
        one.add(added, {product}, true, unrounded);
      }
      const Numbers ends = one.finished(std::move(unrounded));
      all.insert(all.end(), ends.begin(), ends.end());
      left_ = std::min(left_, one.left_);
      is_complete_ = is_complete_ && one.is_complete();
    }
  }
  oracle_faults::tidy(all);
  return ways_.widths.size() > 1 ? stored(std::move(all)) : all;
}

}  // namespace negzero::oracle_faults
