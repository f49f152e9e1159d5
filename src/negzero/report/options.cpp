// The options of kernels in a document.

#include <algorithm>
#include <cmath>
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
  if (count.fail == count.cases) return fmt::format("fails in all {}", plural(count.cases, "case"));
  return fmt::format("fails in {} of {}", count.fail, count.cases);
}

/// Pearson's statistic of values against failing: how far the failing cases of each value are from the share that all
/// values together have.
double spread_of(const std::vector<OptionCount>& values) {
  OptionCount all;
  for (const OptionCount& count : values) all.add(count);
  const double share = static_cast<double>(all.fail) / static_cast<double>(all.cases);
  if (share <= 0 || share >= 1) return 0;
  double sum = 0;
  for (const OptionCount& count : values) {
    const double cases = static_cast<double>(count.cases);
    const double off = static_cast<double>(count.fail) - cases * share;
    sum += off * off / (cases * share * (1 - share));
  }
  return sum;
}

/// The 99.9 % point of the chi-squared distribution: Wilson & Hilferty, PNAS 17, 1931.
double likely_spread(double freedom) {
  constexpr double kNormal = 3.0902;  // The same point of the normal distribution.
  const double root = 1 - 2 / (9 * freedom) + kNormal * std::sqrt(2 / (9 * freedom));
  return freedom * root * root * root;
}

/// Whether some values of an option fail more often than chance makes it where the option does not matter.
bool matters(const OptionCases& option) {
  std::vector<OptionCount> values;
  for (const auto& [value, count] : option.values) values.push_back(count);
  if (option.others.cases > 0) values.push_back(option.others);
  return values.size() > 1 && spread_of(values) > likely_spread(static_cast<double>(values.size() - 1));
}

std::string option_text(const std::string& name, const OptionCases& option) {
  const auto failing = campaign::failing_values(option);
  std::vector<std::string> parts;
  for (const auto& [value, count] : failing) {
    if (parts.size() == kMostNamed) break;
    parts.push_back(fmt::format("{} {}", value, share_text(count)));
  }
  if (failing.size() > kMostNamed) parts.push_back(plural(failing.size() - kMostNamed, "more value"));
  if (option.others.fail > 0) parts.push_back("others " + share_text(option.others));
  return fmt::format("{} {}", name, fmt::join(parts, ", "));
}

bool has_failed(const campaign::OptionCounts& options) {
  return std::ranges::any_of(options, [](const auto& each) {
    return each.second.others.fail > 0 || !campaign::failing_values(each.second).empty();
  });
}

}  // namespace

std::string failing_options_text(const campaign::OptionCounts& options) {
  if (!has_failed(options)) return "";
  std::vector<std::string> parts;
  for (const auto& [name, option] : options) {
    if (matters(option)) parts.push_back(option_text(name, option));
  }
  if (parts.empty()) return "no value fails more often than others do";
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
