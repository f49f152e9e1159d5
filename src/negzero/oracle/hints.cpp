// Which contracts would permit an output, and in which order they are named.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/contract/fields.hpp>
#include <negzero/operation/workload.hpp>
#include <negzero/oracle/candidates.hpp>
#include <negzero/oracle/hints.hpp>

namespace negzero::oracle {
namespace {

using contract::Contract;
using verdict::Hint;

/// Failing elements that candidates are weighed on.
constexpr std::size_t kWeighed = 16;
/// Words that explain some elements and are tried two at a time; lines for people.
constexpr std::size_t kMostPaired = 8, kMostLines = 3;

/// How many words a set permits; ends of numbers and everything else that makes two sets one, into `shape`.
double counted(const Permitted& set, std::vector<std::int64_t>& shape) {
  double count = 0;
  for (const Permitted& part : set.parts) count += counted(part, shape);
  if (!set.parts.empty()) return count;
  for (const std::uint64_t word : set.only) shape.push_back(static_cast<std::int64_t>(word));
  const bool has_numbers = set.only.empty() && set.any_finite;
  if (has_numbers) {
    const bool has_zeros = set.low <= 0 && set.high >= 0;
    const std::int64_t zeros = has_zeros ? 2 * set.plus_zero + set.minus_zero : 0;
    shape.insert(shape.end(), {set.low, set.high, zeros});
    count += static_cast<double>(set.high) - static_cast<double>(set.low) + (zeros == 3 ? 2 : 1);
  }
  const bool has_infinities = set.only.empty();
  const bool plus = has_infinities && set.plus_infinity, minus = has_infinities && set.minus_infinity;
  shape.push_back(8 * static_cast<std::int64_t>(set.only.size()) + 4 * plus + 2 * minus + set.nan);
  return count + static_cast<double>(set.only.size()) + plus + minus + set.nan;
}

/// A candidate, and what it says of the failing elements.
struct Weighed {
  Candidate candidate;
  std::vector<bool> explains{};       ///< of each element that is weighed
  double breadth = 0;                 ///< the logarithm of how many results it permits there
  std::vector<std::int64_t> shape{};  ///< the same for those that permit the same there
  std::uint32_t line = 0;             ///< Hint::line

  [[nodiscard]] bool explains_all() const { return std::ranges::find(explains, false) == explains.end(); }
  [[nodiscard]] bool explains_some() const { return std::ranges::find(explains, true) != explains.end(); }
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

class Weighing {
 public:
  Weighing(const operation::Case& value, const Contract& contract, std::span<const tensor::Tensor> observed,
           std::span<const OutputElement> failing)
      : value_(value),
        observed_(observed),
        failing_(failing),
        weighed_(failing.first(std::min(kWeighed, failing.size()))) {
    std::size_t elements = 0;
    for (const tensor::Tensor& output : observed) elements += static_cast<std::size_t>(output.element_count());
    const bool many_fail = 16 * failing.size() >= elements;
    const OutputElement& first = failing.front();
    for (Candidate& each : candidates(value, contract, observed[first.output].get(first.element))) {
      if (!each.is_everywhere || many_fail) weigh(std::move(each));
    }
    if (std::ranges::none_of(all_, &Weighed::explains_all)) pair();
    std::erase_if(all_, [&](const Weighed& each) { return !each.explains_all() || !permits_all(each); });
  }

  std::vector<Hint> ranked() && {
    std::ranges::stable_sort(all_, {}, [](const Weighed& each) {
      return std::tuple(each.candidate.words, !each.candidate.is_usual, each.breadth);
    });
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].line = line_of(i);
    std::ranges::stable_sort(all_, {},
                             [](const Weighed& each) { return std::pair(each.line, narrowed(each.candidate).how); });
    std::vector<Hint> hints;
    for (const Weighed& each : all_) hints.push_back({text_of(each.candidate), each.line});
    return hints;
  }

 private:
  void weigh(Candidate candidate) {
    const auto oracle = Oracle::make(value_, candidate.contract);
    if (!oracle) return;
    Weighed result{.candidate = std::move(candidate)};
    for (const OutputElement& place : weighed_) {
      const Permitted set = oracle->permitted(place.element, place.output, observed_.first(place.output));
      const std::uint64_t word = observed_[place.output].get(place.element);
      result.explains.push_back(!set.vacuous && set.contains(word));
      result.breadth += std::log2(counted(set, result.shape));
      result.shape.push_back(0);
    }
    if (result.explains_some()) all_.push_back(std::move(result));
  }

