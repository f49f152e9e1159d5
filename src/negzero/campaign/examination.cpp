// Looks at the cases of a request: the only place that decides what is watched, what runs again, and in which build.

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/random.hpp>
#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/examination.hpp>
#include <negzero/property/statefulness.hpp>
#include <negzero/run/watched.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::campaign {

namespace {

using operation::Case;
using operation::FailureClass;
using operation::Verdict;
using operation::VerdictKind;
using property::Repeat;

/// Cases that are examined together: on a GPU enough that the fixed cost of a batch (two copies, one wait) is small
/// against its launches, on the host enough that handing them to another process is.
constexpr std::uint64_t kTogetherOnHost = 16, kTogetherOnGpu = 64;

std::uint32_t hash(std::string_view text) {
  std::uint64_t sum = 0;
  for (const char c : text) sum = base::mix64(sum ^ static_cast<unsigned char>(c));
  return static_cast<std::uint32_t>(sum);
}

bool ended_its_process(const Verdict& verdict) {
  return verdict.failure &&
         (verdict.failure->kind == FailureClass::Crash || verdict.failure->kind == FailureClass::Hang);
}

/// Whether a case of the stream is watched, with Watch::Auto: the same ones for a seed.
bool is_drawn_for_the_watch(std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint64_t kOneIn = 20;
  return base::mix64(seed ^ base::mix64(index)) % kOneIn == 0;
}

/// The launches with which state is looked for at a case of the stream; none at most of them. The same for a seed.
operation::History launches_for_state(std::uint64_t seed, std::uint64_t index, const operation::Operation& operation) {
  constexpr std::uint64_t kOneIn = 100, kFirst = 8, kSalt = 0x7374617465000000;
  const base::Random random(base::mix64(seed ^ base::mix64(index)));
  if (base::mix64(seed ^ kSalt ^ base::mix64(index)) % kOneIn == 0) return property::many_launches(random);
  if (index < kFirst) return property::few_launches(random, operation);
  return {};
}

/// Says how large the tensors of a case are.
void measure(const operation::Operation& operation, Reply& reply) {
  std::vector<operation::TensorSpec> specs = operation::input_specs(operation);
  specs.push_back(operation::output_spec(operation));
  for (const operation::TensorSpec& spec : specs) {
    reply.elements += static_cast<std::uint64_t>(tensor::count_elements(spec.shape));
    reply.shape += fmt::format("{}{} {}", reply.shape.empty() ? "" : ", ", spec.name, fmt::join(spec.shape, "x"));
  }
}

/// The case of a request with that number, or why there is none.
base::Result<Case> case_at(const Request& request, const kernel::Kernel& kernel, std::uint64_t number) {
  if (const auto* range = std::get_if<GeneratedRange>(&request.source)) {
    const generate::Request wanted{kernel.operation, kernel.limits, kernel.contract, range->weights};
    return generate::make_case(wanted, range->seed, range->begin + number);
  }
  const std::string& file = std::get<WholeCases>(request.source)[number];
  return operation::parse_case(std::as_bytes(std::span(file.data(), file.size())));
}

}  // namespace

std::vector<std::uint32_t> features_of(const Case& value, const Verdict& verdict) {
  std::uint64_t elements = 0;
  for (const auto& [name, tensor] : value.tensors) elements += static_cast<std::uint64_t>(tensor.element_count());
  const int margin = verdict.margin > 0 ? std::max(-31, std::ilogb(verdict.margin)) + 32 : 0;
  std::vector<std::uint32_t> features{
      hash(value.strategy), hash(operation::name(value.operation)) ^ static_cast<std::uint32_t>(margin),
      hash("elements") ^ static_cast<std::uint32_t>(std::bit_width(elements)),
      hash(operation::name(value.poison)) ^ hash(operation::name(value.schedule.order))};
  if (verdict.failure) features.push_back(hash(verdict.failure->rule) ^ hash(operation::name(verdict.failure->kind)));
  return features;
}

void Examination::judge(const Request& request, const std::vector<Case>& cases, std::vector<Reply*> replies,
                        const kernel::Kernel& build, Repeat repeat) {
  if (cases.empty()) return;
  std::vector<Verdict> verdicts;
  try {
    verdicts = judge_claim(request.claim, {cases, build, executors_, {setup_.exact, repeat}, {}});
  } catch (const std::exception& exception) {
    verdicts.assign(cases.size(), operation::error_verdict(exception.what()));
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    replies[i]->verdict = std::move(verdicts[i]);
    replies[i]->watched = build.executor == kernel::Executor::Watched;
  }
}

