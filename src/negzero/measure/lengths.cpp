// The least lengths without an access outside: those of the simplest formula for which one element less is too few, at
// all sets of sizes.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <negzero/measure/formulas.hpp>
#include <negzero/measure/lengths.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;

/// The set behind those that are measured at.
constexpr std::size_t kAscending = kSets;

/// The first one is the greatest: what a window or a selection takes is shorter than what it takes it from. In the last
/// set it is the least, so that a quotient that is 1 elsewhere shows.
constexpr std::array<std::array<std::int64_t, 3>, kSets + 1> kFewSizes{
    {{41, 11, 23}, {53, 17, 29}, {37, 13, 19}, {12, 25, 31}}};
constexpr std::array<std::array<std::int64_t, kMostSizes>, kSets + 1> kManySizes{
    {{13, 7, 5, 3, 4, 11}, {17, 9, 7, 4, 5, 13}, {11, 8, 3, 5, 7, 13}, {3, 4, 5, 7, 11, 13}}};

/// Measures one probe with sizes that are used in one way.
class Measurement {
 public:
  /// `has_sizes`: integers in memory have the value of the last size, which they may be compared with.
  Measurement(Prober& prober, const Probe& probe, const Callee& callee, SizeUses uses, bool has_sizes, std::string& why)
      : prober_(prober),
        probe_(probe),
        callee_(callee),
        has_sizes_(has_sizes),
        why_(why),
        pointers_(callee.places_of(Role::Pointer)) {
    result_.uses = std::move(uses);
    for (const std::size_t place : pointers_) fitting_[place] = formulas_of(callee);
  }

  /// The lengths; nothing: why_ says why, and has_no_formula() whether that was for want of a formula.
  std::optional<Lengths> lengths() {
    for (std::size_t set = 0; set < kSets; ++set) {
      if (!measure(set)) return std::nullopt;
    }
    for (const auto& [place, formulas] : fitting_) result_.of[place] = formulas.front().length;
    if (!fix_what_is_no_extent() || !fits_ascending() || !is_the_same_for_other_contents()) return std::nullopt;
    return result_;
  }
  [[nodiscard]] bool has_no_formula() const { return has_no_formula_; }
  [[nodiscard]] bool is_untouched() const { return is_untouched_; }

 private:
  /// Keeps the formulas that fit at one set of sizes.
  bool measure(std::size_t set) {
    given_ = with_ones(given_of_set(callee_, set, result_));
    const std::int64_t room = greatest();
    for (const std::size_t place : pointers_) given_.lengths[place] = room;
    const Seen roomy = prober_.run(probe_, given_, true);
    why_ = roomy.why;
    if (roomy.kind == Seen::Kind::TooShort || roomy.kind == Seen::Kind::Uninitialised) return false;
    const bool has_raced = roomy.kind == Seen::Kind::Failed && why_.starts_with("data race");
    if (roomy.kind == Seen::Kind::Refused || (roomy.kind == Seen::Kind::Failed && !has_raced)) return false;
    if (!has_raced) why_.clear();
    return std::ranges::all_of(pointers_, [&](std::size_t place) { return measure_one(place); });
  }

