// Looks at the cases of a request, each as its plan says.

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/parallel.hpp>
#include <negzero/base/stopwatch.hpp>
#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/examination.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/property/state_looks.hpp>
#include <negzero/property/steps.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::campaign {

namespace {

using operation::Case;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// Cases that are examined together: on a GPU enough that the fixed cost of a batch (two copies, one wait) is small
/// against its launches, on the host enough that handing them to another process is.
constexpr kernel::AtPlace<std::uint64_t> kCasesTogether{.host = 16, .device = 1024};

bool fails_as(const Verdict& verdict, FailureClass kind) { return verdict.failure && verdict.failure->kind == kind; }

bool ended_its_process(const Verdict& verdict) {
  return fails_as(verdict, FailureClass::Crash) || fails_as(verdict, FailureClass::Hang);
}

bool was_left(const Verdict& verdict) { return verdict.kind == VerdictKind::Error && verdict.reason == run::kLeft; }

/// Whether a watched run has found what can end a process: a bad address. Races and their like hide no crash.
bool can_end_process(const Verdict& watched) {
  return !explanation_in(watched).empty() &&
         (fails_as(watched, FailureClass::Crash) || fails_as(watched, FailureClass::OutOfBoundsAccess) ||
          fails_as(watched, FailureClass::ForbiddenRead) || fails_as(watched, FailureClass::UninitialisedRead));
}

bool is_due(const Looks::Second& second, const Verdict& first) {
  if (second.when == Looks::Second::When::Hangs) return fails_as(first, FailureClass::Hang);
  return verdict::is_clean(first.kind);
}

/// What one run of a case came to.
struct Seen {
  bool watched = false;
  Verdict verdict{};
  run::Outcome outcome{};  ///< where features of more than the setting are asked for
};

/// A case of a request, how it is looked at, and what has been seen of it.
struct Examined {
  std::optional<Case> value{};  ///< nothing where it could not be made
  Looks looks{};
  Seen seen{};
  Reply reply{};
  void count(Seen&& other) {
    seen.verdict = std::move(other.verdict);
    seen.watched = other.watched;
  }
};
using Group = std::vector<Examined*>;

/// Says where a case came from, which options it has, and how large its tensors are.
void describe(const Case& value, const kernel::Kernel& kernel, Reply& reply) {
  reply.strategy = value.strategy;
  reply.configuration = operation::whole(kernel.limits.configuration, value.configuration);
  reply.drawn = generate::shape_of(value.operation, value.layouts);
  for (const operation::TensorSpec& spec : operation::tensor_specs(value.operation)) {
    reply.elements += static_cast<std::uint64_t>(tensor::count_elements(spec.shape));
    reply.shape += fmt::format("{}{} {}", reply.shape.empty() ? "" : ", ", spec.name, fmt::join(spec.shape, "x"));
  }
}

/// Adds to what each case's launch took its share, by elements, of what this process computed for all of them.
void share_out(std::uint64_t took_us, std::vector<Reply>& replies) {
  // What a case without an element costs, in elements.
  constexpr std::uint64_t kFixed = 256;
  std::uint64_t elements = 0;
  for (const Reply& reply : replies) elements += reply.elements + kFixed;
  const double each_us = static_cast<double>(took_us) / static_cast<double>(elements);
  for (Reply& reply : replies) {
    const double share_us = each_us * static_cast<double>(reply.elements + kFixed);
    reply.took_us = base::message_us(reply.took_us + static_cast<std::uint64_t>(share_us));
  }
}

/// Looks at the cases of one request.
class Looking {
 public:
  Looking(const Setup& setup, Executors& executors, const Request& request)
      : setup_(setup), executors_(executors), request_(request) {
    if (plain_ != nullptr) cases_.emplace(request, *plain_);
  }

  /// Cases [begin, end) of the request, together; those before the first that was left behind one that hung.
  std::vector<Reply> at(std::uint64_t begin, std::uint64_t end) {
    const base::Stopwatch watch(base::Stopwatch::Of::OwnTime);
    std::vector<Examined> all = planned(begin, end);
    std::map<std::pair<bool, property::Repeat>, Group> groups;  // Plain runs come first.
    for (Examined& one : all) {
      if (one.value) groups[{one.looks.first.watched, one.looks.first.repeat}].push_back(&one);
    }
    for (const auto& [key, group] : groups) {
      std::vector<Seen> seen = run(group, group.front()->looks.first);
      for (std::size_t i = 0; i < group.size(); ++i) group[i]->seen = std::move(seen[i]);
      for (Examined* const one : group) {
        look_again(*one);
        look_for_bad_address(*one);
      }
    }
    for (const auto& [key, group] : groups) look_for_cause(group);
    for (const auto& [key, group] : groups) look_for_state(group);
    const auto left = std::ranges::find_if(all, [](const Examined& one) { return was_left(one.seen.verdict); });
    std::vector<Reply> replies(static_cast<std::size_t>(left - all.begin()));
    base::parallel_for(threads(), replies.size(), [&](std::size_t i) { replies[i] = reply_of(std::move(all[i])); });
    share_out(watch.us(), replies);
    return replies;
  }

