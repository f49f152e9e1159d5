// Looks for a case in which a kernel breaks a claim, and for the smallest like it.

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/nearest.hpp>
#include <negzero/base/random.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/metamorphic.hpp>
#include <negzero/property/search.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::property {

namespace {

using operation::Case;
using verdict::Verdict;
using verdict::VerdictKind;
using Clock = std::chrono::steady_clock;

/// Runs that a rate is counted from.
constexpr int kRuns = 8;

using Extents = std::vector<std::int64_t>;
Extents extents(const Case& value) {
  const auto all = value.operation.extents();
  return {all.begin(), all.end()};
}

base::Result<std::vector<const Metamorphic*>> claims_named(std::span<const std::string> names) {
  std::vector<const Metamorphic*> claims;
  for (const std::string& name : names) {
    const auto& all = metamorphic_properties();
    const auto claim = std::ranges::find(all, name, &Metamorphic::name);
    if (claim == all.end()) {
      std::string known;
      for (const Metamorphic& each : all) known += (known.empty() ? "" : ", ") + std::string(each.name());
      return base::usage_error(fmt::format("claims: '{}' is no property; known: {}", name, known));
    }
    claims.push_back(&*claim);
  }
  return claims;
}

/// What an exception's message begins with: its type.
std::string type_of(const verdict::Failure& failure) { return failure.message.substr(0, failure.message.find(':')); }

bool gives_nothing(const operation::Operation& operation) {
  return std::ranges::all_of(operation::output_specs(operation),
                             [](const operation::TensorSpec& spec) { return tensor::count_elements(spec.shape) == 0; });
}

class Searcher {
 public:
  Searcher(const generate::Request& request, const kernel::Kernel& kernel, run::Executor& executor,
           std::vector<const Metamorphic*> claims, const SearchOptions& options)
      : request_(request), kernel_(kernel), executor_(executor), claims_(std::move(claims)), options_(options) {
    searched_.known.resize(options.known.size());
  }

  Searched run() {
    for (const Case& value : options_.first) {
      if (is_over() || !look(value)) return finished();
    }
    for (std::uint64_t index = 0; index < options_.cases && !is_over(); ++index) {
      if (options_.progress) options_.progress(index);
      Case value = draw(index);
      if (options_.prepare && !options_.prepare(value)) {
        searched_.unprepared += is_over() ? 0 : 1;
        break;
      }
      if (!look(value)) break;
    }
    return finished();
  }

 private:
  [[nodiscard]] bool is_over() const { return options_.stop && options_.stop(); }
  Searched finished() {
    searched_.is_stopped = is_over();
    return std::move(searched_);
  }

  /// Case number `index`, at one of the drawn shapes where there are any.
  Case draw(std::uint64_t index) {
    if (options_.shapes == 0) return generate::make_case(request_, options_.seed, index);
    while (shapes_.size() < options_.shapes && shapes_.size() <= index) {
      const generate::Plan plan = generate::draw(request_, options_.seed, shapes_.size());
      generate::Request& shape = shapes_.emplace_back(request_);
      const auto formats = plan.operation.formats();
      shape.limits.formats = {{formats.begin(), formats.end()}};
      for (const operation::Extent& extent : operation::extents_of(plan.operation)) {
        operation::ExtentLimit& limit = shape.limits.extents[extent.name];
        limit.min = limit.max = extent.value;
      }
    }
    Case value = generate::make_case(shapes_[index % shapes_.size()], options_.seed, index);
    seen_.insert(extents(value));
    return value;
  }

  /// A kernel with the contract that cases of some formats are held to, and with the one that conformance looks at.
  struct Held {
    kernel::Kernel named, judged;
  };

  const Held& held_for(const Case& value) {
    const auto formats = value.operation.formats();
    std::vector<number::FormatId> key;  // Without a contract for each case there is one for all.
    if (options_.contract) key.assign(formats.begin(), formats.end());
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return found->second;
    Held& held = kernels_.emplace(std::move(key), Held{kernel_, kernel_}).first->second;
    if (options_.contract) held.named.contract = held.judged.contract = options_.contract(value.operation);
    if (options_.position_is_named) held.judged.contract.position_invariant = false;
    return held;
  }
  const kernel::Kernel& kernel_for(const Case& value) { return held_for(value).named; }

  Verdict conforms(const Case& value, Repeat repeat, Repeat claims) {
    return conformance(value, held_for(value).judged, executor_,
                       {.repeat = repeat, .claims = claims, .referee = options_.referee, .hints = is_last_});
  }
  /// Pass where the precondition does not hold.
  std::optional<Verdict> holds(const Metamorphic& claim, const Case& value) {
    // The kernel's contract decides here: a case that has one of its own is held to it by conformance alone.
    return hold(claim, value, kernel_for(value), executor_, base::Random(base::mix64(value.seed ^ value.index)));
  }

  /// Whether to go on.
  bool look(const Case& value) {
    Verdict verdict = conforms(value, Repeat::Always, Repeat::Some);
    if (is_over()) return false;
    if (!verdict.warnings.empty() && searched_.warnings++ == 0) searched_.warning = verdict.warnings.front();
    switch (verdict.kind) {
      case VerdictKind::Fail:
        return settle(value, std::move(verdict), nullptr);
      case VerdictKind::Error:
        if (searched_.errors++ == 0) searched_.error = verdict.reason;
        return true;
      case VerdictKind::Refused:
        ++searched_.refused;
        return true;
      case VerdictKind::Vacuous:
        ++searched_.vacuous;
        break;
      case VerdictKind::NotJudged:
        ++searched_.not_judged;
        break;
      case VerdictKind::Pass:
        ++(gives_nothing(value.operation) ? searched_.empty : searched_.passed);
        break;
    }
    if (claims_.empty()) return true;
    // Each case is held to the first of them that applies, beginning at another one each time.
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      const Metamorphic& claim = *claims_[(value.index + i) % claims_.size()];
      std::optional<Verdict> held = holds(claim, value);
      if (is_over()) return false;
      if (!held) continue;
      ++searched_.held;
      if (held->kind != VerdictKind::Fail) return true;
      return settle(value, *std::move(held), &claim);
    }
    return true;
  }

