// Which contracts would permit an output, and in which order they are named.

#include <algorithm>
#include <cmath>
#include <tuple>

#include <negzero/contract/fields.hpp>
#include <negzero/judgement/candidates.hpp>
#include <negzero/judgement/hints.hpp>
#include <negzero/judgement/pieces.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/workload.hpp>

namespace negzero::judgement {
namespace {

using contract::Contract;
using oracle::Oracle;
using oracle::OutputElement;
using oracle::Permitted;
using verdict::Hint;

/// Failing elements that candidates are weighed on.
constexpr std::size_t kWeighed = 16;
/// Those of them on which words that are tried two at a time are compared.
constexpr std::size_t kCompared = 4;

/// How many words a set permits; ends of numbers and everything else that makes two sets one, into `shape`.
double counted(const Permitted& set, std::vector<std::int64_t>& shape) {
  for (const std::uint64_t word : set.only) shape.push_back(static_cast<std::int64_t>(word));
  const bool has_numbers = set.only.empty();
  if (has_numbers) {
    for (const oracle::Interval& numbers : set.intervals()) {
      const bool has_zeros = numbers.low <= 0 && numbers.high >= 0;
      shape.insert(shape.end(), {numbers.low, numbers.high, has_zeros ? 2 * set.plus_zero + set.minus_zero : 0});
    }
  }
  const bool plus = has_numbers && set.plus_infinity, minus = has_numbers && set.minus_infinity;
  shape.push_back(8 * static_cast<std::int64_t>(set.only.size()) + 4 * plus + 2 * minus + set.nan);
  shape.push_back(set.held_in ? static_cast<std::int64_t>(*set.held_in) + 1 : 0);
  return set.count();
}

/// A candidate that explains the failing elements which are weighed.
struct Weighed {
  Candidate candidate;
  double breadth = 0;                 ///< the logarithm of how many results it permits there
  std::vector<std::int64_t> shape{};  ///< the same for those that permit the same there
  int line = 0;                       ///< Hint::line
  bool is_pair = false;
};

/// The format of a sum that is held in it, rounded to it once, or stored to it in slices, and which of the three it is;
/// of anything else no format.
struct Narrowed {
  std::string format{};
  int how = 0;
};
Narrowed narrowed(const Candidate& candidate) {
  if (candidate.words > 1) return {};
  const auto& [name, value] = candidate.fields.front();
  if (name == "accumulate") return {value.get<std::string>(), 0};
  if (name == "intermediate" && candidate.contract.intermediate_at == contract::IntermediateAt::Sum) {
    return {value.front().get<std::string>(), 1};
  }
  if (name == "slice_format") return {value.get<std::string>(), 2};
  return {};
}

/// Some elements of a case without the others, so that what each candidate takes apart is little.
struct Part {
  operation::Case value;
  std::vector<tensor::Tensor> observed{};
  std::vector<OutputElement> elements{};  ///< in the part's own numbers

