// Goes on from what was known of fewer terms.

#include <algorithm>

#include <negzero/oracle/prefix.hpp>
#include <negzero/oracle/zero_sign.hpp>

namespace negzero::oracle {
namespace {

/// Fewer terms than this are added one by one: a method of exact looks at all of them first.
constexpr std::size_t kFewAtOnce = 8;

}  // namespace

void Prefix::extend(std::size_t count) {
  if (size_ == 0 && count == terms_->size()) {
    kinds_ = terms_->kinds();
  } else {
    for (std::size_t i = size_; i < count; ++i) kinds_.add(terms_->flags(i));
  }
  size_ = count;
}

const Facts& Prefix::facts(std::string_view forced) {
  const std::size_t begin = facts_end_;
  facts_end_ = size_;
  if (begin == 0 && size_ >= kFewAtOnce) {
    facts_ = facts_of(*terms_, 0, size_, forced);
  } else if (size_ - begin >= kFewAtOnce || !forced.empty()) {
    facts_ += facts_of(*terms_, begin, size_, forced);
  } else {
    for (std::size_t i = begin; i < size_; ++i) {
      if (!terms_->is_zero(i)) facts_.add(terms_->value(i), (terms_->flags(i) & kOptional) != 0);
    }
  }
  return facts_;
}

Prefix::Held& Prefix::held(const Arithmetic& arithmetic) {
  const auto known = std::ranges::find(held_, arithmetic, &Held::arithmetic);
  if (known != held_.end()) return *known;
  return held_.emplace_back(Held{.arithmetic = arithmetic, .leaves = LeafCounter(arithmetic)});
}

Leaves Prefix::leaves(const Arithmetic& arithmetic) {
  Held& known = held(arithmetic);
  known.leaves.add(*terms_, known.leaves_end, size_);
  known.leaves_end = size_;
  return known.leaves.leaves();
}

bool Prefix::vanishes(const Arithmetic& arithmetic, bool fused) {
  Held& known = held(arithmetic);
  for (; known.vanishes_end < size_ && !known.vanishes; ++known.vanishes_end) {
    known.vanishes = can_vanish(arithmetic, *terms_, known.vanishes_end, fused);
  }
  return known.vanishes;
}

Set Prefix::chain(const Arithmetic& arithmetic, contract::Contraction contraction, ChainStarts starts,
                  const std::optional<contract::Promote>& promote) {
  auto followed = std::ranges::find_if(
      chains_, [&](const Followed& other) { return other.arithmetic == arithmetic && other.promote == promote; });
  if (followed == chains_.end()) {
    chains_.push_back({arithmetic, promote, Chain(arithmetic, contraction, starts, std::nullopt, promote)});
    followed = chains_.end() - 1;
  }
  for (; followed->end < size_; ++followed->end) followed->chain.add(*terms_, followed->end);
  return followed->chain.value();
}

Prefix::ByOrders& Prefix::by_orders(std::span<const Arithmetic> widths, const Begins& begins) {
  for (; leaves_end_ < size_ && leaves_.size() <= kMostLeaves; ++leaves_end_) {
    if (!terms_->is_zero(leaves_end_)) leaves_.push_back(leaves_end_);
  }
  const auto is_asked = [&](const ByOrders& each) {
    return each.widths == widths.size() && each.narrowest == widths.front();
  };
  const auto found = std::ranges::find_if(by_orders_, is_asked);
  ByOrders& known =
      found != by_orders_.end() ? *found : by_orders_.emplace_back(ByOrders{widths.front(), widths.size()});
  const bool has_zeros = begins.adds_zero || size_ > leaves_.size();
  if (known.leaves.size() == leaves_.size() && known.has_zeros == has_zeros) return known;
  known = {.narrowest = widths.front(), .widths = widths.size(), .has_zeros = has_zeros};
  for (const std::size_t i : leaves_) {
    known.leaves.push_back(leaf_of(widths, *terms_, i, begins.fused, begins.separate, begins.starts));
  }
  return known;
}

const Hull& Prefix::hull(std::span<const Arithmetic> widths, const Begins& begins) {
  ByOrders& known = by_orders(widths, begins);
  if (!known.hull) known.hull = hull_of(widths, known.leaves, known.has_zeros, begins.limit);
  return *known.hull;
}

const Set& Prefix::results(std::span<const Arithmetic> widths, const Begins& begins) {
  ByOrders& known = by_orders(widths, begins);
  if (!known.results) {
    // Of F32 and F64 few results lie apart; narrower accumulators leave many.
    const std::size_t most = widths.size() == 2 ? kFewPieces / 2 : kFewPieces;
    const std::size_t pieces = known.leaves.size() <= kFewTerms ? most : 1;
    known.results = results_of(widths, known.leaves, known.has_zeros, begins.limit, pieces);
  }
  return *known.results;
}

}  // namespace negzero::oracle
