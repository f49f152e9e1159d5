// Selections over encodings.

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/number/holds.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/select.hpp>

namespace negzero::oracle {

using contract::AllNan;
using contract::NanPolicy;
using contract::Subnormals;
using contract::Ties;
using contract::ZeroSign;
using number::Format;
using number::FormatId;

namespace {

/// What becomes of subnormal numbers that are compared, and of one that is selected.
struct SelectionFlushing {
  Subnormals compared, given;
};

SelectionFlushing flushing_of(const Selection& selection) {
  const Declared& contract = *selection.contract;
  const FormatId own = selection.input->id;
  const bool holds = number::holds(number::format(contract.sums.accumulate), *selection.input);
  const auto in = [&](Subnormals policy) {
    const Subnormals flushing = taken(own, holds ? contract.sums.accumulate : own, policy);
    // F32 alone has an instruction that always flushes what it selects; BF16 may be selected in F32, or as it is.
    return own == FormatId::F32 ? flushing : flushing == Subnormals::Flush ? Subnormals::Either : flushing;
  };
  return {in(contract.subnormals.inputs), in(contract.subnormals.results)};
}

/// A total order in which the wanted element is the greatest: -0 < +0 where the contract tells zeros apart.
struct Key {
  std::int64_t position = 0;
  int zero = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
};

class Keys {
 public:
  Keys(const Selection& selection, bool zeros_differ)
      : selection_(selection), policy_(flushing_of(selection).compared), zeros_differ_(zeros_differ) {}

  [[nodiscard]] Key of(std::uint64_t word) const {
    const Format& format = *selection_.input;
    const std::int64_t position = number::ordinal(format, word);
    const int zero = zeros_differ_ && position == 0 && !number::is_negative(format, word) ? 1 : 0;
    return selection_.side == Side::Max ? Key{position, zero} : Key{-position, -zero};
  }
  /// The element when its subnormal is, or may be, taken for zero: least and greatest key.
  [[nodiscard]] Key least(std::uint64_t word) const { return flushed(word, false); }
  [[nodiscard]] Key greatest(std::uint64_t word) const { return flushed(word, true); }

 private:
  [[nodiscard]] Key flushed(std::uint64_t word, bool greatest) const {
    const Format& format = *selection_.input;
    if (policy_ == Subnormals::Keep || !is_subnormal(format, word)) return of(word);
    const Key zero = of(number::zero(format, number::is_negative(format, word)));
    if (policy_ == Subnormals::Flush) return zero;
    return greatest ? std::max(of(word), zero) : std::min(of(word), zero);
  }