  Part(const operation::Case& whole, std::span<const tensor::Tensor> outputs, std::span<const OutputElement> some) {
    std::vector<std::int64_t> kept;
    for (const OutputElement& place : some) kept.push_back(place.element);
    std::ranges::sort(kept);
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    const Piece piece = Cutter(whole).around(kept);
    value = operation::part_of(whole, piece.kept);
    const notation::Signature& signature = whole.operation.signature();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      observed.push_back(operation::part_of(signature, signature.outputs[o].tensor, outputs[o], piece.kept));
    }
    for (const OutputElement& place : some) {
      const auto at = std::ranges::lower_bound(kept, place.element) - kept.begin();
      elements.push_back({place.output, (*piece.elements)[static_cast<std::size_t>(at)]});
    }
  }
};

class Weighing {
 public:
  Weighing(const operation::Case& value, const Contract& contract, std::span<const tensor::Tensor> observed,
           std::span<const OutputElement> failing, Held held)
      : value_(value),
        observed_(observed),
        failing_(failing),
        part_(value, observed, failing.first(std::min(kWeighed, failing.size()))),
        weighed_(part_.elements) {
    std::size_t elements = 0;
    for (const tensor::Tensor& output : observed) elements += static_cast<std::size_t>(output.element_count());
    const bool many_fail = 16 * failing.size() >= elements;
    std::vector<Candidate> tried = candidates(value, contract, word_at(weighed_.front()));
    for (const Candidate& each : tried) weigh(each);
    const auto is_deep_enough = [&](const Contract& deep) {
      const auto oracle = Oracle::make(part_.value, deep);
      return oracle && std::ranges::all_of(weighed_, [&](const OutputElement& place) {
               return permitted(*oracle, place).contains(word_at(place));
             });
    };
    if (const auto deep = deeper(value, contract, is_deep_enough)) weigh(*deep);
    // What shows in most elements does not explain a few, though it permits them.
    if (!many_fail) {
      std::erase_if(all_, [](const Weighed& each) { return each.candidate.is_everywhere; });
      std::erase_if(tried, &Candidate::is_everywhere);
    }
    const bool is_much = operation::work_of(value.operation, kMostHeld) > kMostHeld;
    if (all_.empty() && weighed_.size() > 1 && (held == Held::All || !is_much)) weigh_pairs(tried);
    if (held == Held::Some && (is_much || elements > kSomeHeld)) {
      hold(some());
      return;
    }
    hold_all();
  }

  std::vector<Hint> ranked() && {
    std::ranges::stable_sort(all_, {}, [](const Weighed& each) {
      // "scalars" is a word for two of others.
      const bool is_several = each.candidate.fields.front().first == "scalars";
      return std::tuple(each.candidate.words, !each.candidate.is_usual, each.breadth, is_several);
    });
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].line = line_of(i);
    std::ranges::stable_sort(all_, {},
                             [](const Weighed& each) { return std::pair(each.line, narrowed(each.candidate).how); });
    std::vector<Hint> hints;
    for (const Weighed& each : all_) hints.push_back({text_of(each.candidate), each.line, each.is_pair});
    return hints;
  }
  std::vector<std::string> disproved() && { return std::move(disproved_); }

 private:
  [[nodiscard]] std::uint64_t word_at(const OutputElement& place) const {
    return part_.observed[place.output].get(place.element);
  }
  [[nodiscard]] Permitted permitted(const Oracle& oracle, const OutputElement& place) const {
    return oracle.permitted(place.element, place.output, std::span(part_.observed).first(place.output));
  }
  /// Whether that set permits what is there, and rejects garbage.
  [[nodiscard]] bool explains(const Permitted& set, const OutputElement& place) const {
    return !set.vacuous && set.contains(word_at(place));
  }

  /// Keeps a candidate that explains every element, and notes one that does not permit some.
  void weigh(const Candidate& candidate, bool is_pair = false) {
    const auto oracle = Oracle::make(part_.value, candidate.contract);
    if (!oracle) return;
    Weighed result{.candidate = candidate, .is_pair = is_pair};
    bool rejects = true;
    for (const OutputElement& place : weighed_) {
      const Permitted set = permitted(*oracle, place);
      if (!set.contains(word_at(place))) return disprove(result);
      rejects = rejects && !set.vacuous;
      result.breadth += std::log2(counted(set, result.shape));
      result.shape.push_back(0);
    }
    if (rejects) all_.push_back(std::move(result));
  }
  void disprove(const Weighed& weighed) {
    if (!weighed.is_pair) disproved_.push_back(text_of(weighed.candidate));
  }
  /// Leaves the candidates that hold, and disproves the others.
  template <typename Holds>
  void keep(Holds&& holds) {
    std::erase_if(all_, [&](const Weighed& each) {
      if (holds(each.candidate)) return false;
      disprove(each);
      return true;
    });
  }

