// How a case is looked at: everything that is done with it, decided before anything runs.

#include <algorithm>
#include <iterator>
#include <limits>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/property/state_looks.hpp>
#include <negzero/run/watched_size.hpp>

namespace negzero::campaign {

namespace {

using operation::History;
using operation::Operation;
using property::Repeat;
using verdict::FailureClass;
using Why = Looks::Why;
using When = Looks::Second::When;

/// Most products, elements or updates of a case that is watched for the code that it covers. With 2^15, as of others,
/// gemm.tiled.f32 gets through two thirds of the cases and covers no more; with 2^9 a case has one tile.
constexpr std::int64_t kMostForCode = std::int64_t{1} << 12;

/// How large a case is, for itself and beside the least one of its kernel.
class Size {
 public:
  Size(const Builds& builds, const Operation& operation) {
    const operation::Workload workload(operation.signature(),
                                       builds.limits != nullptr ? *builds.limits : operation::Limits{});
    work_ = workload.of(operation.extents());
    watched_ = run::WatchedSize(workload.least());
  }
  [[nodiscard]] bool is_at_most(std::int64_t work) const { return work_ <= work; }
  /// Whether it is watched unasked.
  [[nodiscard]] bool is_small() const { return is_at_most(watched_.usual()); }
  /// Whether it is watched where it is worth it.
  [[nodiscard]] bool is_small_alone() const { return is_at_most(watched_.alone()); }

