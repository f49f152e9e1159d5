// Selections over encodings.

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/number/ulp_distance.hpp>
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

namespace {

/// A total order in which the wanted element is the greatest: -0 < +0 where the contract tells zeros apart.
struct Key {
  std::int64_t position = 0;
  int zero = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
};

class Keys {
 public:
  Keys(const Selection& selection, bool zeros_differ) : selection_(selection), zeros_differ_(zeros_differ) {}

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
    const Subnormals policy = selection_.contract->subnormal_inputs;
    if (policy == Subnormals::Keep || number::classify(format, word) != number::Class::Subnormal) return of(word);
    const Key zero = of(number::zero(format, number::is_negative(format, word)));
    if (policy == Subnormals::Flush) return zero;
    return greatest ? std::max(of(word), zero) : std::min(of(word), zero);
  }

  const Selection& selection_;
  bool zeros_differ_;
};

/// -Inf for a maximum, +Inf for a minimum; the format's last number where it has no Inf.
std::uint64_t identity(const Selection& selection) {
  const Format& format = *selection.input;
  const bool negative = selection.side == Side::Max;
  return format.is_integer() ? number::max_finite(format, negative) : number::infinity(format, negative);
}

Permitted of_word(const Selection& selection, std::uint64_t word, verdict::Rule rule) {
  return to_permitted(Real::from_encoding(*selection.input, word).range(), *selection.output, *selection.contract, true,
                      rule);
}

Permitted nothing_but_nan(const Selection& selection) {
  Permitted permitted = to_permitted(Range::only_nan(), *selection.output, *selection.contract, true, "select.nan");
  permitted.nan = true;
  return permitted;
}

}  // namespace

Permitted exactly(const Format& format, std::uint64_t word, verdict::Rule rule) {
  if (!number::is_nan(format, word)) return only(format, {word & format.word_mask()}, rule);
  Permitted permitted;
  permitted.format = format.id;
  permitted.nan = true;
  permitted.rule = rule;
  return permitted;
}

Permitted select_value(const Selection& selection, std::span<const std::uint64_t> words) {
  const contract::Contract& contract = *selection.contract;
  const Format& format = *selection.input;
  const Keys keys(selection, true);
  bool any_nan = false;
  std::optional<Key> lowest, highest;
  for (const std::uint64_t word : words) {
    if (number::is_nan(format, word)) {
      any_nan = true;
      continue;
    }
    const Key least = keys.least(word), greatest = keys.greatest(word);
    lowest = lowest ? std::max(*lowest, least) : least;
    highest = highest ? std::max(*highest, greatest) : greatest;
  }
  if (any_nan && contract.nan == NanPolicy::Propagate) return nothing_but_nan(selection);
  if (!lowest) {
    Permitted permitted = nothing_but_nan(selection);
    const bool gives_identity =
        contract.all_nan == AllNan::Identity || (contract.all_nan == AllNan::Any && selection.has_identity);
    if (contract.all_nan == AllNan::Identity && selection.has_identity) permitted.nan = false;
    if (gives_identity) join(permitted, of_word(selection, identity(selection), "select.nan"));
    return permitted;
  }
  const auto word_of = [&](const Key& key) {
    const std::int64_t position = selection.side == Side::Max ? key.position : -key.position;
    const bool positive_zero = selection.side == Side::Max ? key.zero == 1 : key.zero == -1;
    return position == 0 && !positive_zero ? number::zero(format, true) : number::from_ordinal(format, position);
  };
  const std::uint64_t zero_free_low = format.is_integer() && lowest->position == 0 ? 0 : word_of(*lowest);
  const std::uint64_t zero_free_high = format.is_integer() && highest->position == 0 ? 0 : word_of(*highest);
  Permitted permitted = of_word(selection, zero_free_low, "select.value");
  if (zero_free_high != zero_free_low) {
    join(permitted, of_word(selection, zero_free_high, "select.value"));
    // Between the two lie flushed subnormals of either sign.
    permitted.plus_zero = permitted.minus_zero = true;
  }
  return permitted;
}

Permitted select_index(const Selection& selection, std::span<const std::uint64_t> words) {
  const contract::Contract& contract = *selection.contract;
  const Format& format = *selection.input;
  const Keys keys(selection, contract.zero_sign == ZeroSign::Ieee);
  const auto is_nan = [&](std::uint64_t word) { return number::is_nan(format, word); };
  const bool any_nan = std::any_of(words.begin(), words.end(), is_nan);
  const bool all_nan = any_nan && std::all_of(words.begin(), words.end(), is_nan);
  const bool nan_wins = any_nan && (contract.nan == NanPolicy::Propagate || all_nan);

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
  if (all_nan && contract.nan == NanPolicy::Ignore) return only(*selection.output, std::move(indices), "select.nan");
  if (contract.ties == Ties::Any)
    return only(*selection.output, std::move(indices),
                nan_wins ? verdict::Rule("select.nan") : verdict::Rule("select.index"));
  const bool is_first = contract.ties == Ties::First;
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
  const contract::Contract& contract = *selection.contract;
  const Format& format = *selection.input;
  const bool may_flush =
      contract.subnormal_inputs != Subnormals::Keep || contract.subnormal_results != Subnormals::Keep;
  const auto has_value = [&](std::uint64_t index) {
    const std::uint64_t word = words[static_cast<std::size_t>(index)];
    if (number::same_result(format, word, value)) return true;
    if (!number::is_zero(format, value)) return false;
    if (number::is_zero(format, word)) return contract.zero_sign != ZeroSign::Ieee;
    return may_flush && number::classify(format, word) == number::Class::Subnormal;
  };
  Permitted permitted = select_index(selection, words);
  std::vector<std::uint64_t> indices;
  std::ranges::copy_if(permitted.only, std::back_inserter(indices), has_value);
  if (indices.empty() || indices.size() == permitted.only.size()) return permitted;
  return only(*selection.output, std::move(indices), "select.beside");
}

Permitted select_nothing(const Selection& selection, bool index) {
  const contract::Contract& contract = *selection.contract;
  if (contract.empty) return exactly(*selection.output, *contract.empty, "select.empty");
  if (!index) return of_word(selection, identity(selection), "select.empty");
  Permitted permitted;
  permitted.format = selection.output->id;
  permitted.any_finite = true;
  permitted.low = std::numeric_limits<std::int32_t>::min();
  permitted.high = std::numeric_limits<std::int32_t>::max();
  permitted.rule = "select.empty";
  return permitted;
}

}  // namespace negzero::oracle
