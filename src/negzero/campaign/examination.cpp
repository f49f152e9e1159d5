// Looks at the cases of a request: the only place that decides what is watched, what runs again, and in which build.

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/parallel.hpp>
#include <negzero/base/stopwatch.hpp>
#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/drawn.hpp>
#include <negzero/campaign/examination.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/run/watched_size.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::campaign {

namespace {

using operation::Case;
using property::Repeat;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// Cases that are examined together: on a GPU enough that the fixed cost of a batch (two copies, one wait) is small
/// against its launches, on the host enough that handing them to another process is.
constexpr kernel::AtPlace<std::uint64_t> kCasesTogether{.host = 16, .device = 1024};

bool ended_its_process(const Verdict& verdict) {
  return verdict.failure &&
         (verdict.failure->kind == FailureClass::Crash || verdict.failure->kind == FailureClass::Hang);
}

/// Most products, elements or updates of a case that is watched for the code that it covers. With 2^15, as of others,
/// gemm.tiled.f32 gets through two thirds of the cases and covers no more; with 2^9 a case has one tile.
constexpr std::int64_t kMostForCode = std::int64_t{1} << 12;

/// Says how large the tensors of a case are.
void measure(const operation::Operation& operation, Reply& reply) {
  for (const operation::TensorSpec& spec : operation::tensor_specs(operation)) {
    reply.elements += static_cast<std::uint64_t>(tensor::count_elements(spec.shape));
    reply.shape += fmt::format("{}{} {}", reply.shape.empty() ? "" : ", ", spec.name, fmt::join(spec.shape, "x"));
  }
}

/// What tells the cause of a failing case from others, beside its class.
Specials specials_of(const Case& value, const Verdict& verdict, const kernel::Kernel& kernel) {
  if (verdict.kind != VerdictKind::Fail) return kFinite;
  const auto contract = property::contract_of(value, kernel);
  return contract ? cause_of(verdict.failure->kind, value, *contract).specials : kFinite;
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

}  // namespace

std::vector<std::uint32_t> Examination::features_of(const Case& value, const Verdict& verdict,
                                                    const kernel::Kernel& kernel, feature::Depth depth,
                                                    const Ran& ran) {
  feature::Run run{.value = value, .verdict = verdict, .outputs = ran.outputs, .covered = ran.covered};
  if (depth < feature::Depth::Sums) return feature::features_of(run, depth);
  const auto contract = property::contract_of(value, kernel);
  if (contract) run.contract = &*contract;
  return feature::features_of(run, depth);
}

void Examination::judge(const Request& request, const std::vector<Case>& cases, std::vector<Reply*> replies,
                        const kernel::Kernel& build, Repeat repeat, std::vector<Ran>* ran) {
  if (cases.empty()) return;
  std::vector<Verdict> verdicts;
  property::Judging how{
      .exact = setup_.exact, .repeat = repeat, .threads = threads(), .blind = range_of(request) != nullptr};
  if (ran != nullptr) {
    ran->resize(cases.size());
    how.observe = [&](const Case& value, const run::Outcome& outcome) {
      (*ran)[static_cast<std::size_t>(&value - cases.data())] = {outcome.outputs, outcome.covered, outcome.took_us};
    };
  }
  try {
    verdicts = judge_claim(request.claim, {cases, build, executors_, std::move(how), {}});
  } catch (const std::exception& exception) {
    verdicts.assign(cases.size(), verdict::error_verdict(exception.what()));
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    replies[i]->verdict = std::move(verdicts[i]);
    replies[i]->watched = build.build.watched;
  }
}

void Examination::judge_what_took_too_long(const Request& request, const std::vector<Case>& cases,
                                           const std::vector<Reply*>& replies, const kernel::Kernel& plain) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Reply& reply = *replies[i];
    const auto& failure = reply.verdict.failure;
    if (!failure || failure->kind != FailureClass::Hang) continue;
    if (run::is_small_enough_to_watch(cases[i].operation)) continue;
    Reply again = reply;
    judge(request, {cases[i]}, {&again}, plain, request.repeat);
    again.too_large = true;
    reply = std::move(again);
  }
}