 private:
  [[nodiscard]] std::size_t threads() const { return static_cast<std::size_t>(setup_.threads); }

  std::vector<Examined> planned(std::uint64_t begin, std::uint64_t end) const {
    const GeneratedRange* const range = range_of(request_);
    const Builds builds{setup_.place, watched_ != nullptr, plain_ != nullptr ? &plain_->limits : nullptr};
    const std::string unknown = fmt::format("kernel {} is not in the registry", request_.kernel);
    std::vector<Examined> all(end - begin);
    base::parallel_for(threads(), all.size(), [&](std::size_t i) {
      auto& [value, looks, seen, reply] = all[i];
      reply.index = begin + i + (range != nullptr ? range->begin : 0);
      auto made = cases_ ? cases_->at(begin + i) : base::usage_error(unknown);
      if (!made) {
        seen.verdict = verdict::error_verdict(made.error().message);
        return;
      }
      value = *std::move(made);
      describe(*value, *plain_, reply);
      looks = looks_of(request_, builds, cases_->drawn_for(), reply.index, value->operation);
      reply.too_large = looks.too_large && !looks.second;
    });
    return all;
  }

  /// Runs cases together and judges them.
  std::vector<Seen> run(const Group& group, const Looks::Run& how) {
    const kernel::Kernel& build = how.watched ? *watched_ : *plain_;
    std::vector<Case> cases;  // Claims take them side by side.
    for (Examined* const one : group) cases.push_back(*std::move(one->value));
    std::vector<Seen> seen(group.size(), Seen{.watched = how.watched});
    property::Judging judging{.exact = setup_.exact,
                              .repeat = how.repeat,
                              .claims = how.repeat,
                              .threads = threads(),
                              .blind = range_of(request_) != nullptr,
                              .random_errors = std::holds_alternative<GeneratedRange>(request_.source),
                              .until_hang = true};
    if (request_.features != feature::Depth::Setting && request_.claim == kConformance) {
      judging.observe = [&](const Case& value, const run::Outcome& outcome) {
        seen[static_cast<std::size_t>(&value - cases.data())].outcome = outcome;
      };
    }
    std::vector<Verdict> verdicts;
    try {
      verdicts = judge_claim(request_.claim, {cases, build, executors_, std::move(judging), {}});
    } catch (const std::exception& exception) {
      verdicts.assign(cases.size(), verdict::error_verdict(exception.what()));
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      seen[i].verdict = std::move(verdicts[i]);
      group[i]->value = std::move(cases[i]);
    }
    return seen;
  }

  void look_again(Examined& one) {
    const auto& second = one.looks.second;
    if (!second || !is_due(*second, one.seen.verdict)) return;
    one.reply.too_large = one.looks.too_large || second->when == Looks::Second::When::Hangs;
    if (one.looks.too_large) return;
    Seen again = std::move(run({&one}, second->run).front());
    if (again.watched) one.seen.outcome.covered = std::move(again.outcome.covered);
    if (!again.watched || again.verdict.kind == VerdictKind::Fail) one.count(std::move(again));
  }

  /// Runs a case of a stream watched whose process ended, and again when it ran alone: the watch ends the launch before
  /// the access, and knows its line.
  void look_for_bad_address(Examined& one) {
    const auto& failure = one.seen.verdict.failure;
    if (one.seen.watched || range_of(request_) == nullptr || !failure || failure->rule != "run.crash") return;
    const Builds builds{setup_.place, watched_ != nullptr, plain_ != nullptr ? &plain_->limits : nullptr};
    if (!may_explain(*failure, request_.watch, builds, one.value->operation)) return;
    Seen again = std::move(run({&one}, {.watched = true}).front());
    if (!can_end_process(again.verdict)) return;
    again.verdict.failure->message += fmt::format("; unwatched: {}", failure->message);
    one.reply.ended = true;
    one.count(std::move(again));
  }