  /// Counts a failure that is known.
  bool is_known(const verdict::Failure& failure) {
    const auto known = std::ranges::find_if(options_.known, [&](const Known& each) { return each.holds(failure); });
    if (known == options_.known.end()) return false;
    ++searched_.known[static_cast<std::size_t>(known - options_.known.begin())];
    return true;
  }

  /// Shrinks a failing case, and counts how often the smallest fails. Whether the search goes on: what the case is
  /// shrunk to may be what is known, as the rule of a failure sharpens while a case gets smaller.
  bool settle(const Case& value, Verdict verdict, const Metamorphic* claim) {
    const verdict::Failure first = *verdict.failure;
    if (is_known(first)) return true;
    if (options_.shrinks) options_.shrinks();
    const bool is_repeated = first.kind == verdict::FailureClass::NotDeterministic;
    const Repeat claims = first.rule.family() == "meta" ? Repeat::Always : Repeat::Never;
    const auto evaluate_one = [&](const Case& candidate) {
      if (is_over()) return verdict::error_verdict("stopped");
      const Repeat repeat = is_repeated ? Repeat::Always : Repeat::Never;
      Verdict now = claim == nullptr ? conforms(candidate, repeat, claims)
                                     : holds(*claim, candidate).value_or(Verdict{.kind = VerdictKind::Pass});
      // Another exception is another failure, of the same class.
      const bool is_other = now.failure && first.rule == "run.raised" && type_of(*now.failure) != type_of(first);
      return is_other ? Verdict{.kind = VerdictKind::Pass} : now;
    };
    const auto fails = [&](const Verdict& seen) {
      return seen.kind == VerdictKind::Fail && seen.failure->same_way(first);
    };
    Found& found = searched_.found.emplace(
        Found{.value = value, .verdict = std::move(verdict), .claim = claim ? std::string(claim->name()) : ""});
    for (int run = 0; run < kRuns && !found.came_again && !is_over(); ++run) {
      const Verdict again = evaluate_one(value);
      found.came_again = fails(again);
      if (found.came_again) found.verdict = again;
    }
    if (found.came_again) minimise(found, evaluate_one);
    for (; found.runs < kRuns && !is_over(); ++found.runs) {
      is_last_ = found.hits == 0;
      Verdict again = evaluate_one(found.value);
      if (!fails(again)) continue;
      if (found.hits++ == 0) found.verdict = std::move(again);
    }
    is_last_ = false;
    if (is_known(*found.verdict.failure)) {
      searched_.found.reset();
      return true;
    }
    if (found.value.contract.empty()) {
      found.value.contract = contract::to_json(kernel_for(found.value).contract);
      found.value.contract_version = contract::kVersion;
    }
    return false;
  }

  template <typename EvaluateOne>
  void minimise(Found& found, const EvaluateOne& evaluate_one) {
    const Clock::time_point until = Clock::now() + std::chrono::milliseconds(options_.shrink_ms);
    const auto evaluate = [&](std::span<const Case> cases) {
      std::vector<Verdict> verdicts;
      for (const Case& each : cases) verdicts.push_back(evaluate_one(each));
      return verdicts;
    };
    shrink::Options how{.limits = kernel_.limits, .most_together = 1, .prepare = options_.prepare};
    how.stop = [&] {
      found.is_cut = is_over() || Clock::now() >= until;
      return found.is_cut;
    };
    if (options_.shapes > 0) {
      how.wants = [&, others = options_.shapes](const Case& candidate) mutable {
        Extents shape = extents(candidate);
        if (seen_.contains(shape)) return true;
        if (others == 0) return false;
        --others;
        seen_.insert(std::move(shape));
        return true;
      };
    }
    shrink::Minimised smallest = shrink::minimise(found.value, found.verdict, evaluate, how);
    found.value = std::move(smallest.value);
    found.verdict = std::move(smallest.verdict);
    found.evaluations = smallest.evaluations;
  }

  const generate::Request& request_;
  const kernel::Kernel& kernel_;
  run::Executor& executor_;
  std::vector<const Metamorphic*> claims_;
  const SearchOptions& options_;
  Searched searched_;
  /// Whether a failure is to be told of as it is: hints take as long as judging the case under fifty contracts, so they
  /// are looked for in the smallest case, once.
  bool is_last_ = false;
  std::vector<generate::Request> shapes_;
  std::set<Extents> seen_;
  std::map<std::vector<number::FormatId>, Held> kernels_;
};

}  // namespace

base::Result<Searched> search(const generate::Request& request, const kernel::Kernel& kernel, run::Executor& executor,
                              const SearchOptions& options) {
  if (const base::Status status = generate::validate(request); !status) return status.error();
  auto claims = claims_named(options.claims);
  if (!claims) return claims.error();
  return Searcher(request, kernel, executor, *std::move(claims), options).run();
}

}  // namespace negzero::property