void Examination::look_for_state(const kernel::Kernel& kernel, const std::vector<property::Look>& looks,
                                 const std::vector<Reply*>& replies) {
  std::vector<property::Look> wanted;
  std::vector<Reply*> owners;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (replies[i]->verdict.kind != VerdictKind::Pass || looks[i].launches.empty()) continue;
    if (!run::is_small_enough_to_watch(looks[i].value->operation)) continue;
    wanted.push_back(looks[i]);
    owners.push_back(replies[i]);
  }
  if (wanted.empty()) return;
  const auto executor = executors_.of(kernel);
  if (!executor) return;
  auto found = property::look_for_state(wanted, kernel, **executor, {.exact = setup_.exact, .threads = threads()});
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    owners[i]->verdict = std::move(found[i]->verdict);
    owners[i]->history = std::move(found[i]->history);
  }
}

void Examination::look_for_cause(const kernel::Kernel& plain, const kernel::Kernel* watched,
                                 const std::vector<Case>& cases, const std::vector<Reply*>& replies) {
  const auto came_once = [](const Reply* reply) { return reply->verdict.warning.starts_with(run::kCameOnce); };
  if (std::ranges::none_of(replies, came_once)) return;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Reply& reply = *replies[i];
    if (reply.verdict.kind != VerdictKind::Pass || !run::is_small_enough_to_watch(cases[i].operation)) continue;
    if (watched != nullptr) {
      Reply again = reply;
      judge({}, {cases[i]}, {&again}, *watched, Repeat::Never);
      if (again.verdict.kind == VerdictKind::Fail) {
        reply = std::move(again);
        continue;
      }
    }
    executors_.refresh();
    look_for_state(plain, {{&cases[i], {{.times = came_once(&reply) ? 50u : 3u}}}}, {&reply});
  }
}

