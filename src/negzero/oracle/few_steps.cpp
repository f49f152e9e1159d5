// Chains of steps over subsets of products, then trees of the slices' sums.
//
// A step is not monotone: with F = 25, fifteen products just below 2^-23 beside c = 2 - 2^-23 give 2 + 10 * 2^-23, and
// beside the larger c = 2 only 2 + 6 * 2^-23, as E is one more. So results are followed one by one, never by their
// ends.

#include <algorithm>
#include <vector>

#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/few_steps.hpp>
#include <negzero/oracle/hull.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/unit_step.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

using Numbers = std::vector<Dyadic>;

void make_distinct(Numbers& numbers) {
  std::ranges::sort(numbers);
  const auto [first, last] = std::ranges::unique(numbers);
  numbers.erase(first, last);
}

Set set_of(const Numbers& numbers) {
  std::vector<Set> points;
  points.reserve(numbers.size());
  for (const Dyadic& number : numbers) points.push_back(Set::value(number));
  return Set::united(points);
}

int exponent_of(const Dyadic& value, int least) { return std::max(value.floor_log2(), least); }

/// The products that are not zero, as a unit takes them.
std::vector<Taken> taken_by(const Unit& unit, const Stepping& stepping, const Terms& terms, std::size_t depth) {
  const int f16 = number::format(number::FormatId::F16).min_normal_exponent();
  const int least_a = unit.converts_to_f16 ? f16 : stepping.least_a;
  const int least_b = unit.converts_to_f16 ? f16 : stepping.least_b;
  std::vector<Taken> products;
  const exact::Factors a = terms.a(), b = terms.b();
  for (std::size_t i = 0; i < depth; ++i) {
    if (terms.is_zero(i)) continue;
    const int exponent = exponent_of(Dyadic(a.significand[i], a.exponent[i]), least_a) +
                         exponent_of(Dyadic(b.significand[i], b.exponent[i]), least_b);
    products.push_back({a.significand[i] * b.significand[i], a.exponent[i] + b.exponent[i], exponent});
  }
  return products;
}

/// What chains of steps over each subset of products end with that begin at one of `starts`.
std::vector<Numbers> chains(const UnitStep& step, const std::vector<Taken>& products, Numbers starts,
                            bool is_one_step) {
  const std::size_t full = (std::size_t{1} << products.size()) - 1;
  std::vector<Numbers> reached(full + 1);
  reached[0] = std::move(starts);
  for (std::size_t set = is_one_step ? full : 1; set <= full; ++set) {
    for (std::size_t group = set; group != 0; group = is_one_step ? 0 : (group - 1) & set) {
      for (const Dyadic& begun : reached[set & ~group]) reached[set].push_back(step(begun, products, group));
    }
    make_distinct(reached[set]);
  }
  return reached;
}

/// Trees of additions over the sums of parts of the products, and C, where it is one of the leaves.
class Slices {
 public:
  /// `slices`: the most parts; 0: any number.
  Slices(std::span<const Arithmetic> additions, std::size_t products, std::size_t slices, const Leaf* c)
      : additions_(additions), full_((std::size_t{1} << products) - 1), slices_(slices), c_(c) {}

  /// Of the sums of each subset as one slice: that starts from zero, or from C.
  [[nodiscard]] Set operator()(const std::vector<Numbers>& plain, const std::vector<Numbers>& from_c) const {
    // Of all products and C, or without it: by the most slices, or at level 1 of any number.
    Levels without(1, std::vector<Set>(full_ + 1)), with = without;
    if (c_ != nullptr) with[0][0] = c_->alone;
    for (std::size_t level = 1; level <= std::max<std::size_t>(slices_, 1); ++level) {
      without.push_back(without.back());
      with.push_back(with.back());
      for (std::size_t set = 0; set <= full_; ++set) {
        if (set != 0) add_slices(without, without, plain, set, without[level][set]);
        if (c_ == nullptr) continue;
        add_slices(with, without, from_c, set, with[level][set]);
        if (c_->joins && set != 0) with[level][set].unite(add_by(additions_, without[level][set], *c_->joins, true));
      }
    }
    return (c_ != nullptr ? with : without).back()[full_];
  }

 private:
  using Levels = std::vector<std::vector<Set>>;

