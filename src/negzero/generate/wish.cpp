// The list of wishes, and its places in a stream.

#include <algorithm>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_list.hpp>

namespace negzero::generate {
namespace {

/// Label of the stream behind the places of wishes, and of the choices within one.
constexpr std::uint64_t kWishes = 0x77697368;

/// Both this and its inverse modulo 1000 (787) have continued fractions of small quotients over 1000: cases that follow
/// each other lie far apart in the list, and wishes that follow each other, as those of one kind do, far apart in the
/// thousand. Of 14 of a kind, 300 cases in a row have three.
constexpr std::uint64_t kStep = 723;

}  // namespace

WishList::WishList(const notation::Signature& signature, const operation::Limits& limits, const WishPlace& place,
                   base::Random random)
    : signature_(signature),
      limits_(limits),
      workload_(signature, limits),
      place_(place),
      random_(random),
      equal_(operation::equal_extents(limits, signature)) {}

const operation::ExtentLimit& WishList::limit(std::size_t extent) const {
  return limits_.extents[signature_.extents[extent]];
}

bool WishList::is_batch(std::size_t extent) const {
  if (signature_.factors.size() != 2) return false;
  return std::ranges::all_of(signature_.tensors, [&](const notation::TensorSignature& tensor) {
    return std::ranges::find(tensor.extents, extent) != tensor.extents.end();
  });
}

std::size_t WishList::inner() const { return inner_extent(signature_); }

std::int64_t WishList::least(std::size_t extent, std::int64_t wanted) const {
  const operation::ExtentLimit& accepted = limit(extent);
  if (const auto value = accepted.at_least(wanted)) return *value;
  return accepted.at_most(accepted.max).value_or(accepted.max / accepted.multiple * accepted.multiple);
}

std::int64_t WishList::work(const Wish& wish) const {
  std::vector<std::int64_t> lengths;
  for (std::size_t e = 0; e < extents(); ++e) {
    lengths.push_back(wish.extents[e] == Wish::kFree ? least(e, 1) : wish.extents[e]);
  }
  return workload_.of(lengths);
}

std::optional<Wish> WishList::if_at_most(std::int64_t most, Wish wish) const {
  if (!admits(wish) || work(wish) > most) return std::nullopt;
  return wish;
}

std::size_t WishList::fastest_dimension(std::size_t tensor) const {
  const std::size_t rank = signature_.tensors[tensor].extents.size();
  const operation::LayoutLimit& limit = operation::layout_limit(limits_, signature_, tensor);
  return limit.order == operation::LayoutOrder::ColumnMajor && rank > 1 ? rank - 2 : rank - 1;
}

bool WishList::admits(Wish& wish) const {
  for (const operation::EqualExtents& group : equal_) {
    std::int64_t length = Wish::kFree;
    for (const std::size_t e : group) length = std::max(length, wish.extents[e]);
    for (const std::size_t e : group) wish.extents[e] = length;
  }
  if (!limits_.products.empty()) {
    std::vector<std::int64_t> smallest;
    for (std::size_t e = 0; e < extents(); ++e) {
      smallest.push_back(wish.extents[e] == Wish::kFree ? least(e, 0) : wish.extents[e]);
    }
    if (operation::breaks_relation(smallest, signature_, limits_)) return false;
  }
  for (std::size_t e = 0; e < extents(); ++e) {
    if (wish.extents[e] != Wish::kFree && !limit(e).accepts(wish.extents[e])) return false;
  }
  return true;
}

void WishList::offer(std::uint64_t times, const Make& make) {
  if (place_.place >= next_ && place_.place < next_ + times) {
    const std::uint64_t turn = place_.place - next_;
    wish_ = make(turn, random_);
    if (wish_) wish_->kind = kind_;
    if (wish_ && turn == 0) wish_->is_watched = true;
  }
  next_ += times;
  ++kind_;
}

std::optional<WishPlace> place_of_wish(std::uint64_t seed, std::uint64_t index) {
  const base::Random stream = base::Random(seed).split(kWishes);
  const std::uint64_t round = index / kRound;
  const std::uint64_t place = (index % kRound * kStep + stream.split(round).at(0) % kRound) % kRound;
  if (place >= kMostWishes) return std::nullopt;
  return WishPlace{place, round + stream.at(0) % kRound, round == 0};
}

std::optional<Wish> make_wish(const notation::Signature& signature, const operation::Limits& limits,
                              const WishPlace& place, base::Random random) {
  WishList list(signature, limits, place, random);
  wish_for_all(list);
  return list.wish();
}

void wish_for_all(WishList& list) {
  wish_for_tiles(list);
  wish_for_long_rows(list);
  wish_for_equal_extents(list);
  wish_for_far_extents(list);
  wish_for_layouts(list);
  wish_for_distant_layouts(list);
}

}  // namespace negzero::generate
