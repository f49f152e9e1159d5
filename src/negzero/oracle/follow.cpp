// Joins what the paths of each member reach, and unites the members.

#include <algorithm>
#include <optional>
#include <utility>

#include <negzero/number/holds.hpp>
#include <negzero/oracle/follow.hpp>
#include <negzero/oracle/output.hpp>

namespace negzero::oracle {

using contract::OverflowPolicy;
using exact::Dyadic;

namespace {

/// How many of its steps there are up to the last one of those kinds.
template <class... Kinds>
std::size_t through_last(const Ending& ending) {
  const auto is_one = [](const Step& step) { return (std::holds_alternative<Kinds>(step) || ...); };
  return static_cast<std::size_t>(ending.rend() - std::find_if(ending.rbegin(), ending.rend(), is_one));
}
/// Those that finish the sum: what follows takes the result to memory.
std::size_t finishing(const Ending& ending) { return through_last<Load, Scale, AddC, TakeC, CopyC>(ending); }

/// What the exact sum is multiplied by on its way, and whether C is added to it.
struct Exactly {
  Dyadic alpha = 1;
  bool adds_c = false;
};
Exactly exactly_by(const Ending& ending) {
  Exactly exactly;
  for (const Step& step : ending) {
    if (const auto* const scale = std::get_if<Scale>(&step)) exactly.alpha = scale->alpha.value;
    if (const auto* const add = std::get_if<AddC>(&step)) {
      if (add->alpha) exactly.alpha = add->alpha->value;
      exactly.adds_c = true;
    }
  }
  return exactly;
}

/// A format narrower than the output's that a result of this ending is a number of: the one that it was last rounded
/// to.
std::optional<number::FormatId> last_format(const Path& path, const Ending& ending, const number::Format& output) {
  std::optional<number::FormatId> last;
  if (path.sum && path.sum->ends == Ends::Grid) last = path.sum->held().format().id;
  for (const Step& step : std::span(ending).first(ending.size() - 1)) {
    last = std::visit(
        [](const auto& each) -> std::optional<number::FormatId> {
          if constexpr (requires { each.arithmetic; }) return each.arithmetic.format().id;
          return std::nullopt;
        },
        step);
  }
  if (!last) return std::nullopt;
  const number::Format& format = number::format(*last);
  return number::holds(output, format) && output.precision() > format.precision() ? last : std::nullopt;
}

/// Whether a path's sum is in the accumulator of its member's first path.
bool is_of_first(const Path& path, const Path& first) {
  return !path.sum || (path.sum->arithmetic == first.sum->arithmetic && path.sum->order == first.sum->order);
}

/// Whether B >= S/2 > 0: the ends of `set` lie that far from the exact value (numerics.md 2, Vacuous).
bool is_vacuous(const Set& set, const Dyadic& exact_low, const Dyadic& exact_high, const Dyadic& magnitude) {
  if (!set.finite) return false;
  const Dyadic bound = std::max(exact_low - set.low, set.high - exact_high);
  return bound.sign() > 0 && magnitude <= bound.scaled(1);
}

}  // namespace

/// One element on its way through all of its paths.
class Followed::Following {
 public:
  Following(const Followed& followed, PathElement& element)
      : followed_(followed), list_(followed.paths_.list), element_(element), sums_(followed.sums_) {}

  Answer member(int index) {
    answer_ = {};
    is_first_ = true;
    const std::size_t first = begin(index);
    for (std::size_t i = first; i < list_.size() && list_[i].member == index; ++i) {
      if (!is_covered(i)) follow(i, list_[first]);
    }
    return std::move(answer_);
  }

  void list_member(int index, std::vector<Reached>& list) {
    const bool is_one_of_several = followed_.paths_.members.size() > 1;
    for (std::size_t i = begin(index); i < list_.size() && list_[i].member == index; ++i) {
      const Path& path = list_[i];
      each_ending(i, [&](const Ending& ending, Permitted permitted, const Set&, const SumResult&) {
        list.push_back({is_one_of_several ? member_->which : "", path.sum ? to_string(path.terms) : "",
                        path.sum ? to_string(*path.sum) : "no sum", to_string(ending), std::move(permitted)});
      });
    }
  }