  /// Weighs pairs of candidates of which each explains one of the first elements that the other does not.
  void weigh_pairs(const std::vector<Candidate>& tried) {
    const auto firsts = weighed_.first(std::min(kCompared, weighed_.size()));
    std::vector<std::pair<const Candidate*, unsigned>> some;
    for (const Candidate& each : tried) {
      const auto oracle = Oracle::make(part_.value, each.contract);
      if (!oracle || each.words > 1) continue;
      unsigned explained = 0;
      for (std::size_t i = 0; i < firsts.size(); ++i) {
        if (explains(permitted(*oracle, firsts[i]), firsts[i])) explained |= 1U << i;
      }
      if (explained != 0) some.emplace_back(&each, explained);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t j = i + 1; j < some.size(); ++j) {
        const auto& [one, by_one] = some[i];
        const auto& [other, by_other] = some[j];
        if ((by_one | by_other) != (1U << firsts.size()) - 1 || by_one == by_other) continue;
        const Candidate pair = both(*one, *other);
        if (contract::validate(pair.contract)) weigh(pair, true);
      }
    }
  }

  /// Leaves those that permit every element.
  void hold_all() {
    keep([&](const Candidate& each) {
      return Oracle::make(value_, each.contract)->look(observed_, {.worst = 0, .lists = false, .stops = true}).failed ==
             0;
    });
  }
  /// Leaves those that permit these elements.
  void hold(std::span<const OutputElement> elements) {
    if (all_.empty()) return;
    const Part part(value_, observed_, elements);
    keep([&](const Candidate& each) {
      const auto oracle = Oracle::make(part.value, each.contract);
      return std::ranges::all_of(part.elements, [&](const OutputElement& place) {
        return oracle->permitted(place.element, place.output, std::span(part.observed).first(place.output))
            .contains(part.observed[place.output].get(place.element));
      });
    });
  }
  /// Some failing elements and some of all that count, evenly spread.
  [[nodiscard]] std::vector<OutputElement> some() const {
    std::vector<OutputElement> result;
    const auto failing = static_cast<std::int64_t>(failing_.size());
    for (std::int64_t i = 0; i < kSomeHeld / 2; ++i) {
      result.push_back(failing_[static_cast<std::size_t>(i * failing / (kSomeHeld / 2))]);
    }
    const std::vector<operation::TensorSpec> specs = operation::output_specs(value_.operation);
    for (std::size_t o = 0; o < observed_.size(); ++o) {
      const operation::Counted counted(value_, specs[o].name);
      for (std::int64_t i = 0; i < kSomeHeld / 2; ++i) {
        const std::int64_t element = i * observed_[o].element_count() / (kSomeHeld / 2);
        if (counted.all() || counted.holds(element)) result.push_back({o, element});
      }
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  /// The line of one before it that permits the same, or narrows the sum to the same format; else a new one.
  [[nodiscard]] int line_of(std::size_t index) const {
    const Weighed& each = all_[index];
    const Narrowed sum = narrowed(each.candidate);
    int next = 0;
    for (std::size_t i = 0; i < index; ++i) {
      const Weighed& other = all_[i];
      const bool permits_same = other.candidate.words == each.candidate.words && other.shape == each.shape;
      const bool narrows_same = !sum.format.empty() && narrowed(other.candidate).format == sum.format;
      if (permits_same || narrows_same) return other.line;
      next = std::max(next, other.line + 1);
    }
    return next;
  }

  const operation::Case& value_;
  std::span<const tensor::Tensor> observed_;
  std::span<const OutputElement> failing_;
  Part part_;
  std::span<const OutputElement> weighed_;  ///< the first of them, in the part
  std::vector<Weighed> all_;
  std::vector<std::string> disproved_;
};

}  // namespace

std::vector<Hint> hints(const operation::Case& value, const Contract& contract,
                        std::span<const tensor::Tensor> observed, std::span<const OutputElement> failing, Held held,
                        std::vector<std::string>* disproved) {
  if (failing.empty() || operation::work_of(value.operation, kMostHinted) > kMostHinted) return {};
  Weighing weighing(value, contract, observed, failing, held);
  std::vector<Hint> result = std::move(weighing).ranked();
  if (disproved != nullptr) *disproved = std::move(weighing).disproved();
  return result;
}

}  // namespace negzero::judgement