  /// One slice, or the sum of one part of the products among `firsts`, which have C or not, and the other among
  /// `rests`.
  void add_slices(const Levels& firsts, const Levels& rests, const std::vector<Numbers>& slice, std::size_t set,
                  Set& to) const {
    const std::size_t level = firsts.size() - 1;
    const bool has_c = &firsts != &rests;
    const auto join = [&](std::size_t of_first, std::size_t of_rest) {
      for (std::size_t part = set; part != 0; part = (part - 1) & set) {
        // Of two parts without C either may be the first.
        if (!has_c && (set & ~part) < part && of_first == of_rest) continue;
        to.unite(add_by(additions_, firsts[of_first][set & ~part], rests[of_rest][part]), kFewPieces);
      }
    };
    if (level == 1) to.unite(set_of(slice[set]), kFewPieces);
    if (slices_ == 0) join(1, 1);
    for (std::size_t first = has_c ? 0 : 1; first < level && slices_ != 0; ++first) join(first, level - first);
    // A slice of zeros changes what its addition flushes.
    const Set* const flushed = slices_ == 0 ? &to : level > 1 ? &firsts[level - 1][set] : nullptr;
    if (flushed != nullptr && additions_.front().may_flush()) {
      to.unite(add_by(additions_, *flushed, Set::value({})), kFewPieces);
    }
  }

  std::span<const Arithmetic> additions_;
  std::size_t full_, slices_;
  const Leaf* c_;
};

/// The additions of slices' sums: ordinary ones, in the accumulator or in what is wider.
std::vector<Arithmetic> additions_of(const Sum& sum) {
  const number::FormatId own = sum.arithmetic.format().id;
  std::vector<Arithmetic> additions{sum.arithmetic.promoted(own)};
  if (!sum.unit_steps()->adds_wider) return additions;
  for (const number::FormatId each : wider_formats(own)) additions.push_back(sum.arithmetic.promoted(each));
  return additions;
}

}  // namespace

std::optional<Set> results_of_steps(const Sum& sum, const Terms& terms, const SteppedTerms& stepped) {
  const Stepping& stepping = sum.unit_steps()->stepping;
  const number::Format& format = sum.arithmetic.format();
  const auto is_one_step = [&](const Unit& unit) {
    return !unit.converts_to_f16 && stepping.slices == 1 && stepped.depth <= static_cast<std::uint64_t>(unit.shortest);
  };
  if (stepped.products == 0) return std::nullopt;
  if (stepped.products > kFewTerms && !std::ranges::all_of(stepping.units, is_one_step)) return std::nullopt;

  const std::vector<Arithmetic> additions = additions_of(sum);
  std::optional<Leaf> c;
  Set stored_c;  // as a unit's accumulator starts from it
  if (stepped.with_c && !terms.is_zero(stepped.depth)) {
    c = leaf_of(additions, terms, stepped.depth, sum.fuses(), true, {.plus_zero = false, .first_term = true});
    stored_c = stored(c->alone, additions.front(), true);
  }
  const std::size_t most = stepped.products + (c ? 1 : 0) + (additions.front().may_flush() ? 1 : 0);

  Set results;
  for (const Unit& unit : stepping.units) {
    const std::vector<Taken> products = taken_by(unit, stepping, terms, stepped.depth);
    const auto is_tiny = [&](const Taken& product) { return product.exponent < format.min_normal_exponent(); };
    if (std::ranges::any_of(products, is_tiny)) return std::nullopt;
    const UnitStep step(unit, format);
    Numbers starts;
    stored_c.for_each_piece([&](const Piece& piece) { starts.insert(starts.end(), {piece.low, piece.high}); });
    // A step of zero products takes C too.
    for (std::size_t i = 0, count = starts.size(); i < count; ++i) starts.push_back(step(starts[i], {}, 0));
    // Instructions of a converted format are added in the ordinary way, however few slices there are.
    const bool is_cut = stepping.slices != 0 && !unit.converts_to_f16;
    const Slices trees(additions, products.size(),
                       is_cut ? std::min(most, static_cast<std::size_t>(stepping.slices)) : 0, c ? &*c : nullptr);
    results.unite(trees(chains(step, products, {Dyadic()}, is_one_step(unit)),
                        chains(step, products, std::move(starts), is_one_step(unit))));
  }
  return results;
}

}  // namespace negzero::oracle