 private:
  [[nodiscard]] bool is_covered(std::size_t i) const {
    return std::ranges::any_of(followed_.links_[i].coverers, [&](const Link::Coverer& by) {
      const std::optional<SumResult>& sum = sums_[followed_.links_[by.path].sum];
      return covers(by.cover, list_[by.path], sum ? &*sum : nullptr, element_.terms(), c_);
    });
  }

  [[nodiscard]] bool has_finite_c() const {
    return !member_->reads_c || (c_.read.is_finite() && member_->beta.is_finite());
  }

  /// The first path of a member, which is looked at from now on.
  std::size_t begin(int index) {
    member_ = &followed_.paths_.members[static_cast<std::size_t>(index)];
    c_ = member_->reads_c ? element_.c(*member_) : Addend{};
    std::size_t first = 0;
    while (list_[first].member != index) ++first;
    return first;
  }

  /// Calls `visit` with each ending of a path, what it permits, the finished sum, and the sum.
  template <class Visit>
  void each_ending(std::size_t i, const Visit& visit) {
    const Path& path = list_[i];
    SumResult nothing;
    nothing.set = Set::value({});
    nothing.rule = element_.of_nothing();
    std::optional<SumResult>& known = sums_[followed_.links_[i].sum];
    if (path.sum && !known) known = element_.sum(path);
    const SumResult& sum = path.sum ? *known : nothing;
    if (!sum.set.finite && !sum.set.any_infinity() && !sum.set.nan) return;
    Set reached;
    std::span<const Step> reached_by;
    for (const Ending& ending : path.endings) {
      const auto steps = std::span(ending);
      const std::size_t finishes = finishing(ending);
      // Endings that finish alike follow each other.
      const bool is_reached = !reached_by.empty() && std::ranges::equal(reached_by, steps.first(finishes));
      if (!is_reached) reached = finish(steps.first(finishes), sum.set, c_);
      reached_by = steps.first(finishes);
      const Set last = finish(steps.subspan(finishes, ending.size() - finishes - 1), reached, c_);
      const bool overflows = path.sum && sum.rule != "sum.special" && (reached.any_infinity() || reached.nan) &&
                             has_finite_c() && member_->alpha.is_finite();
      Permitted permitted =
          to_permitted(last, finish(steps.last(1), last, c_), followed_.output_, followed_.paths_.tells_zeros,
                       overflows ? verdict::Rule("sum.overflow") : sum.rule);
      // An infinity that is stored as the largest number is none of the narrower format.
      const bool saturates = last.any_infinity() && std::get<Round>(ending.back()).overflow != OverflowPolicy::Ieee;
      if (!saturates) permitted.held_in = last_format(path, ending, followed_.output_);
      visit(ending, std::move(permitted), reached, sum);
    }
  }

  void follow(std::size_t i, const Path& first) {
    const Path& path = list_[i];
    const bool leads = is_of_first(path, first);
    each_ending(i, [&](const Ending& ending, Permitted permitted, const Set& reached, const SumResult& sum) {
      offer(std::move(permitted), leads);
      if (leads && path.sum && !answer_.facts && member_->alpha.is_finite()) note(ending, sum, reached);
    });
    if (!path.sum && !answer_.exact && has_finite_c()) {
      answer_.exact = member_->reads_c ? c_.read.value * member_->beta.value : Dyadic();
    }
  }

  void offer(Permitted permitted, bool leads) {
    if (std::exchange(is_first_, false)) {
      answer_.permitted = std::move(permitted);
    } else {
      unite(answer_.permitted, permitted);
      if (leads) answer_.permitted.rule = weaker(answer_.permitted.rule, permitted.rule);
    }
  }

