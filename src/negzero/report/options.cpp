// The options of kernels in a document.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/report/document_parts.hpp>
#include <negzero/report/options.hpp>

namespace negzero::report {

namespace {

using campaign::OptionCases;
using campaign::OptionCount;
using Json = nlohmann::ordered_json;

/// Values of an option that a line names.
constexpr std::size_t kMostNamed = 8;

std::string share_text(const OptionCount& count) {
  if (count.fail == count.cases) return fmt::format("in all {}", plural(count.cases, "case"));
  return fmt::format("in {} of {}", count.fail, count.cases);
}

/// Whether every value failed, and the worst one at most twice as often as the best one: then the option does not
/// matter, as far as so many cases show.
bool is_alike(const OptionCases& option, const std::vector<std::pair<std::int64_t, OptionCount>>& failing) {
  const auto share = [](const OptionCount& count) {
    return static_cast<double>(count.fail) / static_cast<double>(count.cases);
  };
  return failing.size() == option.values.size() && failing.size() > 1 && option.others.cases == 0 &&
         share(failing.front().second) <= 2 * share(failing.back().second);
}

std::string option_text(const std::string& name, const OptionCases& option) {
  const auto failing = campaign::failing_values(option);
  if (failing.empty() && option.others.fail == 0) return "";
  if (is_alike(option, failing)) return fmt::format("{} all {} values alike", name, failing.size());
  std::vector<std::string> parts;
  for (const auto& [value, count] : failing) {
    if (parts.size() == kMostNamed) break;
    parts.push_back(fmt::format("{} {}", value, share_text(count)));
  }
  if (failing.size() > kMostNamed) parts.push_back(plural(failing.size() - kMostNamed, "more value"));
  if (option.others.fail > 0) parts.push_back("others " + share_text(option.others));
  return fmt::format("{} {}", name, fmt::join(parts, ", "));
}

}  // namespace

std::string failing_options_text(const campaign::OptionCounts& options) {
  std::vector<std::string> parts;
  for (const auto& [name, option] : options) {
    if (std::string text = option_text(name, option); !text.empty()) parts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void put_options(Json& json, const campaign::OptionCounts& options) {
  if (options.empty()) return;
  Json cases = Json::object(), failing = Json::object(), others = Json::object();
  for (const auto& [name, option] : campaign::cut(options)) {
    cases[name] = Json::object();
    for (const auto& [value, count] : option.values) {
      const std::string key = std::to_string(value);
      cases[name][key] = count.cases;
      if (count.fail > 0) failing[name][key] = count.fail;
    }
    if (option.others.cases > 0) others[name] = {{"cases", option.others.cases}, {"fail", option.others.fail}};
  }
  json["options"] = std::move(cases);
  if (!failing.empty()) json["options_failing"] = std::move(failing);
  if (!others.empty()) json["options_cut"] = std::move(others);
}

Table options_table(const std::vector<KernelEntry>& kernels) {
  Table table{.title = "Options",
              .about = fmt::format("Cases of each value of each option, and those that failed. Of an option with more "
                                   "than {} values, the others count together.",
                                   campaign::kMostCountedValues),
              .head = {"option", "cases", "failing"}};
  const auto add = [&](const std::string& what, const OptionCount& count) {
    table.rows.push_back({what, std::to_string(count.cases), std::to_string(count.fail)});
  };
  for (const KernelEntry& kernel : kernels) {
    for (const auto& [name, option] : campaign::cut(kernel.options)) {
      for (const auto& [value, count] : option.values) add(fmt::format("{}: {} {}", kernel.name, name, value), count);
      if (option.others.cases > 0) add(fmt::format("{}: {}, other values", kernel.name, name), option.others);
    }
  }
  return table;
}

}  // namespace negzero::report
