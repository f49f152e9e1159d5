// What has several elements of one tensor for one of another: counts, means of squares, gates, pairs and colours.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <negzero/measure/candidate.hpp>
#include <negzero/measure/reference_lines.hpp>

namespace negzero::measure {
namespace {

using Values = std::vector<double>;

/// What a function is given: the inputs, and the sizes that are no extents.
struct Inputs {
  std::vector<Values> x;
  std::vector<double> fixed;
};

/// A function by its name in negzero/cuda/references.cuh. Its inputs have `in` elements for each of a count, and its
/// output has `out`; 0: one in all.
struct Several {
  const char* says;
  const char* reference;
  std::size_t inputs, fixed;
  std::int64_t in, out;
  bool is_integer;
  const char* range;
  const char* error;
  void (*value)(const Inputs& given, Values& y);
};

double silu(double x) { return x / (1 + std::exp(-x)); }
double gelu_of(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

template <double (*kGate)(double)>
void gated(const Inputs& given, Values& y) {
  const Values& x = given.x[0];
  const std::size_t half = x.size() / 2;
  for (std::size_t i = 0; i < half; ++i) y.push_back(kGate(x[i]) * x[half + i]);
}

constexpr Several kSeveral[] = {
    {"count_equal", "count_equal", 1, 1, 1, 0, true, "..", "ulps=0",
     [](const Inputs& given, Values& y) {
       y.push_back(static_cast<double>(std::ranges::count(given.x[0], given.fixed[0])));
     }},
    {"mean_squared_error", "mean_squared_error", 2, 0, 1, 0, false, "-1e9..1e9", "ulps=1 relative=1.2e-7",
     [](const Inputs& given, Values& y) {
       double sum = 0;
       for (std::size_t i = 0; i < given.x[0].size(); ++i) sum += std::pow(given.x[0][i] - given.x[1][i], 2);
       y.push_back(sum / static_cast<double>(given.x[0].size()));
     }},
    {"interleave", "interleave", 2, 0, 1, 2, false, "..", "ulps=0",
     [](const Inputs& given, Values& y) {
       for (std::size_t i = 0; i < given.x[0].size(); ++i) y.insert(y.end(), {given.x[0][i], given.x[1][i]});
     }},
    {"gray", "gray", 1, 0, 3, 1, false, "-1e30..1e30", "ulps=1 relative=5e-7",
     [](const Inputs& given, Values& y) {
       const Values& x = given.x[0];
       for (std::size_t i = 0; i + 2 < x.size(); i += 3) {
         y.push_back(0.299 * x[i] + 0.587 * x[i + 1] + 0.114 * x[i + 2]);
       }
     }},
    {"SiluMultiply", "gated<negzero::reference::SiluMultiply>", 1, 0, 2, 1, false, "-30..30", "ulps=4 relative=1e-5",
     gated<silu>},
    {"GeluMultiply", "gated<negzero::reference::GeluMultiply>", 1, 0, 2, 1, false, "-30..30", "ulps=4 relative=1e-5",
     gated<gelu_of>},
};

std::vector<std::int64_t> fixed_of(const Measured& measured) {
  std::vector<std::int64_t> result;
  for (const auto& [place, use] : measured.lengths.uses) {
    if (use.fixed) result.push_back(*use.fixed);
  }
  return result;
}

bool fits(const Several& function, const Measured& measured, const Places& inputs) {
  const std::size_t out = measured.probe.outputs.front();
  if (function.inputs != inputs.size() || function.fixed != fixed_of(measured).size()) return false;
  if (!measured.callee->places_of(Parameter::Role::Number).empty()) return false;
  if (measured.parameter(out).is_integer() != function.is_integer) return false;
  const Places& factors = measured.factors(inputs.front());
  for (const std::size_t place : inputs) {
    if (measured.lengths.of.at(place) != Length{factors, function.in}) return false;
    if (measured.parameter(place).is_integer() != function.is_integer) return false;
    if (function.is_integer && measured.parameter(place).format != measured.parameter(out).format) return false;
  }
  const Length whole = function.out == 0 ? Length{} : Length{factors, function.out};
  return !factors.empty() && measured.lengths.of.at(out) == whole;
}

void add(const Measured& measured, std::vector<Candidate>& candidates, const Several& function, const Places& inputs) {
  Candidate result{.says = function.says, .tolerance = 1e-4};
  result.expected = [function, inputs, fixed = fixed_of(measured)](const Observation& each) {
    Inputs given{.x = {}, .fixed = {fixed.begin(), fixed.end()}};
    for (const std::size_t place : inputs) given.x.push_back(each.given.contents.at(place));
    Values y;
    function.value(given, y);
    return y;
  };
  result.text = [function, inputs](const Measured& seen, const std::string& name) {
    ReferenceLines lines(seen, name, inputs);
    std::string sizes = lines.product(inputs.front());
    for (const std::int64_t each : fixed_of(seen)) sizes += fmt::format(", {}", each);
    return lines.text(function.reference, sizes, function.range, function.error);
  };
  candidates.push_back(std::move(result));
}

}  // namespace

void add_several(const Measured& measured, std::vector<Candidate>& candidates) {
  const Probe& probe = measured.probe;
  if (probe.treatment == Treatment::InPlace || probe.inputs.empty()) return;
  for (const Several& each : kSeveral) {
    if (!fits(each, measured, probe.inputs)) continue;
    add(measured, candidates, each, probe.inputs);
    if (each.inputs == 2) add(measured, candidates, each, {probe.inputs[1], probe.inputs[0]});
  }
}

}  // namespace negzero::measure
