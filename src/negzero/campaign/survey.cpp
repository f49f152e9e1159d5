// A campaign's folder with each of its findings run again, so that they can be told as when they were made.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/cause.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/reruns.hpp>
#include <negzero/campaign/survey.hpp>
#include <negzero/property/conformance.hpp>

namespace negzero::campaign {

namespace {

using operation::Expectation;
using verdict::VerdictKind;

/// What a file of a finding says of its failure, on this executor or on the one that it was found on.
std::optional<Expectation> failure_of(const operation::Case& value, kernel::Place place) {
  auto known = known_failure(value, value.kernel, place);
  if (!known) known = value.found;
  if (known && (known->verdict != VerdictKind::Fail || !known->failure_class)) return std::nullopt;
  return known;
}

base::Result<FoundAgain> finding_of(const FailureFiles& files, kernel::Place place) {
  auto value = load_case(files.smallest());
  if (!value) return value.error();
  const auto known = failure_of(*value, place);
  if (!known) {
    return base::usage_error(files.smallest() +
                             ": does not say how it failed, so that it is no finding of a search; move it elsewhere");
  }
  FoundAgain finding;
  finding.kernel = value->kernel;
  finding.failure.kind = *known->failure_class;
  finding.failure.rule = finding.original_rule = verdict::Rule::named(known->rule);
  finding.failure.message = "The file says that this failed: " + campaign::describe(*known);
  finding.case_path = files.smallest();
  finding.original_path = files.original;
  if (files.shrunk.empty()) {
    finding.size = files.partial.empty() ? FoundAgain::Size::AsMet : FoundAgain::Size::Partly;
    finding.cut = files.partial.empty() ? "it is as it was met: no shard has shrunk it yet" : "shrinking was cut short";
  }
  const auto original = files.original.empty() ? value : load_case(files.original);
  if (const auto met = original ? failure_of(*original, place) : std::nullopt)
    finding.original_rule = verdict::Rule::named(met->rule);
  finding.shrunk = *std::move(value);
  return finding;
}

/// The cause of a finding whose files have that name: rules that the search told apart stay apart.
Cause cause_of(const FoundAgain& finding, const std::string& name, kernel::Place place) {
  const kernel::Kernel* const kernel = kernel::registry().find(finding.kernel, place);
  const auto contract = kernel == nullptr ? base::Result<contract::Contract>(contract::Contract{})
                                          : property::contract_of(finding.shrunk, *kernel);
  Cause cause = campaign::cause_of(finding.failure.kind, finding.shrunk, contract ? *contract : contract::Contract{});
  if (name.starts_with(finding.kernel + ".")) {
    if (const auto named = campaign::cause_of(name.substr(finding.kernel.size() + 1))) {
      cause.rule = named->rule;
      cause.at = named->at;
    }
  }
  return cause;
}

/// Replaces what a finding's file says by what its run shows.
void tell(FoundAgain& finding, const kernel::Kernel& kernel, RanAgain seen, const EvaluationOptions& options,
          const Stop& stop) {
  finding.unseen.clear();
  if (!seen.verdict.failure) {
    finding.unseen = fmt::format("this time it did not fail: {}{}{}", verdict::name(seen.verdict.kind),
                                 seen.verdict.reason.empty() ? "" : ", ", seen.verdict.reason);
    return;
  }
  finding.failure = *std::move(seen.verdict.failure);
  finding.watched = std::move(seen.watched);
  if (options.observe && !stop()) {
    finding.observations = {observe(finding.shrunk, kernel, finding.failure, options)};
  }
}

/// Runs each finding's case.
base::Status run_again(std::vector<FoundAgain>& findings, const EvaluationOptions& options,
                       const std::function<void(std::size_t, std::size_t)>& on_run, const Stop& stop) {
  for (FoundAgain& finding : findings) finding.unseen = "interrupted before it ran";
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<Rerun> {
    if (at == findings.size()) return std::nullopt;
    on_run(at, findings.size());
    FoundAgain& finding = findings[at++];
    const kernel::Kernel* const kernel = kernel::registry().find(finding.kernel, options.place);
    if (kernel == nullptr) {
      finding.unseen = fmt::format("no kernel of this name has a build for the {} executor here, so that nothing ran",
                                   kernel::name(options.place));
      return Rerun{.settle = [](RanAgain) {}};
    }
    return Rerun{.value = &finding.shrunk,
                 .kernel = kernel,
                 .watch = watch_for_known(failure_of(finding.shrunk, options.place), options.watch),
                 .explains = [](const verdict::Verdict&) { return true; },
                 .settle = [&, kernel](RanAgain seen) { tell(finding, *kernel, std::move(seen), options, stop); }};
  };
  return rerun(options, next, stop);
}

}  // namespace

std::string_view name(FoundAgain::Size size) noexcept {
  using enum FoundAgain::Size;
  return size == Shrunk ? "shrunk" : size == Partly ? "partly_shrunk" : "as_met";
}

std::uint64_t Survey::elapsed_ms() const {
  std::uint64_t sum = 0;
  for (const ShardEntry& entry : state.shards) sum += entry.state.elapsed_ms;
  return sum;
}

Counts Survey::counts() const {
  Counts sum;
  for (const KernelTotal& kernel : state.kernels) {
    for (const Count& count : kCounts) sum.*count.member += kernel.*count.member;
  }
  return sum;
}

double Survey::cases_a_second() const {
  double sum = 0;
  for (const ShardEntry& entry : state.shards) {
    std::uint64_t cases = 0;
    for (const auto& [name, kernel] : entry.state.kernels) cases += kernel.cases;
    if (entry.state.elapsed_ms > 0) {
      sum += 1000 * static_cast<double>(cases) / static_cast<double>(entry.state.elapsed_ms);
    }
  }
  return sum;
}

FuzzPoint Survey::latest() const { return state.points.empty() ? FuzzPoint() : state.points.back(); }

bool Survey::decided() const { return !findings.empty() || std::ranges::any_of(state.kernels, &KernelTotal::decided); }

base::Result<Survey> survey(const std::string& folder, const EvaluationOptions& options,
                            const std::function<void(std::size_t, std::size_t)>& on_run, const Stop& stop) {
  auto state = read_folder(folder);
  if (!state) return state.error();
  Survey result{.place = options.place, .folder = folder, .state = *std::move(state)};
  std::map<std::pair<std::string, Cause>, std::size_t> causes;
  for (const FailureFiles& files : result.state.failures) {
    if (files.is_explained()) continue;
    auto finding = finding_of(files, options.place);
    if (!finding) {
      result.errors.push_back(finding.error());
      continue;
    }
    const auto [known, is_new] = causes.emplace(
        std::pair(finding->kernel, cause_of(*finding, files.name, options.place)), result.findings.size());
    if (is_new) {
      result.findings.push_back(*std::move(finding));
      continue;
    }
    FoundAgain& told = result.findings[known->second];
    if (finding->size < told.size) std::swap(told, *finding);
    told.also.push_back(finding->case_path);
  }
  if (const auto ran = run_again(result.findings, options, on_run, stop); !ran) return ran.error();
  result.interrupted = stop();
  return result;
}

}  // namespace negzero::campaign