  /// Adds pairs of candidates that explain the elements together and neither alone.
  void pair() {
    std::vector<Weighed> some = std::move(all_);
    all_.clear();
    std::ranges::stable_sort(some, {}, &Weighed::breadth);
    if (some.size() > kMostPaired) some.resize(kMostPaired);
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t j = i + 1; j < some.size(); ++j) {
        const Candidate pair = both(some[i].candidate, some[j].candidate);
        if (contract::validate(pair.contract)) weigh(pair);
      }
    }
  }

  [[nodiscard]] bool permits_all(const Weighed& each) const {
    const auto oracle = Oracle::make(value_, each.candidate.contract);
    for (const OutputElement& place : failing_.subspan(weighed_.size())) {
      const Permitted set = oracle->permitted(place.element, place.output, observed_.first(place.output));
      if (set.vacuous || !set.contains(observed_[place.output].get(place.element))) return false;
    }
    return oracle->look(observed_, {.worst = 0, .lists = false}).failed == 0;
  }

  /// The line of one before it that permits the same, or narrows the sum to the same format; else a new one.
  [[nodiscard]] std::uint32_t line_of(std::size_t index) const {
    const Weighed& each = all_[index];
    const Narrowed sum = narrowed(each.candidate);
    std::uint32_t next = 0;
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
  std::span<const OutputElement> failing_, weighed_;
  std::vector<Weighed> all_;
};

}  // namespace

namespace {

/// The fields that the words of a hint change.
std::vector<std::string_view> fields_of(std::string_view words) {
  constexpr std::string_view kAnd = " and ";
  std::vector<std::string_view> result;
  while (true) {
    result.push_back(words.substr(0, words.find(' ')));
    const std::size_t end = words.find(kAnd);
    if (end == std::string_view::npos) break;
    words.remove_prefix(end + kAnd.size());
  }
  std::ranges::sort(result);
  return result;
}

/// What people read of hints that have one line.
struct Line {
  std::uint32_t number = 0;
  std::vector<std::string> words{};
  std::vector<std::vector<std::string_view>> fields{};
};

std::string text_of(const Line& line) {
  std::string meanings;
  std::vector<std::string_view> said;
  for (const auto& fields : line.fields) {
    for (const std::string_view name : fields) {
      if (std::ranges::find(said, name) != said.end()) continue;
      said.push_back(name);
      meanings += fmt::format(" {}", std::ranges::find(contract::fields(), name, &contract::Field::name)->meaning);
    }
  }
  return fmt::format("permitted under {}: declare it if the kernel does that.{}", fmt::join(line.words, " or "),
                     meanings);
}

}  // namespace

std::vector<std::string> hint_lines(std::span<const Hint> hints) {
  std::vector<Line> lines;
  for (const Hint& hint : hints) {
    const auto fields = fields_of(hint.words);
    const bool is_loose = hint.words.ends_with(" \"either\"") || hint.words.ends_with(" \"any\"");
    // What needs no more fields than this one; in the same line fewer, or the same where this one leaves the value
    // open.
    const bool is_said = std::ranges::any_of(lines, [&](const Line& line) {
      return std::ranges::any_of(line.fields, [&](const auto& fewer) {
        const bool is_less = line.number != hint.line || fewer.size() < fields.size() || is_loose;
        return is_less && std::ranges::includes(fields, fewer);
      });
    });
    if (is_said) continue;
    if (lines.empty() || lines.back().number != hint.line) {
      if (lines.size() == kMostLines) break;
      lines.push_back({.number = hint.line});
    }
    lines.back().words.push_back(hint.words);
    lines.back().fields.push_back(fields);
  }
  std::vector<std::string> result;
  for (const Line& line : lines) result.push_back(text_of(line));
  return result;
}

std::vector<Hint> hints(const operation::Case& value, const Contract& contract,
                        std::span<const tensor::Tensor> observed, std::span<const OutputElement> failing) {
  if (failing.empty() || operation::work_of(value.operation, kMostHinted) > kMostHinted) return {};
  return Weighing(value, contract, observed, failing).ranked();
}

}  // namespace negzero::oracle