  /// Looks for the case of a batch that is to blame where the process ended, and did not again with one alone.
  void look_for_cause(const Group& group) {
    const auto came_once = [](Examined* one) {
      const auto& warnings = one->seen.verdict.warnings;
      return !warnings.empty() && warnings.front().starts_with(run::kCameOnce);
    };
    if (std::ranges::none_of(group, came_once)) return;
    for (Examined* const one : group) {
      const Looks::Blame blame = one->looks.blame;
      if (blame == Looks::Blame::Nothing || !verdict::is_good(one->seen.verdict.kind)) continue;
      if (blame == Looks::Blame::WatchedAndLaunches) {
        Seen again = std::move(run({one}, {.watched = true}).front());
        if (again.verdict.kind == VerdictKind::Fail) {
          one->count(std::move(again));
          continue;
        }
      }
      executors_.refresh();
      look_for_state({one}, operation::History{{.times = came_once(one) ? 50u : 3u}});
    }
  }

  /// Looks at those that pass behind launches: these, or those of the plan.
  void look_for_state(const Group& group, const std::optional<operation::History>& instead = {}) {
    std::vector<property::Look> looks;
    Group owners;
    for (Examined* const one : group) {
      const operation::History& launches = instead ? *instead : one->looks.launches;
      if (launches.empty() || !verdict::is_good(one->seen.verdict.kind)) continue;
      looks.push_back({&*one->value, launches});
      owners.push_back(one);
    }
    if (looks.empty()) return;
    const auto executor = executors_.of(*plain_);
    if (!executor) return;
    auto found = property::look_for_state(looks, *plain_, **executor, {.exact = setup_.exact, .threads = threads()});
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) continue;
      owners[i]->seen.verdict = std::move(found[i]->verdict);
      owners[i]->reply.history = std::move(found[i]->history);
      owners[i]->reply.launch = found[i]->launch;
    }
  }

  /// Says what was seen, and what tells it from other cases.
  Reply reply_of(Examined one) const {
    auto& [value, looks, seen, reply] = one;
    reply.watched = seen.watched;
    reply.took_us = seen.outcome.took_us;
    reply.verdict = std::move(seen.verdict);
    if (!value) return std::move(reply);
    if (plain_ != nullptr && plain_->build.cannot_pass() && reply.verdict.kind == VerdictKind::Pass) {
      reply.verdict.kind = VerdictKind::Vacuous;
      reply.verdict.reason = kernel::interpreter_text(plain_->build);
    }
    const auto contract = property::contract_of(*value, *plain_);
    feature::Run run{*value, reply.verdict, seen.outcome.outputs, nullptr, seen.outcome.covered};
    if (plain_ != nullptr) run.options = &plain_->limits.configuration;
    if (contract && request_.features >= feature::Depth::Sums) run.contract = &*contract;
    reply.features = feature::features_of(run, request_.features);
    if (contract && reply.verdict.kind == VerdictKind::Fail) {
      const Case& failing = reply.launch ? property::case_of(*value, *reply.launch, *plain_) : *value;
      reply.specials = cause_of(reply.verdict.failure->kind, failing, *contract).specials;
    }
    return std::move(reply);
  }

  const Setup& setup_;
  Executors& executors_;
  const Request& request_;
  // Builds of the kernel; nullptr where there is none.
  const kernel::Kernel* plain_ = kernel::registry().find(request_.kernel, setup_.place);
  const kernel::Kernel* watched_ = kernel::registry().find(request_.kernel, {setup_.place, true});
  std::optional<RequestedCases> cases_{};  ///< of a kernel that is known
};

}  // namespace

void Examination::examine(const Request& request, const std::function<bool(std::vector<Reply>)>& emit) {
  executors_.set_timeout(request.timeout_ms);
  if (std::exchange(kernel_, request.kernel) != request.kernel) together_ = 1;
  Looking looking(setup_, executors_, request);
  const std::uint64_t end = count(request);
  for (std::uint64_t begin = 0; begin < end;) {
    if (request.fresh) executors_.refresh();
    const std::uint64_t next = std::min(end, begin + (request.fresh ? 1 : together_));
    std::vector<Reply> replies = looking.at(begin, next);
    replies.back().printed = executors_.take_printed();
    const bool ended = std::ranges::any_of(replies, ended_its_process, &Reply::verdict);
    together_ = ended ? 1 : std::min(kCasesTogether[setup_.place], 2 * together_);
    begin += replies.size();
    if (!emit(std::move(replies)) || lost()) return;
  }
}

}  // namespace negzero::campaign
