// What each way of making cases has paid in a search: cases that showed something new, of those that it made.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <negzero/report/arms.hpp>

namespace negzero::report {

namespace {

struct Paid {
  std::uint64_t cases = 0, kept = 0;
};

std::map<std::string, Paid> paid_by(const std::vector<KernelEntry>& kernels) {
  std::map<std::string, Paid> sums;
  for (const KernelEntry& kernel : kernels) {
    if (!kernel.searched) continue;
    for (const campaign::Arm& arm : kernel.searched->arms.all()) {
      if (arm.cases == 0) continue;
      Paid& sum = sums[arm.name];
      sum.cases += arm.cases;
      sum.kept += arm.kept;
    }
  }
  return sums;
}

double of_a_thousand(const Paid& paid) {
  return 1000 * static_cast<double>(paid.kept) / static_cast<double>(paid.cases);
}

}  // namespace

std::string arms_text(const std::vector<KernelEntry>& kernels) {
  const std::map<std::string, Paid> paid = paid_by(kernels);
  if (paid.empty()) return "";
  std::string text = "kept of cases made: ";
  bool first = true;
  for (const auto& [name, sum] : paid) {
    text += fmt::format("{}{} {} of {}", std::exchange(first, false) ? "" : ", ", name, sum.kept, sum.cases);
  }
  return text + "\n";
}

Table arms_table(const std::vector<KernelEntry>& kernels) {
  const std::map<std::string, Paid> paid = paid_by(kernels);
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