  /// The facts behind the first set: of alpha * sum + C.
  void note(const Ending& ending, const SumResult& sum, const Set& reached) {
    answer_.facts = sum.facts;
    answer_.bound = sum.bound;
    if (sum.rule == "sum.special" || !has_finite_c()) return;
    const Exactly exactly = exactly_by(ending);
    const Dyadic addend = exactly.adds_c ? c_.read.value * member_->beta.value : Dyadic();
    Dyadic low = sum.facts.sum_low * exactly.alpha + addend, high = sum.facts.sum_high * exactly.alpha + addend;
    answer_.exact = low;
    if (high < low) std::swap(low, high);
    // A declared rounding of the sum is part of what is right, and no bound of it.
    const std::size_t acting = through_last<Scale, AddC>(ending);
    const Set bounded = acting == finishing(ending) ? reached : finish(std::span(ending).first(acting), sum.set, c_);
    answer_.permitted.vacuous =
        is_vacuous(bounded, low, high, exactly.alpha.abs() * sum.facts.magnitude() + addend.abs());
  }

  const Followed& followed_;
  const std::vector<Path>& list_;
  PathElement& element_;
  std::vector<std::optional<SumResult>> sums_;  ///< of the paths that were followed, where each sum is first
  const Member* member_ = nullptr;
  Addend c_{};
  Answer answer_;
  bool is_first_ = true;
};

Followed::Followed(Paths paths, const number::Format& output, bool prunes) : paths_(std::move(paths)), output_(output) {
  const std::vector<Path>& list = paths_.list;
  // Paths of one accumulator follow each other: only they share sums, and add C in each other's places.
  const auto are_of_one = [](const Path& a, const Path& b) {
    return a.member == b.member && a.sum && b.sum && a.sum->arithmetic.format() == b.sum->arithmetic.format() &&
           a.sum->ends == b.sum->ends && a.sum->order == b.sum->order;
  };
  std::size_t first = 0, begin = 0, end = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].member != list[first].member) first = i;
    if (i >= end) {
      for (begin = end = i; end < list.size() && (end == begin || are_of_one(list[begin], list[end]));) ++end;
    }
    Link& link = links_.emplace_back(Link{sums_});
    const auto look_at = [&](std::size_t j) {
      const Cover cover = may_cover(list[j], list[i], j < i && is_of_first(list[j], list[first]));
      if (prunes && cover != Cover::No) link.coverers.push_back({j, cover});
    };
    // The first accumulator's paths come first.
    for (std::size_t j = first; j < begin && is_of_first(list[j], list[first]); ++j) look_at(j);
    for (std::size_t j = begin; j < end; ++j) {
      if (j < i && link.sum == sums_ && list[j].terms == list[i].terms && list[j].sum == list[i].sum) {
        link.sum = links_[j].sum;
      }
      if (j != i) look_at(j);
    }
    sums_ += link.sum == sums_;
  }
}

Answer Followed::answer(PathElement& element) const {
  Following following(*this, element);
  if (paths_.members.size() == 1) return following.member(0);
  std::vector<Answer> members;
  for (std::size_t i = 0; i < paths_.members.size(); ++i) {
    Answer answer = following.member(static_cast<int>(i));
    answer.which = paths_.members[i].which;
    members.push_back(std::move(answer));
  }
  return united(std::move(members));
}

std::vector<Reached> Followed::reached(PathElement& element) const {
  Following following(*this, element);
  std::vector<Reached> list;
  for (std::size_t i = 0; i < paths_.members.size(); ++i) following.list_member(static_cast<int>(i), list);
  return list;
}

Answer united(std::vector<Answer> members) {
  std::vector<Permitted> sets;
  for (const Answer& member : members) sets.push_back(member.permitted);
  Answer answer{.permitted = united(sets),
                .exact = members.front().exact,
                .facts = members.front().facts,
                .bound = members.front().bound};
  answer.members = std::move(members);
  return answer;
}

}  // namespace negzero::oracle
