// Compares what was seen with what each candidate expects.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <negzero/measure/candidate.hpp>
#include <negzero/measure/conclusion.hpp>
#include <negzero/measure/reference_lines.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;

/// The first element that differs from what is expected by more than the tolerance; nothing: all agree.
std::optional<std::size_t> difference(const std::vector<double>& seen, const std::vector<double>& expected,
                                      double tolerance) {
  double most = 0;
  for (const double each : expected) most = std::max(most, std::abs(each));
  if (seen.size() != expected.size()) return 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!(std::abs(seen[i] - expected[i]) <= tolerance * most)) return i;
  }
  return std::nullopt;
}

/// A candidate and the runs that agree with it.
struct Agreement {
  Candidate candidate{};
  std::size_t runs = 0;
  std::string other{};  ///< one that does not
};

/// Numbers of 16 bits have fewer of them.
double tolerance_of(const Candidate& candidate, const Measured& measured) {
  const std::string& format = measured.callee->parameters[measured.probe.outputs.front()].format;
  return format == "F16" || format == "BF16" ? std::max(candidate.tolerance, 0.02) : candidate.tolerance;
}

std::string sizes_text(const Observation& each, const Callee& callee) {
  std::string text;
  for (const auto& [place, size] : each.given.sizes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", callee.parameters[place].name, size);
  }
  return text;
}

Agreement agreement_of(Candidate candidate, const Measured& measured, std::span<const Observation> observations) {
  Agreement result{.candidate = std::move(candidate)};
  const std::size_t out = measured.probe.outputs.front();
  for (const Observation& each : observations) {
    if (each.seen.kind != Seen::Kind::Ran) {
      result.other = each.seen.why;
      continue;
    }
    const std::vector<double>& seen = each.seen.outputs.at(out);
    const std::vector<double> expected = result.candidate.expected(each);
    const auto at = difference(seen, expected, tolerance_of(result.candidate, measured));
    if (!at) {
      ++result.runs;
    } else {
      result.other = fmt::format("with {} it gives {}[{}] = {:g} instead of {:g}", sizes_text(each, *measured.callee),
                                 measured.callee->parameters[out].name, *at, seen.empty() ? 0 : seen[*at],
                                 expected.empty() ? 0 : expected[*at]);
    }
  }
  return result;
}

/// A message in which the names of a probe's tensors are those of its parameters.
std::string in_own_names(std::string text, const Callee& callee) {
  for (const std::size_t place : callee.places_of(Role::Pointer)) {
    for (const char* const end : {" ", "["}) {
      const std::string name = fmt::format(" p{}{}", place, end);
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, name.size(), fmt::format(" {}{}", callee.parameters[place].name, end));
      }
    }
  }
  return text;
}

/// How much is known of a probe: more is better.
struct Known {
  Measured measured{};
  Agreement agreement{};
};

bool is_all(const Known& known) { return known.agreement.runs == known.measured.observations.size(); }
bool has_run(const Known& known) {
  return std::ranges::any_of(known.measured.observations,
                             [](const Observation& each) { return each.seen.kind == Seen::Kind::Ran; });
}

/// Why no line can say the lengths of a callee; empty: one can.
std::string unsaid(const Measured& measured) {
  for (const auto& [place, length] : measured.lengths.of) {
    const std::string& name = measured.parameter(place).name;
    if (!length.is_product()) return fmt::format("{} has {} elements, which no line can say", name, length.words);
    if (length.factors.size() + (length.times > 1 ? 1 : 0) > notation::kMostDimensions) {
      return fmt::format("{} has more than {} dimensions, which no line can say", name, notation::kMostDimensions);
    }
  }
  return "";
}

}  // namespace

std::vector<Candidate> candidates_of(const Measured& measured) {
  std::vector<Candidate> result;
  if (measured.probe.outputs.size() != 1) return result;
  if (!unsaid(measured).empty()) return result;
  add_several(measured, result);
  const auto is_plain = [](const auto& each) { return each.second.times == 1; };
  if (!std::ranges::all_of(measured.lengths.of, is_plain)) return result;
  add_reductions(measured, result);
  add_products(measured, result);
  add_maps(measured, result);
  add_moves(measured, result);
  return result;
}