std::vector<Reply> Examination::examine_some(const Request& request, const RequestedCases* cases, std::uint64_t begin,
                                             std::uint64_t end) {
  const GeneratedRange* const range = range_of(request);
  const kernel::Kernel* const plain = kernel::registry().find(request.kernel, setup_.place);
  const base::Stopwatch watch(base::Stopwatch::Of::OwnTime);
  const kernel::Kernel* watched = nullptr;
  if (request.watch != Watch::Never) watched = kernel::registry().find(request.kernel, {setup_.place, true});
  std::vector<Reply> replies(end - begin);
  std::vector<std::optional<base::Result<Case>>> made(cases == nullptr ? 0 : end - begin);
  base::parallel_for(threads(), made.size(), [&](std::size_t i) { made[i] = cases->at(begin + i); });
  /// The cases of one build, whose they are, and what became of them where that is asked for.
  struct Share {
    std::vector<Case> cases;
    std::vector<Reply*> replies;
    std::vector<Ran> ran{};
  };
  Share plainly, alone;  // Alone: watched, and not plainly.
  const bool looks_at_code = request.features == feature::Depth::Code;
  for (std::uint64_t number = begin; number < end; ++number) {
    Reply& reply = replies[number - begin];
    reply.index = number + (range != nullptr ? range->begin : 0);
    if (plain == nullptr) {
      reply.verdict = verdict::error_verdict(fmt::format("kernel {} is not in the registry", request.kernel));
      continue;
    }
    base::Result<Case>& value = *made[number - begin];
    if (!value) {
      reply.verdict = verdict::error_verdict(value.error().message);
      continue;
    }
    reply.strategy = value->strategy;
    measure(value->operation, reply);
    Watched why = Watched::No;
    if (range != nullptr) why = drawn_for_the_watch(*range, cases->drawn_for(), reply.index);
    // Where all are watched each is worth it.
    const bool small = is_small_enough(request.watch == Watch::Always ? Watched::ByRisk : why, value->operation);
    const bool for_code = looks_at_code && range != nullptr &&
                          run::is_small_enough_to_watch(value->operation, kMostForCode) &&
                          launches_for_state(*range, reply.index, value->operation, setup_.place).empty();
    const bool wanted = request.watch == Watch::Always || for_code || why != Watched::No;
    const bool is_alone = watched != nullptr && wanted && (small || range == nullptr);
    reply.too_large = watched != nullptr && wanted && !is_alone;
    Share& share = is_alone ? alone : plainly;
    share.cases.push_back(*std::move(value));
    share.replies.push_back(&reply);
  }
  const bool looks_deep = request.features != feature::Depth::Setting && request.claim == kConformance;
  if (plain != nullptr) {
    judge(request, plainly.cases, plainly.replies, *plain, request.repeat, looks_deep ? &plainly.ran : nullptr);
  }
  if (watched != nullptr) {
    judge(request, alone.cases, alone.replies, *watched,
          range != nullptr && !looks_at_code ? Repeat::Never : request.repeat, looks_deep ? &alone.ran : nullptr);
  }
  if (watched != nullptr && range != nullptr) judge_what_took_too_long(request, alone.cases, alone.replies, *plain);
  if (plain != nullptr && range != nullptr && request.claim == kConformance) {
    look_for_cause(*plain, watched, plainly.cases, plainly.replies);
    look_for_cause(*plain, watched, alone.cases, alone.replies);
    std::vector<property::Look> looks;
    for (std::size_t i = 0; i < plainly.cases.size(); ++i) {
      const Case& value = plainly.cases[i];
      const std::uint64_t index = plainly.replies[i]->index;
      looks.push_back({&value, launches_for_state(*range, index, value.operation, setup_.place)});
    }
    look_for_state(*plain, looks, plainly.replies);
  }
  const bool looks_twice = watched != nullptr && range == nullptr && request.watch == Watch::Auto;
  for (std::size_t i = 0; looks_twice && i < plainly.cases.size(); ++i) {
    Reply& reply = *plainly.replies[i];
    const VerdictKind seen = reply.verdict.kind;
    if (seen != VerdictKind::Pass && seen != VerdictKind::Vacuous) continue;
    reply.too_large = !run::is_small_enough_to_watch(plainly.cases[i].operation, run::kMostWatchedAlone);
    if (reply.too_large) continue;
    Reply again = reply;
    std::vector<Ran> ran;
    judge(request, {plainly.cases[i]}, {&again}, *watched, Repeat::Never, looks_deep ? &ran : nullptr);
    if (looks_deep) plainly.ran[i].covered = std::move(ran.front().covered);
    if (again.verdict.kind == VerdictKind::Fail) reply = std::move(again);
  }
  for (Share* share : {&plainly, &alone}) {
    base::parallel_for(threads(), share->cases.size(), [&](std::size_t i) {
      Reply& reply = *share->replies[i];
      const Ran ran = i < share->ran.size() ? std::move(share->ran[i]) : Ran{};
      reply.features = features_of(share->cases[i], reply.verdict, *plain, request.features, ran);
      reply.specials = specials_of(share->cases[i], reply.verdict, *plain);
      reply.took_us = ran.took_us;
    });
  }
  share_out(watch.us(), replies);
  return replies;
}

void Examination::examine(const Request& request, const std::function<bool(std::vector<Reply>)>& emit) {
  executors_.set_timeout(request.timeout_ms);
  if (std::exchange(kernel_, request.kernel) != request.kernel) together_ = 1;
  const std::uint64_t most = kCasesTogether[setup_.place];
  const std::uint64_t end = count(request);
  std::optional<RequestedCases> cases;
  if (const auto* const kernel = kernel::registry().find(request.kernel, setup_.place)) {
    cases.emplace(request, *kernel);
  }
  for (std::uint64_t begin = 0; begin < end;) {
    if (request.fresh) executors_.refresh();
    const std::uint64_t next = std::min(end, begin + (request.fresh ? 1 : together_));
    std::vector<Reply> replies = examine_some(request, cases ? &*cases : nullptr, begin, next);
    replies.back().printed = executors_.take_printed();
    const bool ended = std::ranges::any_of(replies, ended_its_process, &Reply::verdict);
    together_ = ended ? 1 : std::min(most, 2 * together_);
    begin = next;
    if (!emit(std::move(replies)) || lost()) return;
  }
}

}  // namespace negzero::campaign