 private:
  std::int64_t work_ = 1;
  run::WatchedSize watched_{};
};

/// The launches with which state is looked for at a case of the stream; none at most of them. On a GPU a large case has
/// fewer of them: those of a look go one after the other, and the GPU waits.
History launches_for_state(std::uint64_t seed, std::uint64_t index, const Operation& operation, const Size& size,
                           kernel::Place place) {
  constexpr std::uint64_t kOneIn = 100, kFirst = 8, kSalt = 0x7374617465000000;
  const base::Random random(base::mix64(seed ^ base::mix64(index)));
  if (base::is_one_in(kOneIn, seed, index, kSalt)) {
    History launches = property::many_launches(random);
    // Products, elements or updates of all of them together; a case that is small enough to watch has 4 launches.
    constexpr kernel::AtPlace<std::int64_t> kMostWork{.host = std::numeric_limits<std::int64_t>::max(),
                                                      .device = 4 * run::kMostWatched};
    std::uint32_t most = operation::launches(launches);
    while (most > 4 && !size.is_at_most(kMostWork[place] / most)) --most;
    return property::at_most(std::move(launches), most);
  }
  if (index < kFirst) return property::few_launches(random, operation);
  return {};
}

/// Why a case of a stream is watched, as far as it is small enough. `is_for_code`: it is small, and code is asked for.
Why why_watched(const Request& request, const generate::Request* drawn_for, std::uint64_t seed, std::uint64_t index,
                bool is_for_code) {
  constexpr std::uint64_t kOneIn = 20;
  if (request.watch == Watch::Always) return Why::Asked;
  if (drawn_for != nullptr && generate::is_risky(*drawn_for, seed, index)) return Why::ByRisk;
  if (base::is_one_in(kOneIn, seed, index)) return Why::ByChance;
  return is_for_code ? Why::ForCode : Why::Never;
}

Looks looks_of_generated(const Request& request, const Builds& builds, const generate::Request* drawn_for,
                         std::uint64_t index, const Operation& operation) {
  const std::uint64_t seed = range_of(request)->seed;
  const Size size(builds, operation);
  const bool is_small = size.is_small();
  History launches = launches_for_state(seed, index, operation, size, builds.place);
  const bool for_code = request.features == feature::Depth::Code;
  Looks looks{.first = {.repeat = request.repeat}};
  if (builds.watched && request.watch != Watch::Never) {
    const bool is_for_code = for_code && launches.empty() && size.is_at_most(kMostForCode);
    looks.why = why_watched(request, drawn_for, seed, index, is_for_code);
    const bool is_worth_it = looks.why == Why::Asked || looks.why == Why::ByRisk;
    looks.too_large = looks.why != Why::Never && !(is_worth_it ? size.is_small_alone() : is_small);
  }
  if (looks.why != Why::Never && !looks.too_large) {
    looks.first = {.watched = true, .repeat = for_code ? request.repeat : Repeat::Never};
    if (!is_small) looks.second = {.when = When::Hangs, .run = {.repeat = request.repeat}};
  }
  if (request.claim != kConformance || !is_small) return looks;
  if (!looks.first.watched) looks.launches = std::move(launches);
  const bool can_watch = builds.watched && request.watch != Watch::Never;
  looks.blame = can_watch ? Looks::Blame::WatchedAndLaunches : Looks::Blame::Launches;
  return looks;
}

Looks looks_of_whole(const Request& request, const Builds& builds, const Operation& operation) {
  const Looks::Run plain{.repeat = request.repeat};
  if (!builds.watched || request.watch == Watch::Never) return {.first = plain};
  const Looks::Run watched{.watched = true, .repeat = request.repeat};
  if (request.watch == Watch::Always) return {.first = watched, .why = Why::Asked};
  using Second = Looks::Second;
  if (request.watch == Watch::First) return {.first = watched, .second = Second{.run = plain}, .why = Why::Asked};
  return {.first = plain,
          .second = Second{.run = {.watched = true}},
          .why = Why::Asked,
          .too_large = !Size(builds, operation).is_small_alone()};
}

std::string text_of(const Looks::Run& run) {
  constexpr const char* kRepeats[] = {"never", "some", "always"};
  return fmt::format("{}({})", run.watched ? "watched" : "plain", kRepeats[static_cast<std::size_t>(run.repeat)]);
}

}  // namespace

Builds builds_of(const std::string& kernel, kernel::Place place) {
  const kernel::Kernel* const plain = kernel::registry().find(kernel, place);
  return {.place = place,
          .watched = kernel::registry().find(kernel, {place, true}) != nullptr,
          .limits = plain != nullptr ? &plain->limits : nullptr};
}

std::string_view name(Looks::Why why) noexcept {
  constexpr std::string_view kNames[] = {"never", "asked", "risk", "chance", "code"};
  return kNames[static_cast<std::size_t>(why)];
}

std::string_view name(Looks::Second::When when) noexcept {
  return when == Looks::Second::When::Hangs ? "hangs" : "passes";
}

std::string_view name(Looks::Blame blame) noexcept {
  constexpr std::string_view kNames[] = {"nothing", "launches", "watched_and_launches"};
  return kNames[static_cast<std::size_t>(blame)];
}

std::string Looks::to_string() const {
  std::string text = text_of(first);
  if (second) text += fmt::format(", {}: {}", name(second->when), text_of(second->run));
  if (why != Why::Never) text += fmt::format(", why {}", name(why));
  if (too_large) text += ", too large";
  if (!launches.empty()) text += fmt::format(", launches {}", operation::launches(launches));
  if (blame != Blame::Nothing) text += blame == Blame::Launches ? ", blame launches" : ", blame watched";
  return text;
}

std::ostream& operator<<(std::ostream& to, const Looks& looks) { return to << looks.to_string(); }

Looks looks_of(const Request& request, const Builds& builds, const generate::Request* drawn_for, std::uint64_t index,
               const Operation& operation) {
  return range_of(request) != nullptr ? looks_of_generated(request, builds, drawn_for, index, operation)
                                      : looks_of_whole(request, builds, operation);
}

Asking asking_for(const verdict::Failure& failure) {
  // It may have been the second run that ended the worker. A claim is held against another run too.
  const bool needs_two = failure.kind == FailureClass::Hang || failure.kind == FailureClass::Crash ||
                         failure.kind == FailureClass::NotDeterministic || failure.rule.family() == "meta";
  return {.watch = failure.rule.only_watched() ? Watch::Always : Watch::Never,
          .repeat = needs_two ? Repeat::Always : Repeat::Never};
}

Request request_of(const kernel::Kernel& kernel, const Asking& how, const EvaluationOptions& options) {
  return {.kernel = kernel.name,
          .watch = how.watch,
          .repeat = how.repeat,
          .fresh = how.fresh,
          .timeout_ms = how.timeout_ms > 0 ? how.timeout_ms : options.timeout_ms,
          .source = WholeCases{}};
}

Watch watch_for(const std::optional<operation::Expectation>& expected, Watch asked) {
  if (expected && expected->executor == "watched") return Watch::Always;
  const bool fails = expected && expected->verdict == verdict::VerdictKind::Fail;
  return fails && asked == Watch::Always ? Watch::Auto : asked;
}

Watch watch_for_known(const std::optional<operation::Expectation>& known, Watch asked) {
  return asked == Watch::Auto && known && known->executor == "watched" ? Watch::First : asked;
}

bool may_explain(const verdict::Failure& failure, Watch asked, const Builds& builds, const Operation& operation) {
  constexpr FailureClass kExplained[] = {FailureClass::OutOfBoundsAccess, FailureClass::UnwrittenOutput,
                                         FailureClass::Crash, FailureClass::Hang};
  return builds.watched && asked != Watch::Never && !failure.rule.only_watched() &&
         std::ranges::find(kExplained, failure.kind) != std::end(kExplained) && Size(builds, operation).is_small();
}

}  // namespace negzero::campaign
