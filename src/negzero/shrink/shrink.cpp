// The loop of shrinking, and the order that makes it end.

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <tuple>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/whole.hpp>
#include <negzero/shrink/passes.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::shrink {

namespace {

using operation::Case;
using verdict::Failure;
using verdict::Verdict;
using verdict::VerdictKind;

/// Candidates in the first batch of a round: few, because what is evaluated beside the one that is taken is wasted, and
/// it is the boldest cuts that save most when they succeed. Each batch that has none doubles the next.
constexpr std::size_t kFirstBatch = 3;

/// The complexity of a case but for its values, most important first.
using Structure = std::tuple<std::uint64_t,  // launches before the case
                             std::uint64_t,  // how different those are
                             std::size_t,    // optional inputs that are there
                             std::int64_t,   // elements of the inputs
                             std::uint64_t,  // counts
                             std::int64_t,   // extents that have no elements of their own
                             std::uint64_t,  // scalars
                             std::uint64_t,  // options
                             std::int64_t,   // memory that the layouts span, and offsets
                             std::int64_t,  // transposed or broadcast layouts: elements that share memory cannot differ
                             bool,          // an input in the output's memory
                             std::uint64_t,  // schedule
                             int>;           // poison

Structure structure(const Case& value, const operation::Limits& limits) {
  std::int64_t elements = 0, extents = 0, memory = 0, unpacked = 0;
  std::uint64_t scalars = 0, counts = 0;
  for (const auto& [name, tensor] : value.tensors) elements += tensor.element_count();
  for (const notation::TensorSignature& tensor : value.operation.signature().tensors) {
    if (!shrinks_indices(value.operation.signature(), tensor)) continue;
    const tensor::Tensor& each = value.tensors.at(tensor.name);
    counts += weight_of_indices(tensor, each);
  }
  for (const operation::Extent& extent : operation::extents_of(value.operation)) extents += extent.value;
  for (std::size_t i = 0; i < value.operation.scalars().size(); ++i) {
    const operation::Scalar& scalar = value.operation.scalars()[i];
    const number::Format& format = number::format(scalar.format);
    if (value.operation.signature().scalars[i].is_whole()) {
      // Nearer to 0 is simpler, and of two that are as near the positive one. No two values weigh the same, so that
      // a scalar's steps end.
      const std::int64_t whole = operation::whole_value(scalar);
      scalars += 2 * static_cast<std::uint64_t>(std::abs(whole)) + (whole < 0 ? 1 : 0);
      continue;
    }
    const bool is_one = scalar.bits == number::one(format);
    // alpha = 1 and beta = 0 are what a reader expects, so both are as simple as can be.
    if (!is_one) scalars += 1 + complexity(format, scalar.bits);
    if (is_one && value.operation.signature().scalars[i].is_addend) scalars += 2;
  }
  for (const auto& [name, layout] : value.layouts) {
    memory += layout.extent() + layout.offset;
    unpacked += layout == tensor::Layout::packed(layout.shape) ? 0 : 1;
  }
  const operation::Schedule& s = value.schedule;
  const std::uint64_t schedule = (s.preempt ? 8u : 0u) + 2 * static_cast<std::uint64_t>(s.order);
  std::uint64_t different = 0;
  for (const operation::EarlierLaunches& each : value.history) {
    different += (each.same_shape ? 0u : 16u) + (each.same_storage ? 0u : 8u) + (each.same_stream ? 0u : 8u) +
                 2 * static_cast<std::uint64_t>(each.contents) + (each.seed == 0 ? 0u : 1u);
  }
  const notation::Signature& signature = value.operation.signature();
  return {
      operation::launches(value.history),
      different,
      static_cast<std::size_t>(std::ranges::count(signature.tensors, true, &notation::TensorSignature::is_optional)),
      elements,
      counts,
      extents,
      scalars,
      operation::complexity(limits.configuration, value.configuration),
      memory,
      unpacked,
      !value.in_place.empty(),
      (schedule << 32) + std::min<std::uint64_t>(s.seed, 0xffffffffu),
      value.poison == operation::Poison::Nan ? 0 : 1};
}

/// The complexity of all values together.
std::uint64_t values(const Case& value) {
  std::uint64_t sum = 0;
  for (const auto& [name, tensor] : value.tensors) {
    if (is_index(value.operation, name)) continue;
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) sum += complexity(tensor.format(), tensor.get(i));
  }
  return sum;
}

