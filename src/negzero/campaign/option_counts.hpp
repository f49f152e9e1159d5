// How often each value of each option of a kernel was drawn, and how many of these cases failed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <negzero/operation/configuration.hpp>

namespace negzero::campaign {

/// Cases with one value of an option.
struct OptionCount {
  std::uint64_t cases = 0, fail = 0;

  void add(const OptionCount& other) {
    cases += other.cases;
    fail += other.fail;
  }
  friend bool operator==(const OptionCount&, const OptionCount&) = default;
};

/// The cases of one option.
struct OptionCases {
  std::map<std::int64_t, OptionCount> values{};
  OptionCount others{};  ///< with a value that cut() has left out

  friend bool operator==(const OptionCases&, const OptionCases&) = default;
};

/// By option, in the order of their names. Empty for a kernel without options.
using OptionCounts = std::map<std::string, OptionCases>;

/// Values of an option that files and documents name; all others count together.
inline constexpr std::size_t kMostCountedValues = 64;

/// Counts a case. `whole`: all options of its launch, defaults too.
void count(const operation::Configuration& whole, bool failed, OptionCounts& to);
/// Adds the counts of another run.
void add(const OptionCounts& from, OptionCounts& to);
/// The same with at most kMostCountedValues values of each option: those with most failing cases first, then those with
/// most cases.
[[nodiscard]] OptionCounts cut(OptionCounts counts);
/// The values of an option with failing cases, those of the largest failing share first.
[[nodiscard]] std::vector<std::pair<std::int64_t, OptionCount>> failing_values(const OptionCases& option);

}  // namespace negzero::campaign
