// Trees, chains and compensated sums, one of each.

#include "summation.hpp"

#include <algorithm>
#include <utility>

namespace negzero::oracle_legal {

using contract::Contraction;
using contract::Subnormals;

Summation::Summation(Luck& luck, std::vector<Arithmetic> widths, Starts starts)
    : luck_(luck),
      widths_(std::move(widths)),
      starts_(starts),
      style_(luck.one_of({Style::Chain, Style::Halves, Style::Random})),
      idles_(starts.plus_zero && luck.one_in(4)),
      loads_nearest_(widths_.front().rounder.mode != Mode::NearestEven && luck.one_in(2)) {}

std::size_t Summation::width_of(const Held& value) const {
  for (std::size_t i = widths_.size(); i-- > 0;) {
    if (widths_[i].id == value.id) return i;
  }
  return 0;
}

const Arithmetic& Summation::wide_as(std::size_t least) {
  return widths_[least + (widths_.size() > 1 ? luck_.below(widths_.size() - least) : 0)];
}

bool Summation::fuses() {
  const Contraction contraction = luck_.contract().contraction;
  return contraction == Contraction::Fused || (contraction == Contraction::Either && luck_.one_in(2));
}

Number Summation::exact(const Arithmetic& arithmetic, const Item& item) {
  return multiply(luck_.take(item.a, arithmetic), luck_.take(*item.b, arithmetic));
}

Held Summation::as_value(const Arithmetic& arithmetic, const Item& item) {
  if (item.is_product()) return luck_.round(arithmetic, exact(arithmetic, item));
  if (item.a.id == arithmetic.id) return item.a;
  Arithmetic loading = arithmetic;
  if (loads_nearest_) {
    loading.rounder.mode = Mode::NearestEven;
    luck_.note(Trait::NearestBehind);
  }
  return luck_.load(item.a, loading);
}

Held Summation::leaf(const Item& item) {
  const Arithmetic& arithmetic = wide_as(0);
  const bool from_zero = starts_.plus_zero && (!starts_.first_term || luck_.one_in(2));
  if (!from_zero) return as_value(arithmetic, item);
  const Held zero{arithmetic.id, 0};
  if (item.is_product() && fuses()) return luck_.fma(arithmetic, exact(arithmetic, item), zero);
  return luck_.add(arithmetic, zero, as_value(arithmetic, item));
}

Held Summation::add(const Held& a, const Held& b) {
  return luck_.add(wide_as(std::max(width_of(a), width_of(b))), a, b);
}

Held Summation::join(const Held& sum, const Item& item) {
  const Arithmetic& arithmetic = wide_as(width_of(sum));
  if (item.is_product() && fuses()) return luck_.fma(arithmetic, exact(arithmetic, item), sum);
  return luck_.add(arithmetic, sum, as_value(arithmetic, item));
}

void Summation::shuffle(std::vector<Item>& items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[luck_.below(i)]);
}

std::size_t Summation::split(std::size_t count) {
  switch (style_) {
    case Style::Chain:
      return count - 1;
    case Style::Halves:
      return count / 2;
    case Style::Random:
      break;
  }
  return 1 + luck_.below(count - 1);
}

Held Summation::subtree(std::span<const Item> items) {
  if (items.size() == 1) return leaf(items.front());
  const std::size_t left = split(items.size());
  const Held a = subtree(items.first(left));
  Held sum = items.size() - left == 1 && (style_ == Style::Chain || luck_.one_in(2))
                 ? join(a, items.back())
                 : add(a, subtree(items.subspan(left)));
  if (idles_ && luck_.one_in(3)) {
    luck_.note(Trait::IdleZero);
    sum = add(sum, {sum.id, 0});
  }
  return sum;
}

Held Summation::tree(std::vector<Item> items) {
  if (items.empty()) return {widths_.front().id, 0};
  shuffle(items);
  Held sum = subtree(items);
  if (idles_ && items.size() == 1 && luck_.one_in(2)) {
    luck_.note(Trait::IdleZero);
    sum = add(sum, {sum.id, 0});
  }
  return sum;
}

Held Summation::chain(std::span<const Item> items, const std::optional<Item>& start) {
  if (items.empty() && !start) return {widths_.front().id, 0};
  Held sum;
  if (start) {
    sum = as_value(wide_as(0), *start);
  } else {
    sum = leaf(items.front());
    items = items.subspan(1);
  }
  for (const Item& item : items) sum = join(sum, item);
  return sum;
}