  const Selection& selection_;
  Subnormals policy_;
  bool zeros_differ_;
};

/// -Inf for a maximum, +Inf for a minimum; the format's last number where it has no Inf.
std::uint64_t identity(const Selection& selection) {
  const Format& format = *selection.input;
  const bool negative = selection.side == Side::Max;
  return format.is_integer() ? number::max_finite(format, negative) : number::infinity(format, negative);
}

/// What selects that set gives in memory.
Permitted given(const Selection& selection, const Set& set, verdict::Rule rule) {
  const Declared& contract = *selection.contract;
  // What is moved is not converted: an infinity stays one.
  const bool moves = selection.input->id == selection.output->id;
  const auto overflow = moves ? contract::OverflowPolicy::Ieee : contract.roundings.overflow;
  return to_permitted(set, convert(set, *selection.output, contract.roundings.last, overflow), *selection.output,
                      contract.selections.zero_sign != ZeroSign::Any, rule);
}

Permitted of_word(const Selection& selection, std::uint64_t word, verdict::Rule rule) {
  return given(selection, Real::from_encoding(*selection.input, word).set(), rule);
}

Permitted nothing_but_nan(const Selection& selection) {
  Permitted permitted = given(selection, Set::only_nan(), "select.nan");
  permitted.nan = true;
  return permitted;
}

}  // namespace

Permitted exactly(const Format& format, std::uint64_t word, verdict::Rule rule) {
  if (!number::is_nan(format, word)) return only(format, {word & format.word_mask()}, rule);
  Permitted permitted(format.id, Set::only_nan());
  permitted.rule = rule;
  return permitted;
}

Permitted select_value(const Selection& selection, std::span<const std::uint64_t> words) {
  const Declared& contract = *selection.contract;
  const Format& format = *selection.input;
  const Keys keys(selection, contract.selections.zero_sign != ZeroSign::Any);
  bool any_nan = false;
  std::optional<Key> lowest;
  for (const std::uint64_t word : words) {
    if (number::is_nan(format, word)) {
      any_nan = true;
    } else {
      lowest = lowest ? std::max(*lowest, keys.least(word)) : keys.least(word);
    }
  }
  if (any_nan && contract.selections.nan == NanPolicy::Propagate) return nothing_but_nan(selection);
  if (!lowest) {
    Permitted permitted = nothing_but_nan(selection);
    const bool gives_identity = contract.selections.all_nan == AllNan::Identity ||
                                (contract.selections.all_nan == AllNan::Any && selection.has_identity);
    if (contract.selections.all_nan == AllNan::Identity && selection.has_identity) permitted.nan = false;
    if (gives_identity) unite(permitted, of_word(selection, identity(selection), "select.nan"));
    return permitted;
  }
  SelectionFlushing flushing = flushing_of(selection);
  // What is selected from nothing else may have met no instruction at all.
  if (words.size() == 1 && contract.sums.start != contract::Start::PlusZero) {
    flushing.given = joined(flushing.given, Subnormals::Keep);
  }
  std::set<std::uint64_t> given;
  for (const std::uint64_t word : words) {
    if (number::is_nan(format, word) || keys.greatest(word) < *lowest) continue;
    const bool is_touched = is_subnormal(format, word);
    if (!is_touched || flushing.given != Subnormals::Flush) given.insert(word);
    const bool may_be_zero = flushing.compared != Subnormals::Keep || flushing.given != Subnormals::Keep;
    if (is_touched && may_be_zero) given.insert(number::zero(format, number::is_negative(format, word)));
  }
  std::vector<Permitted> sets;
  for (const std::uint64_t word : given) sets.push_back(of_word(selection, word, "select.value"));
  // Each is a value of the line, and nothing between two of them is.
  return united(sets, sets.size());
}

Permitted select_index(const Selection& selection, std::span<const std::uint64_t> words) {
  const Declared& contract = *selection.contract;
  const Format& format = *selection.input;
  const Keys keys(selection, contract.selections.zero_sign == ZeroSign::Ieee);
  const auto is_nan = [&](std::uint64_t word) { return number::is_nan(format, word); };
  const bool any_nan = std::any_of(words.begin(), words.end(), is_nan);
  const bool all_nan = any_nan && std::all_of(words.begin(), words.end(), is_nan);
  const bool nan_wins = any_nan && (contract.selections.nan == NanPolicy::Propagate || all_nan);

  std::optional<Key> best;
  if (!nan_wins) {
    for (const std::uint64_t word : words) {
      if (is_nan(word)) continue;
      const Key key = keys.least(word);
      best = best ? std::max(*best, key) : key;
    }
  }
  std::vector<std::uint64_t> indices;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool wins = nan_wins ? is_nan(words[i]) : !is_nan(words[i]) && keys.greatest(words[i]) >= *best;
    if (wins) indices.push_back(i);
  }
  // A row of NaN that are ignored has no first or last element that counts.
  if (all_nan && contract.selections.nan == NanPolicy::Ignore)
    return only(*selection.output, std::move(indices), "select.nan");
  if (contract.selections.ties == Ties::Any)
    return only(*selection.output, std::move(indices),
                nan_wins ? verdict::Rule("select.nan") : verdict::Rule("select.index"));
  const bool is_first = contract.selections.ties == Ties::First;
  if (!is_first) std::ranges::reverse(indices);
  // Where each subnormal may be zero or not, an element is the first if no earlier one is as good in every choice. Only
  // those that may win are as good as one that may.
  std::optional<Key> before;
  std::erase_if(indices, [&](std::uint64_t index) {
    const std::uint64_t word = words[static_cast<std::size_t>(index)];
    if (nan_wins) return std::exchange(before, Key{}).has_value();
    const bool is_beaten = before && *before >= keys.greatest(word);
    before = before ? std::max(*before, keys.least(word)) : keys.least(word);
    return is_beaten;
  });
  if (!is_first) std::ranges::reverse(indices);
  return only(*selection.output, std::move(indices),
              nan_wins ? verdict::Rule("select.nan") : verdict::Rule("select.index"));
}

Permitted select_index_beside(const Selection& selection, std::span<const std::uint64_t> words, std::uint64_t value) {
  const Declared& contract = *selection.contract;
  const Format& format = *selection.input;
  const SelectionFlushing flushing = flushing_of(selection);
  const bool may_flush = flushing.compared != Subnormals::Keep || flushing.given != Subnormals::Keep;
  const auto has_value = [&](std::uint64_t index) {
    const std::uint64_t word = words[static_cast<std::size_t>(index)];
    if (number::same_result(format, word, value)) return true;
    if (!number::is_zero(format, value)) return false;
    if (number::is_zero(format, word)) return contract.selections.zero_sign != ZeroSign::Ieee;
    return may_flush && is_subnormal(format, word);
  };
  const auto with_value = [&](const Permitted& places) {
    std::vector<std::uint64_t> indices;
    std::ranges::copy_if(places.only, std::back_inserter(indices), has_value);
    return indices;
  };
  const Permitted permitted = select_index(selection, words);
  std::vector<std::uint64_t> indices = with_value(permitted);
  if (indices.empty() && may_flush) {
    // What ties because it was flushed, and is moved as it is, has its own place.
    Declared open = contract;
    open.selections.ties = Ties::Any;
    Selection of_all = selection;
    of_all.contract = &open;
    indices = with_value(select_index(of_all, words));
  }
  if (indices.empty() || indices == permitted.only) return permitted;
  return only(*selection.output, std::move(indices), "select.beside");
}

Permitted select_nothing(const Selection& selection, bool index) {
  const Declared& contract = *selection.contract;
  if (contract.empty) return exactly(*selection.output, *contract.empty, "select.empty");
  if (!index) return of_word(selection, identity(selection), "select.empty");
  using Index = std::numeric_limits<std::int32_t>;
  Permitted permitted(selection.output->id, Interval{Index::min(), Index::max()});
  permitted.rule = "select.empty";
  return permitted;
}

}  // namespace negzero::oracle