namespace {

/// The probe of which most is known; nothing: `why` says why.
std::optional<Known> best_of(Prober& prober, const Callee& callee, std::span<const Probe> probes, std::string& why) {
  std::optional<Known> best;
  // What a launch reads and writes does not depend on what its pointers are taken for.
  std::map<std::string, Lengths> known_lengths;
  for (const Probe& probe : probes) {
    std::string why_not;
    auto found = known_lengths.find(probe.launch);
    if (found == known_lengths.end()) {
      const auto lengths = measured_lengths(prober, probe, callee, why_not);
      if (!lengths) {
        // What an output holds before is read by what updates it: another probe says more.
        if (why.empty() || why.starts_with("uninitialised")) why = why_not;
        continue;
      }
      found = known_lengths.emplace(probe.launch, *lengths).first;
    }
    Known known{.measured = {.callee = &callee, .probe = probe, .lengths = found->second}};
    known.measured.observations = observe(prober, probe, callee, found->second);
    // Zeros must not hide what an output held before.
    const auto in_place = std::ranges::find_if(probes, [&](const Probe& other) {
      return other.launch == probe.launch && other.treatment == Treatment::InPlace;
    });
    const bool hides = probe.treatment == Treatment::Zeroed && in_place != probes.end() &&
                       !only_adds(prober, probe, *in_place, callee, found->second);
    if (hides) continue;
    for (Candidate& each : candidates_of(known.measured)) {
      Agreement agreement = agreement_of(std::move(each), known.measured, known.measured.observations);
      if (agreement.runs > known.agreement.runs) known.agreement = std::move(agreement);
    }
    const bool is_better = !best || known.agreement.runs > best->agreement.runs ||
                           (best->agreement.runs == 0 && has_run(known) && !has_run(*best));
    if (is_better) best = std::move(known);
    if (best->agreement.runs > 0 && is_all(*best)) break;
  }
  return best;
}

/// What the sizes are that are no extents: "; M is 2 * m, K is 3 in each case".
std::string uses_text(const Measured& measured) {
  std::string text;
  for (const auto& [place, use] : measured.lengths.uses) {
    const std::string& name = measured.parameter(place).name;
    text += use.fixed ? fmt::format("; {} is {} in each case", name, *use.fixed)
                      : fmt::format("; {} is a multiple of {}", name, use.times);
  }
  return text;
}

}  // namespace

Conclusion conclude(Prober& prober, const Callee& callee, std::span<const Probe> probes, const std::string& name) {
  Conclusion result;
  std::string why;
  auto best = best_of(prober, callee, probes, why);
  if (!best) {
    result.comment = "not measured: " + in_own_names(std::move(why), callee);
    return result;
  }
  why.clear();
  Measured& measured = best->measured;
  if (const std::string not_said = unsaid(measured); !not_said.empty()) {
    result.comment = "measured: " + not_said;
    return result;
  }
  measured.reads = reads_at_zero(prober, measured.probe, callee, measured.lengths);
  measured.flushes = flushes_subnormals(prober, measured.probe, callee, measured.lengths);
  measured.ranges = measured_ranges(prober, measured.probe, callee, measured.lengths);
  if (callee.is_kernel()) result.guessed.emplace_back("launch");
  const auto large = observe_large(prober, measured.probe, callee, measured.lengths, measured.ranges);
  // A grid or a block that small sizes fit into: what is read or written is another thing at large ones.
  for (const Observation& each : large) {
    if (each.seen.kind == Seen::Kind::Ran || each.seen.kind == Seen::Kind::Failed) continue;
    result.guessed.emplace_back("limits");
    why = fmt::format("; with {}: {}", sizes_text(each, callee), in_own_names(each.seen.why, callee));
    break;
  }
  const std::size_t runs = measured.observations.size();
  if (2 * best->agreement.runs >= runs) {
    const Candidate& candidate = best->agreement.candidate;
    const Agreement at_large = agreement_of(candidate, measured, large);
    const bool is_measured = is_all(*best) && at_large.runs == large.size();
    result.comment = fmt::format("{}: {} agrees with {} of {} runs", is_measured ? "measured" : "guessed",
                                 candidate.says, best->agreement.runs, runs);
    if (!is_measured) {
      result.comment += "; " + (is_all(*best) ? at_large.other : best->agreement.other);
      result.guessed.emplace_back("operation");
    }
    result.text = candidate.text(measured, name);
  } else {
    result.comment = "measured: what is read and written; no known operation gives these results";
    result.text = ReferenceLines(measured, name, measured.probe.read()).without_reference();
  }
  result.comment += uses_text(measured) + why;
  return result;
}

}  // namespace negzero::measure