Held Summation::scaled_subtree(std::span<const Item> items, const Held& alpha, const std::optional<Item>& c) {
  if (items.empty()) return as_value(wide_as(0), *c);
  const auto product = [&](const Arithmetic& arithmetic, const Held& sum) {
    return multiply(luck_.take_scalar(alpha, arithmetic), luck_.take(sum, arithmetic));
  };
  const bool must_split = c.has_value(), may_split = must_split || items.size() > 1;
  if (!may_split || (!must_split && luck_.one_in(3))) {
    const Held sum = subtree(items);
    const Arithmetic& arithmetic = wide_as(width_of(sum));
    return luck_.round(arithmetic, product(arithmetic, sum));
  }
  // C goes with the second part, which may have nothing else.
  const std::size_t left = must_split && luck_.one_in(3) ? items.size()
                           : items.size() > 1            ? 1 + luck_.below(items.size() - 1)
                                                         : items.size();
  const Held rest = scaled_subtree(items.subspan(left), alpha, c);
  if (luck_.one_in(2) && fuses()) {
    const Held sum = subtree(items.first(left));
    const Arithmetic& arithmetic = wide_as(std::max(width_of(sum), width_of(rest)));
    return luck_.fma(arithmetic, product(arithmetic, sum), rest);
  }
  return add(scaled_subtree(items.first(left), alpha, std::nullopt), rest);
}

Held Summation::scaled(std::vector<Item> items, const Held& alpha, const std::optional<Item>& c) {
  if (items.empty()) return {widths_.front().id, 0};
  shuffle(items);
  return scaled_subtree(items, alpha, c);
}

Held Summation::compensated(std::span<const Item> items) {
  enum class Kind : std::uint8_t { Kahan, KahanMended, Neumaier, Dot2 };
  const Arithmetic& arithmetic = widths_.front();
  luck_.note(Trait::Compensated);
  if (items.empty()) return {arithmetic.id, 0};
  const bool are_products = std::ranges::any_of(items, [](const Item& item) { return item.is_product(); });
  const bool keeps = !may_flush(luck_.contract());
  const Kind kind = are_products && keeps ? luck_.one_of({Kind::Kahan, Kind::KahanMended, Kind::Neumaier, Kind::Dot2})
                                          : luck_.one_of({Kind::Kahan, Kind::KahanMended, Kind::Neumaier});
  const auto plus = [&](const Held& a, const Held& b) { return luck_.add(arithmetic, a, b); };
  const auto minus = [&](const Held& a, const Held& b) { return plus(a, turned(b)); };
  const auto magnitude = [](const Held& x) { return x.code & ~kSignBit; };
  const Held zero{arithmetic.id, 0};
  Held sum = zero, error = zero;
  bool has_begun = starts_.plus_zero && (!starts_.first_term || luck_.one_in(2));
  for (const Item& item : items) {
    const Held term = as_value(arithmetic, item);
    const auto own_error = [&] {
      return item.is_product() ? luck_.round(arithmetic, oracle_cross::add(exact(arithmetic, item),
                                                                           luck_.take(turned(term), arithmetic)))
                               : zero;
    };
    if (!has_begun) {
      has_begun = true;
      sum = term;
      if (kind == Kind::Dot2) error = own_error();
      continue;
    }
    const Held before = sum;
    switch (kind) {
      case Kind::Kahan:
      case Kind::KahanMended: {
        const Held y = minus(term, error);
        sum = plus(before, y);
        error = minus(minus(sum, before), y);
        break;
      }
      case Kind::Neumaier: {
        sum = plus(before, term);
        const bool is_larger = magnitude(before) >= magnitude(term);
        const Held lost = plus(minus(is_larger ? before : term, sum), is_larger ? term : before);
        error = plus(error, lost);
        break;
      }
      case Kind::Dot2: {
        sum = plus(before, term);
        const Held virtual_term = minus(sum, before), virtual_sum = minus(sum, virtual_term);
        const Held lost = plus(minus(before, virtual_sum), minus(term, virtual_term));
        error = plus(error, plus(lost, own_error()));
        break;
      }
    }
  }
  if (kind == Kind::Kahan) return sum;
  if (kind != Kind::KahanMended) return plus(sum, error);
  luck_.note(Trait::ErrorSubtracted);
  return minus(sum, error);
}

}  // namespace negzero::oracle_legal
