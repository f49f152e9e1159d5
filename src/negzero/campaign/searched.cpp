// One kernel while it is being searched: which cases come next, what they showed, which failures wait to be shrunk.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/campaign/searched.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/property/steps.hpp>

namespace negzero::campaign {

namespace {

using verdict::FailureClass;
using verdict::VerdictKind;

constexpr const char* kChanged = "changed";
/// Its share where nothing is known, over that of all strategies together.
constexpr double kChangedWeight = 1;
/// Cases that a task's children are made of.
constexpr std::size_t kParents = 16;
/// Ends of processes, each of which costs some, after which a kernel is left; and how many of them a hang counts as,
/// which may cost minutes.
constexpr std::uint64_t kMostDeaths = 30, kDeathsAHang = 6;

Arms arms_of(const generate::Weights& weights) {
  std::vector<Arm> arms;
  double sum = 0;
  for (const generate::Strategy& strategy : generate::strategies()) {
    const auto given = weights.find(std::string(strategy.name));
    const double weight = weights.empty() ? strategy.weight : given == weights.end() ? 0 : given->second;
    if (weight > 0) arms.push_back({.name = std::string(strategy.name), .weight = weight});
    sum += weight;
  }
  arms.push_back({.name = kChanged, .weight = kChangedWeight * sum});
  return Arms(std::move(arms));
}

}  // namespace

Searched::Searched(const kernel::Kernel& kernel, const FuzzOptions& options)
    : kernel_(kernel),
      accepting_(options.accepted.ledger, kernel, options.evaluation, options.accepted.texts),
      mix_(options.mix),
      shrinks_(options.evaluation.shrink_time_ms > 0),
      corpus_(options.folder, kernel, options.evaluation) {
  report_.name = kernel.name;
  report_.arms = arms_of(options.mix.weights);
}

base::Status Searched::validate() const {
  const auto valid = generate::validate(generate::Request{kernel_.operation, kernel_.limits, kernel_.contract, mix_});
  if (valid) return base::Ok{};
  return base::usage_error(fmt::format("kernel {}: {}", kernel_.name, valid.error().message));
}

void Searched::go_on_from(const KernelState& before) {
  Arms arms = report_.arms;
  for (Arm& arm : arms.all()) {
    const auto& known = before.arms.all();
    const auto found = std::ranges::find(known, arm.name, &Arm::name);
    if (found == known.end()) continue;
    arm.next = found->next;
    arm.cases = found->cases;
    arm.kept = found->kept;
  }
  random_ = base::Random(before.cases);  // Or the choices of the first run would come again.
  static_cast<Counts&>(report_) = before_ = before;
  report_.arms = std::move(arms);
  report_.options = before.options;
}

Cause Searched::met_cause(const Cause& named, const std::string& path, kernel::Place place) {
  const auto value = load_case(path);
  auto known = value ? known_failure(*value, kernel_.name, place) : std::nullopt;
  if (!known && value) known = value->found;
  if (!known || !known->failure_class) return named;
  const verdict::Rule rule = verdict::Rule::named(known->rule);
  Cause cause = accepting_.cause(named.kind, named.specials, rule);
  cause.at = named.at;
  Cause known_as = cause;
  known_as.kind = *known->failure_class;
  occurred_.insert(accepting_.occurrence(known_as, rule));
  return cause;
}

KernelRun Searched::run() const {
  KernelRun run{.kernel = kernel_.name, .watched = report_.watched > before_.watched, .occurred = occurred_};
  const auto seen = [](const Counts& counts) { return counts.pass + counts.fail + counts.not_judged; };
  const bool decided = seen(report_) > seen(before_);
  run.whole = decided && !given_up_ && !problem() && report_.error == before_.error;
  for (const Finding& finding : report_.findings) {
    run.occurred.insert(accepting_.occurrence(finding.failure, finding.watched));
  }
  return run;
}

void Searched::know_findings(const std::string& directory, kernel::Place place) {
  for (const FailureFiles& files : failures_in(directory)) {
    const auto met = files.name.starts_with(kernel_.name + ".")
                         ? campaign::cause_of(files.name.substr(kernel_.name.size() + 1))
                         : std::nullopt;
    if (!met) continue;
    if (files.is_explained()) {
      causes_.insert(met_cause(*met, files.same, place));
      continue;
    }
    const Cause as_met = met_cause(*met, files.original.empty() ? files.smallest() : files.original, place);
    const std::string& path = files.smallest();
    auto value = load_case(path);
    auto known = value ? known_failure(*value, kernel_.name, place) : std::nullopt;
    // What fails on another executor is no news either.
    if (!known && value) known = value->found;
    if (!known || !known->failure_class) continue;
    causes_.insert(as_met);
    const verdict::Rule rule = verdict::Rule::named(known->rule);
    const auto contract = property::contract_of(*value, kernel_);
    const Specials specials =
        contract ? campaign::cause_of(*known->failure_class, *value, *contract).specials : met->specials;
    Cause cause = accepting_.cause(*known->failure_class, specials, rule);
    cause.at = met->at;
    occurred_.insert(accepting_.occurrence(cause, rule));
    if (path == files.original && shrinks_) {
      verdict::Verdict verdict{.kind = VerdictKind::Fail, .failure = verdict::Failure{}};
      verdict.failure->kind = cause.kind;
      verdict.failure->rule = rule;
      verdict.failure->message = "seen by a run that ended before it could be shrunk";
      failures_.push_back({*std::move(value), std::move(verdict), met->specials, path});
    } else if (is_new(cause)) {
      const auto accepted = accepting_.of(cause, rule);
      if (accepted) report_.known_accepted.emplace_back(path, *accepted);
      if (!accepted) report_.known.push_back(path);
    }
  }
}

std::optional<base::Error> Searched::problem() const {
  if (problem_ || unread_.empty()) return problem_;
  return unread_.begin()->second;
}

base::Status Searched::find_files() {
  auto found = corpus_.unknown_files();
  if (!found) return found.error();
  files_.insert(files_.end(), found->begin(), found->end());
  return base::Ok{};
}

Portion Searched::files(std::uint64_t most) {
  Portion portion;
  WholeCases cases;
  for (; cases.size() < most && !files_.empty(); files_.pop_front()) {
    auto value = load_case(files_.front());
    if (!value) {
      unread_.insert_or_assign(files_.front(), value.error());
      corpus_.forget(files_.front());
      continue;
    }
    unread_.erase(files_.front());
    if (!generate::fits(mix_.extents, value->operation) || operation::values_outside(kernel_.limits, *value)) continue;
    const operation::Case as_is = *value;
    if (mix_.finite) generate::make_finite(*value, kernel_.limits);
    const auto shown = *value == as_is ? corpus_.recorded(files_.front()) : std::nullopt;
    if (shown) {
      if (corpus_.count(shown->features)) (void)corpus_.keep(*value, *shown, files_.front());
      continue;
    }
    std::string file = file_of(*std::move(value));
    if (!has_room(cases, file.size())) break;
    cases.push_back(std::move(file));
    portion.paths.push_back(files_.front());
  }
  portion.source = std::move(cases);
  count_corpus();
  return portion;
}

Portion Searched::next(std::uint64_t seed, std::uint64_t most) {
  if (!files_.empty()) return files(most);
  Arms& arms = report_.arms;
  const std::size_t last = arms.all().size() - 1;
  Portion portion;
  portion.arm = arms.choose(random_, [&](std::size_t place) { return place != last || corpus_.size() > 0; });
  Arm& arm = arms.all()[portion.arm->place];
  const std::uint64_t begin = arm.next;
  arm.next += most;
  GeneratedRange range{base::mix64(seed ^ base::mix64(portion.arm->place)), begin, arm.next, mix_};
  if (portion.arm->place == last) {
    ChangedRange changed;
    changed.numbers = std::move(range);
    changed.parents = corpus_.parents(kParents, random_);
    portion.source = std::move(changed);
  } else {
    range.mix.weights = {{arm.name, 1.0}};
    portion.source = std::move(range);
  }
  return portion;
}

void Searched::count(const Reply& reply) {
  report_.add(reply.verdict.kind, reply.watched, reply.too_large);
  campaign::count(reply.configuration, reply.verdict.failure.has_value(), report_.options);
  if (reply.verdict.kind == VerdictKind::Error && report_.note.empty()) report_.note = reply.verdict.reason;
  const auto& failure = reply.verdict.failure;
  if (failure) report_.places.add(*failure);
  if (failure) occurred_.insert(accepting_.occurrence(*failure));
  const bool hung = failure && failure->kind == FailureClass::Hang;
  if (hung) deaths_ += kDeathsAHang;
  if (failure && failure->rule == "run.crash") ++deaths_;
  if (deaths_ >= kMostDeaths && !given_up_) {
    given_up_ = true;
    report_.note =
        fmt::format("left after {} cases that ended their process in this run, or fewer that hung", kMostDeaths);
  }
}

std::optional<Met> Searched::take(const Request& request, const Portion& portion, const Reply& reply) {
  count(reply);
  const auto& failure = reply.verdict.failure;
  // What only failures show is still to be seen of a case that passes, and can be kept.
  const bool is_kept = verdict::is_good(reply.verdict.kind) && corpus_.count(reply.features);
  if (portion.arm) report_.arms.count(*portion.arm, is_kept, reply.took_us);
  const Cause cause = failure ? cause_of(*failure, reply.specials) : Cause{};
  const bool is_new_cause = failure && causes_.insert(cause).second;
  if (!portion.arm && verdict::is_good(reply.verdict.kind)) {
    corpus_.record(portion.paths[reply.index], {reply.features, reply.took_us});
  }
  if (!is_kept && !is_new_cause) return std::nullopt;
  const GeneratedRange* const range = range_of(request);
  const std::uint64_t number = reply.index - (range == nullptr ? 0 : range->begin);
  auto value = RequestedCases(request, kernel_).at(number);
  if (!value) {
    report_.note = "a case cannot be made again: " + value.error().message;
    return std::nullopt;
  }
  if (is_kept) {
    const auto kept = corpus_.keep(*value, {reply.features, reply.took_us}, portion.arm ? "" : portion.paths[number]);
    if (!kept && !problem_) problem_ = kept.error();
    count_corpus();
  }
  if (!is_new_cause) return std::nullopt;
  value->kernel = kernel_.name;
  value->contract = contract::to_json(kernel_.contract);
  value->contract_version = contract::kVersion;
  if (reply.launch) value = property::case_of(*value, *reply.launch, kernel_);
  if (!reply.history.empty()) value->history = reply.history;
  return Met{*std::move(value), reply.verdict, reply.specials};
}

void Searched::count_corpus() {
  report_.corpus = corpus_.size();
  report_.features = corpus_.features();
  report_.code_blocks = corpus_.code_blocks();
}

std::optional<Met> Searched::take_failure() {
  if (failures_.empty()) return std::nullopt;
  Met met = std::move(failures_.front());
  failures_.pop_front();
  return met;
}

bool Searched::is_new(const Cause& cause) {
  causes_.insert(cause);
  return told_.insert(cause).second;
}

}  // namespace negzero::campaign
