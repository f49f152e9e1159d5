// What may be claimed of a kernel's cases: by name, so that a request can ask for it in any process of this program.

#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/property/metamorphic.hpp>

namespace negzero::campaign {

namespace {

using verdict::Verdict;
using verdict::VerdictKind;
using Verdicts = std::vector<Verdict>;

Verdicts errors(const Question& question, const std::string& why) {
  return Verdicts(question.cases.size(), verdict::error_verdict(why));
}

base::Result<property::Referee> referee_of(const kernel::Kernel& kernel, Executors& executors) {
  const auto reference = reference_of(kernel);
  if (!reference) return reference.error();
  const auto executor = executors.of(**reference);
  if (!executor) return executor.error();
  return property::Referee{*reference, *executor};
}

Verdicts conformance(const Question& question) {
  const auto executor = question.executors.of(question.kernel);
  if (!executor) return errors(question, executor.error().message);
  property::Judging how = question.how;
  if (question.kernel.reference.exists()) {
    const auto referee = referee_of(question.kernel, question.executors);
    if (!referee) return errors(question, referee.error().message);
    how.referee = *referee;
  }
  return property::conformance(question.cases, question.kernel, **executor, how);
}

Verdicts metamorphic(const Question& question) {
  const auto executor = question.executors.of(question.kernel);
  if (!executor) return errors(question, executor.error().message);
  for (const property::Metamorphic& known : property::metamorphic_properties()) {
    if (question.words.size() != 1 || known.name() != question.words.front()) continue;
    Verdicts verdicts;
    for (const operation::Case& value : question.cases) {
      // The random choices of the change depend on the case alone, so that a saved case fails again.
      const auto verdict = property::hold(known, value, question.kernel, **executor, base::Random(value.schedule.seed));
      verdicts.push_back(verdict.value_or(Verdict{.kind = VerdictKind::Vacuous}));
    }
    return verdicts;
  }
  return errors(question, fmt::format("there is no metamorphic property called '{}'",
                                      question.words.empty() ? "" : question.words.front()));
}

const kernel::Kernel* kernel_at(const std::string& word) {
  const std::size_t at = word.find('@');
  const auto where = at == std::string::npos ? std::nullopt : kernel::where_named(word.substr(at + 1));
  return where ? kernel::registry().find(word.substr(0, at), *where) : nullptr;
}

Verdicts compare(const Question& question) {
  const kernel::Kernel* sides[2] = {};
  for (std::size_t i = 0; i < 2 && question.words.size() == 2; ++i) sides[i] = kernel_at(question.words[i]);
  if (sides[0] == nullptr || sides[1] == nullptr) return errors(question, "compare takes two kernels, as NAME@host");
  Verdicts verdicts;
  for (const operation::Case& value : question.cases) {
    const auto first = question.executors.of(*sides[0]), second = question.executors.of(*sides[1]);
    if (!first || !second) return errors(question, (first ? second : first).error().message);
    verdicts.push_back(
        property::compare(value, {sides[0], *first}, {sides[1], *second}, {.exact = question.how.exact}));
  }
  return verdicts;
}

std::map<std::string, Judge, std::less<>>& claims() {
  // Local, because static initialisers add to it in any order.
  static std::map<std::string, Judge, std::less<>> all{
      {"conformance", conformance}, {"metamorphic", metamorphic}, {"compare", compare}};
  return all;
}

}  // namespace

const Judge* find_claim(std::string_view name) {
  const auto found = claims().find(name);
  return found == claims().end() ? nullptr : &found->second;
}

bool add_claim(std::string name, Judge judge) {
  claims().insert_or_assign(std::move(name), std::move(judge));
  return true;
}

Verdicts judge_claim(const std::string& claim, Question question) {
  std::istringstream text(claim);
  std::string name;
  text >> name;
  for (std::string word; text >> word;) question.words.push_back(word);
  const Judge* const judge = find_claim(name);
  return judge == nullptr ? errors(question, fmt::format("there is no claim called '{}'", name)) : (*judge)(question);
}

std::string compare_claim(const kernel::Kernel& first, const kernel::Kernel& second) {
  return "compare " + property::to_string(first) + " " + property::to_string(second);
}

}  // namespace negzero::campaign
