// What each way of making cases has paid in a search: cases that showed something new, of those that it made.

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/report/arms.hpp>

namespace negzero::report {

namespace {

double of_a_thousand(const Paid& paid) {
  return 1000 * static_cast<double>(paid.kept) / static_cast<double>(paid.cases);
}

}  // namespace

std::string arms_text(const PaidByArm& paid) {
  if (paid.empty()) return "";
  std::string text = "kept of cases made: ";
  bool first = true;
  for (const auto& [name, sum] : paid) {
    text += fmt::format("{}{} {} of {}", std::exchange(first, false) ? "" : ", ", name, sum.kept, sum.cases);
  }
  return text + "\n";
}

Table arms_table(const PaidByArm& paid) {
  std::vector<std::pair<std::string, Paid>> order(paid.begin(), paid.end());
  std::ranges::stable_sort(order, std::greater(), [](const auto& each) { return of_a_thousand(each.second); });
  Table table{.title = "Ways of making cases",
              .about =
                  "A case is kept where it shows a feature that no case before it showed; `changed` are cases of "
                  "the corpus that were changed or crossed.",
              .head = {"way", "cases", "kept", "kept of a thousand"}};
  for (const auto& [name, sum] : order) {
    table.rows.push_back(
        {name, std::to_string(sum.cases), std::to_string(sum.kept), fmt::format("{:.1f}", of_a_thousand(sum))});
  }
  return table;
}

}  // namespace negzero::report