void Examination::look_for_state(const kernel::Kernel& kernel, const Case& value, Reply& reply,
                                 const operation::History& launches) {
  if (reply.verdict.kind != VerdictKind::Pass || launches.empty()) return;
  if (!run::is_small_enough_to_watch(value.operation)) return;
  const auto executor = executors_.of(kernel);
  if (!executor) return;
  auto found = property::look_for_state(value, kernel, **executor, {setup_.exact, Repeat::Never}, launches);
  if (!found) return;
  reply.verdict = std::move(found->verdict);
  reply.history = std::move(found->history);
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
    look_for_state(plain, cases[i], reply, {{.times = came_once(&reply) ? 50u : 3u}});
  }
}

std::vector<Reply> Examination::examine_some(const Request& request, std::uint64_t begin, std::uint64_t end) {
  const auto* const range = std::get_if<GeneratedRange>(&request.source);
  const kernel::Kernel* const plain = kernel::registry().find(request.kernel, setup_.executor);
  const bool on_host = setup_.executor == kernel::Executor::Host;
  const kernel::Kernel* watched = nullptr;
  if (on_host && request.watch != Watch::Never) {
    watched = kernel::registry().find(request.kernel, kernel::Executor::Watched);
  }
  std::vector<Reply> replies(end - begin);
  /// The cases of one build, and whose they are.
  struct Share {
    std::vector<Case> cases;
    std::vector<Reply*> replies;
  };
  Share plainly, alone;  // Alone: watched, and not plainly.
  for (std::uint64_t number = begin; number < end; ++number) {
    Reply& reply = replies[number - begin];
    reply.index = number + (range != nullptr ? range->begin : 0);
    if (plain == nullptr) {
      reply.verdict = operation::error_verdict(fmt::format("kernel {} is not in the registry", request.kernel));
      continue;
    }
    auto value = case_at(request, *plain, number);
    if (!value) {
      reply.verdict = operation::error_verdict(value.error().message);
      continue;
    }
    reply.strategy = value->strategy;
    measure(value->operation, reply);
    const bool small = run::is_small_enough_to_watch(value->operation);
    const bool wanted =
        request.watch == Watch::Always || (range != nullptr && is_drawn_for_the_watch(range->seed, reply.index));
    const bool is_alone = watched != nullptr && wanted && (small || range == nullptr);
    Share& share = is_alone ? alone : plainly;
    share.cases.push_back(*std::move(value));
    share.replies.push_back(&reply);
  }
  if (plain != nullptr) judge(request, plainly.cases, plainly.replies, *plain, request.repeat);
  if (watched != nullptr) {
    judge(request, alone.cases, alone.replies, *watched, range != nullptr ? Repeat::Never : request.repeat);
  }
  if (plain != nullptr && range != nullptr && request.claim == kConformance) {
    look_for_cause(*plain, watched, plainly.cases, plainly.replies);
    for (std::size_t i = 0; i < plainly.cases.size(); ++i) {
      Reply& reply = *plainly.replies[i];
      look_for_state(*plain, plainly.cases[i], reply,
                     launches_for_state(range->seed, reply.index, plainly.cases[i].operation));
    }
  }
  const bool looks_twice = watched != nullptr && range == nullptr && request.watch == Watch::Auto;
  for (std::size_t i = 0; looks_twice && i < plainly.cases.size(); ++i) {
    Reply& reply = *plainly.replies[i];
    const VerdictKind seen = reply.verdict.kind;
    if (seen != VerdictKind::Pass && seen != VerdictKind::Vacuous) continue;
    if (!run::is_small_enough_to_watch(plainly.cases[i].operation)) continue;
    Reply again = reply;
    judge(request, {plainly.cases[i]}, {&again}, *watched, Repeat::Never);
    if (again.verdict.kind == VerdictKind::Fail) reply = std::move(again);
  }
  for (const Share* share : {&plainly, &alone}) {
    for (std::size_t i = 0; i < share->cases.size(); ++i) {
      share->replies[i]->features = features_of(share->cases[i], share->replies[i]->verdict);
    }
  }
  return replies;
}

void Examination::examine(const Request& request, const std::function<bool(std::vector<Reply>)>& emit) {
  executors_.set_timeout(request.timeout_ms);
  if (std::exchange(kernel_, request.kernel) != request.kernel) together_ = 1;
  const std::uint64_t most = setup_.executor == kernel::Executor::Cuda ? kTogetherOnGpu : kTogetherOnHost;
  const std::uint64_t end = count(request);
  for (std::uint64_t begin = 0; begin < end;) {
    if (request.fresh) executors_.refresh();
    const std::uint64_t next = std::min(end, begin + (request.fresh ? 1 : together_));
    std::vector<Reply> replies = examine_some(request, begin, next);
    replies.back().printed = executors_.take_printed();
    const bool ended = std::ranges::any_of(replies, ended_its_process, &Reply::verdict);
    together_ = ended ? 1 : std::min(most, 2 * together_);
    begin = next;
    if (!emit(std::move(replies)) || lost()) return;
  }
}

}  // namespace negzero::campaign
