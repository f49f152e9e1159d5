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

}  // namespace negzero::verdict
