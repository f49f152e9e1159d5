// The words of an exported file about its case.

#include <cctype>

#include <fmt/format.h>

#include <negzero/as_code/finding.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/verdict/rule.hpp>

namespace negzero::as_code {

std::string identifier(std::string_view text) {
  std::string name;
  for (const char sign : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(sign)) != 0;
    if (is_plain || (!name.empty() && name.back() != '_')) name += is_plain ? sign : '_';
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "case_" + name;
  return name;
}

std::string heading(const Finding& finding, std::string_view mark) {
  std::string text;
  const auto line = [&](const std::string& words) {
    if (!words.empty()) text += fmt::format("{} {}\n", mark, base::one_line(words));
  };
  const std::string what = finding.failure_class ? fmt::format(": {}", verdict::name(*finding.failure_class)) : "";
  line(fmt::format("{}{}", finding.kernel, what));
  line(finding.about);
  if (const auto rule = verdict::Rule::parse(finding.rule); rule && !rule->is_none()) {
    line(fmt::format("claim: {}", rule->claim()));
  }
  line(judgement::describe(finding.value.operation));
  if (!finding.value.configuration.empty()) {
    line(fmt::format("configuration: {}", operation::describe(finding.value.configuration)));
  }
  if (finding.has_other_values) line("The race does not depend on values. Those of the case are zeros; these show it.");
  return text;
}

}  // namespace negzero::as_code