/// A case that others are compared with. Values, of which there may be millions, are looked at only where all else is
/// equal.
class Complexity {
 public:
  Complexity(const Case& value, const operation::Limits& limits)
      : value_(value), limits_(limits), structure_(structure(value, limits)) {}
  [[nodiscard]] bool exceeds(const Case& candidate) {
    const Structure other = structure(candidate, limits_);
    if (other != structure_) return other < structure_;
    if (!values_) values_ = values(value_);
    return values(candidate) < *values_;
  }

 private:
  const Case& value_;
  const operation::Limits& limits_;
  Structure structure_;
  std::optional<std::uint64_t> values_;
};

bool is_usable(const Case& candidate, const operation::Limits& limits) {
  return operation::validate(candidate).ok() && !operation::outside(limits, candidate).has_value();
}

/// Lays a case out anew, as plainly as the limits accept: a cut keeps its strides, which limits that want packed
/// tensors refuse. Returns whether it is usable then.
bool lay_anew(Case& candidate, const operation::Limits& limits) {
  candidate.layouts.clear();
  operation::lay_missing_plainly(candidate, limits);
  if (operation::outside(limits, candidate)) return false;
  operation::unify_shared_elements(candidate);
  return operation::validate(candidate).ok();
}

/// State of one shrink: the smallest failing case so far.
class Minimiser {
 public:
  Minimiser(Case value, Verdict verdict, const EvaluateBatch& evaluate, const Options& options)
      : best_{std::move(value), std::move(verdict), 0, 0}, evaluate_(evaluate), options_(options) {}

  Minimised run() {
    for (bool changed = true; changed && !finished();) {
      changed = false;
      for (const Pass pass : passes()) {
        // A pass that inches along (one of thousands of columns a step) lets the others have their turn.
        const std::int64_t turn_ends = best_.evaluations + options_.max_evaluations / 16;
        while (!finished() && best_.evaluations < turn_ends && improve(pass)) changed = true;
      }
    }
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool finished() const {
    return best_.evaluations >= options_.max_evaluations || (options_.stop && options_.stop());
  }

  /// Evaluates the candidates of one pass batch by batch and takes the first that still fails. Returns whether there
  /// was one: the pass then starts again from it.
  bool improve(Pass pass) {
    std::vector<Case> batch;
    bool taken = false;
    const Case start = best_.value;
    Complexity complexity(start, options_.limits);
    const std::size_t most = std::max<std::size_t>(1, options_.most_together);
    std::size_t wanted = std::min(kFirstBatch, most);
    pass(start, *best_.verdict.failure, options_.limits, [&](Case&& candidate) {
      if (!complexity.exceeds(candidate)) return true;
      if (!is_usable(candidate, options_.limits)) {
        if (!lay_anew(candidate, options_.limits) || !complexity.exceeds(candidate)) return true;
      }
      if (options_.prepare && (!options_.prepare(candidate) || !complexity.exceeds(candidate))) return true;
      if (options_.wants && !options_.wants(candidate)) return true;
      batch.push_back(std::move(candidate));
      if (batch.size() < wanted) return true;
      taken = evaluate(batch);
      batch.clear();
      wanted = std::min(2 * wanted, most);
      return !taken && !finished();
    });
    return taken || evaluate(batch);
  }

  bool evaluate(std::vector<Case>& batch) {
    if (batch.empty()) return false;
    const std::vector<Verdict> verdicts = evaluate_(batch);
    best_.evaluations += static_cast<std::int64_t>(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (verdicts[i].kind != VerdictKind::Fail || !verdicts[i].failure->same_way(*best_.verdict.failure)) continue;
      best_.value = std::move(batch[i]);
      best_.verdict = verdicts[i];
      ++best_.steps;
      return true;
    }
    return false;
  }

  Minimised best_;
  const EvaluateBatch& evaluate_;
  const Options& options_;
};

}  // namespace

const std::vector<Pass>& passes() {
  static const std::vector<Pass> all = {shrink_history, shrink_inputs, shrink_extents, shrink_setting, shrink_values};
  return all;
}

std::vector<Case> candidates(const Case& value, const Failure& failure, const operation::Limits& limits) {
  std::vector<Case> result;
  Complexity complexity(value, limits);
  for (const Pass pass : passes()) {
    pass(value, failure, limits, [&](Case&& candidate) {
      if (complexity.exceeds(candidate) && is_usable(candidate, limits)) result.push_back(std::move(candidate));
      return true;
    });
  }
  return result;
}

bool less(const Case& a, const Case& b, const operation::Limits& limits) { return Complexity(b, limits).exceeds(a); }

Minimised minimise(Case value, Verdict verdict, const EvaluateBatch& evaluate, const Options& options) {
  return Minimiser(std::move(value), std::move(verdict), evaluate, options).run();
}

}  // namespace negzero::shrink
