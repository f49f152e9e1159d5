// An answer as text.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/oracle/explain.hpp>

namespace negzero::oracle {

namespace {

std::string explain_one(const Answer& answer) {
  const auto number = [](const exact::Dyadic& x) { return fmt::format("{:.9g}", x.approximate()); };
  std::string text;
  if (answer.exact) text += "exact " + number(*answer.exact);
  if (answer.facts) {
    const Facts& facts = *answer.facts;
    text += fmt::format("{}P = {}, N = {}, m = {}", text.empty() ? "" : ", ", number(facts.positive),
                        number(facts.negative), facts.nonzero);
    if (!answer.bound.is_zero()) text += ", B = " + number(answer.bound);
  }
  text += (text.empty() ? "permitted " : ": permitted ") + answer.permitted.to_string();
  const verdict::Rule rule = answer.permitted.rule;
  if (!rule.is_none()) text += fmt::format("\n{}: {} ({})", rule.id(), rule.claim(), rule.source());
  if (answer.permitted.vacuous) text += " This set is too wide to reject garbage.";
  return text;
}

}  // namespace

std::string explain(const Answer& answer) {
  if (answer.members.empty()) return explain_one(answer);
  std::string text, rest;
  for (const Answer& member : answer.members) {
    const std::string lines = explain_one(member);
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", member.which, lines.substr(0, end));
    // What is said of a rule is said once.
    if (rest.find(lines.substr(end)) == std::string::npos) rest += lines.substr(end);
  }
  return text + rest;
}

}  // namespace negzero::oracle
