// How often each value of each option of a kernel was drawn.

#include <algorithm>
#include <functional>
#include <tuple>

#include <negzero/campaign/option_counts.hpp>

namespace negzero::campaign {

void count(const operation::Configuration& whole, bool failed, OptionCounts& to) {
  for (const auto& [name, value] : whole) to[name].values[value].add({1, failed ? std::uint64_t{1} : 0});
}

void add(const OptionCounts& from, OptionCounts& to) {
  for (const auto& [name, option] : from) {
    OptionCases& sum = to[name];
    for (const auto& [value, cases] : option.values) sum.values[value].add(cases);
    sum.others.add(option.others);
  }
}

OptionCounts cut(OptionCounts counts) {
  for (auto& [name, option] : counts) {
    if (option.values.size() <= kMostCountedValues) continue;
    std::vector<std::pair<std::int64_t, OptionCount>> all(option.values.begin(), option.values.end());
    std::ranges::stable_sort(all, std::greater(),
                             [](const auto& each) { return std::tuple(each.second.fail, each.second.cases); });
    for (std::size_t i = kMostCountedValues; i < all.size(); ++i) {
      option.others.add(all[i].second);
      option.values.erase(all[i].first);
    }
  }
  return counts;
}

std::vector<std::pair<std::int64_t, OptionCount>> failing_values(const OptionCases& option) {
  std::vector<std::pair<std::int64_t, OptionCount>> failing;
  for (const auto& each : option.values) {
    if (each.second.fail > 0) failing.push_back(each);
  }
  const auto share = [](const auto& each) {
    return static_cast<double>(each.second.fail) / static_cast<double>(each.second.cases);
  };
  std::ranges::stable_sort(failing, std::greater(), share);
  return failing;
}

}  // namespace negzero::campaign
