// base::Words of verdicts and failure classes.

#include <negzero/base/words.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::verdict {
namespace {

constexpr base::Words<VerdictKind, 6> kVerdicts{{"pass", "fail", "vacuous", "refused", "error", "not_judged"}};
constexpr base::Words<FailureClass, 16> kFailureClasses{
    {"wrong_value", "wrong_special_value", "wrong_zero_sign", "out_of_bounds_access", "unwritten_output",
     "uninitialised_read", "forbidden_read", "data_race", "divergent_barrier", "not_deterministic", "crash", "hang",
     "refused_legal_request", "changed_environment", "host_access", "stateful"}};

static_assert(kVerdicts.name(VerdictKind::NotJudged) == "not_judged");
static_assert(kFailureClasses.name(FailureClass::Stateful) == "stateful");

}  // namespace

std::string_view name(VerdictKind kind) noexcept { return kVerdicts.name(kind); }
std::string_view name(FailureClass kind) noexcept { return kFailureClasses.name(kind); }
std::optional<VerdictKind> parse_verdict(std::string_view text) noexcept { return kVerdicts.parse(text); }
std::optional<FailureClass> parse_failure_class(std::string_view text) noexcept { return kFailureClasses.parse(text); }
const std::string& verdict_words() {
  static const std::string words = kVerdicts.list();
  return words;
}
const std::string& failure_class_words() {
  static const std::string words = kFailureClasses.list();
  return words;
}

void Failure::keep_permitted_under(const Failure& other) {
  const auto has = [](const std::vector<Hint>& hints, const Hint& hint) {
    return std::ranges::find(hints, hint.words, &Hint::words) != hints.end();
  };
  const auto is_disproved = [&](const Hint& hint) {
    return std::ranges::find(not_under, hint.words) != not_under.end();
  };
  const bool was_tried = !not_under.empty() || !permitted_under.empty();
  const bool other_was_tried = !other.not_under.empty() || !other.permitted_under.empty();
  for (const std::string& words : other.not_under) {
    if (std::ranges::find(not_under, words) == not_under.end()) not_under.push_back(words);
  }
  std::erase_if(permitted_under, [&](const Hint& hint) {
    return is_disproved(hint) || (hint.is_pair && other_was_tried && !has(other.permitted_under, hint));
  });
  int next = 0;
  for (const Hint& hint : permitted_under) next = std::max(next, hint.line + 1);
  for (const Hint& hint : other.permitted_under) {
    if (has(permitted_under, hint) || is_disproved(hint) || (hint.is_pair && was_tried)) continue;
    permitted_under.push_back({hint.words, next + hint.line, hint.is_pair});
  }
}

}  // namespace negzero::verdict
