// What is done with a failure that a campaign has met: it is shrunk, saved, and looked at once more with the watch.

#include <algorithm>
#include <utility>

#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/settle.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/property/conformance.hpp>

namespace negzero::campaign {

namespace {

using verdict::FailureClass;

/// Whether a failure of that cause makes values what they are by chance.
bool makes_values_arbitrary(const Cause& cause) {
  using enum FailureClass;
  constexpr FailureClass kSuch[] = {OutOfBoundsAccess, UnwrittenOutput,  UninitialisedRead, ForbiddenRead,
                                    DataRace,          NotDeterministic, Stateful};
  return std::ranges::find(kSuch, cause.kind) != std::end(kSuch) && cause.rule != kEqualStores;
}

/// The cause among those that were told which explains a failure as it was met.
std::optional<Cause> explaining(const Cause& met, const std::set<Cause>& told) {
  const bool explains_all = std::ranges::any_of(told, makes_values_arbitrary);
  for (const Cause& known : told) {
    if (known == met || (explains_all && known.may_explain(met))) return known;
  }
  return std::nullopt;
}

/// Whether a cause that was told is one of values, as that one is, and takes fewer special ones.
bool takes_fewer(const Cause& told, const Cause& than) {
  const bool is_part = told.specials != than.specials && (told.specials & ~than.specials) == 0;
  return is_part && told.shares_output(than) && is_of_values(told.kind) && is_of_values(than.kind);
}

/// The cause among those that were told which explains a shrunk failure: it takes fewer special values, and without the
/// others the case still fails, in a fresh process where that is asked for.
std::optional<Cause> explaining(const Cause& shrunk, const operation::Case& value, const std::set<Cause>& told,
                                const kernel::Kernel& kernel, const Accepting& accepting, Evaluator& evaluator,
                                const Stop& stop, bool fresh) {
  const bool is_accepted = accepting.accepts(shrunk);
  for (const Cause& known : told) {
    if (accepting.accepts(known) != is_accepted || !takes_fewer(known, shrunk)) continue;
    operation::Case without = value;
    keep_specials(without, kernel.limits, known.specials);
    auto verdicts = evaluator.evaluate({&without, 1}, kernel, stop, asking_for_values(fresh));
    // A process that was killed says nothing of the case: it is asked once more.
    if (!verdicts || verdicts->front().kind == verdict::VerdictKind::Error) {
      verdicts = evaluator.evaluate({&without, 1}, kernel, stop, asking_for_values(fresh));
    }
    if (!verdicts) continue;
    const auto& failure = verdicts->front().failure;
    if (!failure || !is_of_values(failure->kind)) continue;
    if (accepting.of(*failure).has_value() == is_accepted) return known;
  }
  return std::nullopt;
}

/// Saves a shrunk finding: by `name`, unless another one has that name, and then by what it was shrunk to.
std::string save(const Finding& finding, const Cause& name, const Cause& shrunk, FindingFiles& files) {
  const char* const what = finding.cut.empty() ? "case" : "partial";
  const std::string path = files.save(finding.shrunk, name, what);
  const auto there = case_file::load(path);
  const bool is_other = there && there->found && there->found->failure_class != finding.failure.kind;
  return is_other ? files.save(finding.shrunk, shrunk, what) : path;
}

}  // namespace

Settled settle(Met met, const std::set<Cause>& told, const kernel::Kernel& kernel, const Accepting& accepting,
               Evaluator& evaluator, FindingFiles& files, const Stop& stop) {
  const EvaluationOptions& options = evaluator.options();
  Settled settled;
  const verdict::Failure first = *met.verdict.failure;
  // Campaigns that share a folder see by its files which failures have been settled. Their names have no places.
  const bool by_cause = files.named() == FindingFiles::Named::ByCause;
  const auto cause_with = [&](Specials specials, const verdict::Failure& failure) {
    const Cause cause = accepting.cause(failure, specials);
    return by_cause ? cause : located(cause, failure);
  };
  const Cause as_met = cause_with(met.specials, first);
  settled.known = explaining(as_met, told);
  if (settled.known) {
    if (by_cause) (void)files.save(met.value, as_met, "same");
    return settled;
  }
  Finding& finding = settled.finding;
  finding.kernel = kernel.name;
  finding.original_path = met.path;
  finding.original_rule = first.rule;
  const auto cause_of_shrunk = [&](const verdict::Failure& failure, const operation::Case& value) {
    const auto contract = property::contract_of(value, kernel);
    return cause_with(contract ? cause_of(failure.kind, value, *contract).specials : met.specials, failure);
  };
  std::optional<Cause> spared;
  const Aims aims{
      // A smaller case of the class that was told fails for the reason that was told.
      .wants = [&](const operation::Case& value) { return !told.contains(cause_of_shrunk(first, value)); },
      .keeps =
          [&](const verdict::Failure& seen) {
            return accepting.may_shrink(first, seen) && cause_with(met.specials, seen).shares_line(as_met);
          },
      // What another finding explains is none: most failures of a kernel with a fault are such.
      .spares =
          [&](const operation::Case& value, const verdict::Failure& failure) {
            const Cause cause = cause_of_shrunk(failure, value);
            spared = explaining(cause, value, told, kernel, accepting, evaluator, stop, true);
            return spared.has_value() || told.contains(cause);
          },
      .is_likely_spared = std::ranges::any_of(told, [&](const Cause& known) { return takes_fewer(known, as_met); })};
  auto shrunk = shrink(evaluator, met.value, met.verdict, kernel, stop, aims);
  if (!shrunk) {
    settled.problem = shrunk.error();
    shrunk = ShrunkCase{.value = met.value, .verdict = met.verdict, .cut = "not shrunk: " + settled.problem->message};
  }
  const bool is_as_met = shrunk->value == met.value;
  finding.failure = *shrunk->verdict.failure;
  finding.failure.keep_permitted_under(*met.verdict.failure);
  finding.shrunk = std::move(shrunk->value);
  finding.shrunk.found = seen(kernel.name, options.place, shrunk->verdict);
  finding.hit_rate = shrunk->hit_rate;
  finding.evaluations = shrunk->evaluations;
  finding.interrupted = shrunk->interrupted;
  finding.cut = shrunk->cut;
  // What is as it was met, for want of time, waits for a later run.
  const bool waits = by_cause && is_as_met && (finding.interrupted || settled.problem);
  const bool is_shrunk = options.shrink_time_ms > 0 && !waits;
  settled.cause = cause_of_shrunk(finding.failure, finding.shrunk);
  finding.accepted = accepting.of(finding.failure);
  settled.known =
      spared ? spared : explaining(settled.cause, finding.shrunk, told, kernel, accepting, evaluator, stop, false);
  if (settled.known) {
    if (by_cause) (void)files.save(finding.shrunk, as_met, "same");
    return settled;
  }
  // A file that is named by its cause lies beside the one it was shrunk from, whatever it came to.
  finding.case_path =
      is_shrunk ? save(finding, by_cause ? as_met : settled.cause, settled.cause, files) : finding.original_path;
  const Watch watch = watch_unless(accepting.not_watched().has_value(), options.watch);
  finding.watched = watched_message(evaluator, finding.shrunk, kernel, finding.failure, watch, stop);
  if (!finding.accepted) finding.accepted = accepting.of(finding.failure, finding.watched);
  return settled;
}

}  // namespace negzero::campaign