  bool measure_one(std::size_t place) {
    std::vector<Formula>& formulas = fitting_[place];
    const std::vector<std::int64_t> values = values_of(formulas);
    const auto least = std::ranges::partition_point(values, [&](std::int64_t value) { return is_short(place, value); });
    if (least != values.end() && is_short(place, *least - 1)) {
      std::erase_if(formulas, [&](const Formula& each) { return each.value(given_.extents) != *least; });
      given_.lengths[place] = *least;
      return true;
    }
    std::int64_t low = least == values.begin() ? 0 : *(least - 1) + 1;
    std::int64_t high = least == values.end() ? given_.lengths[place] : *least - 1;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      is_short(place, middle) ? low = middle + 1 : high = middle;
    }
    const std::string& name = callee_.parameters[place].name;
    if (!why_.empty()) return false;  // A race ended some of the runs.
    has_no_formula_ = low > 0;
    is_untouched_ = low == 0;
    why_ = low == 0 ? fmt::format("of {} nothing is read or written", name)
                    : fmt::format(
                          "it uses {} elements of {}, which no product of its sizes gives, as where rows lie a leading "
                          "dimension apart",
                          low, name);
    return false;
  }

  /// Whether so many elements are too few.
  bool is_short(std::size_t place, std::int64_t length) {
    Given given = given_;
    given.lengths[place] = length;
    return prober_.run(probe_, given, true).kind == Seen::Kind::TooShort;
  }

  /// Their values that are numbers of elements, each once, ascending.
  [[nodiscard]] std::vector<std::int64_t> values_of(const std::vector<Formula>& formulas) const {
    std::vector<std::int64_t> result;
    for (const Formula& each : formulas) result.push_back(each.value(given_.extents));
    std::erase_if(result, [](std::int64_t value) { return value < 1; });
    std::ranges::sort(result);
    result.erase(std::ranges::unique(result).begin(), result.end());
    return result;
  }

  [[nodiscard]] std::int64_t greatest() const {
    std::int64_t result = 64;
    for (const auto& [place, formulas] : fitting_) {
      const std::vector<std::int64_t> values = values_of(formulas);
      if (!values.empty()) result = std::max(result, values.back());
    }
    return result;
  }

  /// Gives sizes that no length follows a small value with which the probe runs.
  bool fix_what_is_no_extent() {
    Places others;
    for (const std::size_t place : callee_.places_of(Role::Size)) {
      const auto has_it = [&](const auto& each) { return std::ranges::count(each.second.factors, place) > 0; };
      if (std::ranges::none_of(result_.of, has_it)) others.push_back(place);
    }
    if (others.empty()) return true;
    for (const std::int64_t value : {3, 2, 1, 4, 16}) {
      for (const std::size_t place : others) result_.uses[place] = {.fixed = value};
      if (runs(with_ones(given_of_set(callee_, 0, result_)))) return true;
    }
    why_ = fmt::format("{} is no extent of a tensor", callee_.parameters[others.front()].name);
    return false;
  }

  bool fits_ascending() {
    const Given given = with_ones(given_of_set(callee_, kAscending, result_));
    const auto is_none = [](const auto& each) { return each.second < 1; };
    if (!std::ranges::all_of(result_.of, [](const auto& each) { return each.second.is_product(); })) return true;
    if (std::ranges::any_of(given.lengths, is_none)) return true;
    if (prober_.run(probe_, given, true).kind != Seen::Kind::TooShort) return true;
    why_ = "how much it reads or writes is a formula of its sizes only while the first one is the greatest";
    return false;
  }

  /// What is read elsewhere for other contents is no function of the sizes. Integers may be indices: some that no
  /// pointer is as long as, and, where those are left out, small ones.
  bool is_the_same_for_other_contents() {
    for (const std::int64_t least : {1000003, 1}) {
      Given other = given_;
      other.everywhere.clear();
      for (const std::size_t place : probe_.inputs) {
        for (std::int64_t i = 0; i < other.lengths[place]; ++i) {
          const std::int64_t from = callee_.parameters[place].is_integer() ? least : 50;
          other.contents[place].push_back(static_cast<double>(from + (7 * i + 3) % (least == 1 ? 11 : 1009)));
        }
      }
      if (prober_.run(probe_, other, true).kind != Seen::Kind::TooShort) continue;
      why_ = "what it reads or writes depends on what its inputs hold";
      return false;
    }
    return true;
  }

  bool runs(const Given& given) {
    const Seen seen = prober_.run(probe_, given, true);
    return seen.kind == Seen::Kind::Ran || seen.why.starts_with("data race");
  }

  /// Numbers are 1, as what is 0 may be left out; integers are 0, as they may be indices.
  [[nodiscard]] Given with_ones(Given given) const {
    const double integer = has_sizes_ ? static_cast<double>(given.sizes.rbegin()->second) : 0;
    for (const std::size_t place : pointers_) {
      given.everywhere[place] = callee_.parameters[place].is_integer() ? integer : 1;
    }
    return given;
  }

  Prober& prober_;
  const Probe& probe_;
  const Callee& callee_;
  bool has_sizes_;
  std::string& why_;
  Places pointers_;
  Lengths result_;
  Given given_{};
  std::map<std::size_t, std::vector<Formula>> fitting_;  ///< by place, those of all sets so far
  bool has_no_formula_ = false;
  bool is_untouched_ = false;
};

}  // namespace

std::int64_t value_of(const Length& length, const Extents& extents) {
  std::int64_t product = length.times;
  for (const std::size_t place : length.factors) product *= extents.at(place);
  return product;
}

Extents extents_of_set(const Callee& callee, std::size_t set) {
  const Places places = callee.places_of(Role::Size);
  Extents result;
  for (std::size_t i = 0; i < places.size(); ++i) {
    result[places[i]] = places.size() <= kFewSizes[set].size() ? kFewSizes[set][i] : kManySizes[set][i];
  }
  return result;
}

Given given_at(const Extents& extents, const Lengths& lengths) {
  Given result;
  for (const auto& [place, extent] : extents) {
    const auto use = lengths.uses.find(place);
    if (use != lengths.uses.end() && use->second.fixed) {
      result.sizes[place] = *use->second.fixed;
    } else {
      result.extents[place] = extent;
      result.sizes[place] = (use == lengths.uses.end() ? 1 : use->second.times) * extent;
    }
  }
  for (const auto& [place, length] : lengths.of) {
    if (length.is_product()) result.lengths[place] = value_of(length, result.extents);
  }
  return result;
}

Given given_of_set(const Callee& callee, std::size_t set, const Lengths& lengths) {
  return given_at(extents_of_set(callee, set), lengths);
}

std::optional<Lengths> measured_lengths(Prober& prober, const Probe& probe, const Callee& callee, std::string& why) {
  Measurement first(prober, probe, callee, {}, false, why);
  if (auto lengths = first.lengths()) return lengths;
  if (first.is_untouched() && !callee.places_of(Role::Size).empty()) {
    return Measurement(prober, probe, callee, {}, true, why).lengths();
  }
  if (!first.has_no_formula()) return std::nullopt;
  // Halves of a size that is twice an extent.
  for (const std::size_t place : callee.places_of(Role::Size)) {
    std::string other_why;
    Measurement doubled(prober, probe, callee, {{place, {.times = 2}}}, false, other_why);
    if (auto lengths = doubled.lengths()) return lengths;
  }
  return std::nullopt;
}

}  // namespace negzero::measure
