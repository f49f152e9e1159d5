// Functions of single elements.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/measure/candidate.hpp>
#include <negzero/measure/lines.hpp>
#include <negzero/measure/reference_lines.hpp>

namespace negzero::measure {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

/// A function of `pointers` elements and `numbers` scalars, by its name in negzero/cuda/references.cuh.
struct Function {
  const char* name;
  std::size_t pointers, numbers;
  bool is_rounded;  ///< by exponentials or twice, so that values are bounded and an error is permitted
  double (*value)(const double* x);
  const char *first = "", *second = "";  ///< values of the scalars, where not all are in its domain
};

constexpr Function kFunctions[] = {
    {"Copy", 1, 0, false, [](const double* x) { return x[0]; }},
    {"Negate", 1, 0, false, [](const double* x) { return -x[0]; }},
    {"Abs", 1, 0, false, [](const double* x) { return std::abs(x[0]); }},
    {"Square", 1, 0, false, [](const double* x) { return x[0] * x[0]; }},
    {"Relu", 1, 0, false, [](const double* x) { return std::max(x[0], 0.0); }},
    {"LeakyRelu", 1, 0, false, [](const double* x) { return x[0] > 0 ? x[0] : 0.01 * x[0]; }},
    {"LeakyRelu", 1, 1, false, [](const double* x) { return x[0] > 0 ? x[0] : x[1] * x[0]; }},
    {"Clip", 1, 2, false, [](const double* x) { return std::max(x[1], std::min(x[0], x[2])); }, "..0", "0.."},
    {"Scale", 1, 1, false, [](const double* x) { return x[0] * x[1]; }},
    {"Sigmoid", 1, 0, true, [](const double* x) { return sigmoid(x[0]); }},
    {"Tanh", 1, 0, true, [](const double* x) { return std::tanh(x[0]); }},
    {"Exp", 1, 0, true, [](const double* x) { return std::exp(x[0]); }},
    {"Silu", 1, 0, true, [](const double* x) { return x[0] * sigmoid(x[0]); }},
    {"Gelu", 1, 0, true, [](const double* x) { return gelu(x[0]); }},
    {"GeluByTanh", 1, 0, true,
     [](const double* x) {
       return x[0] / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x[0] + 0.044715 * std::pow(x[0], 3))));
     }},
    {"Axpy", 2, 1, true, [](const double* x) { return x[2] * x[0] + x[1]; }},
    {"Add", 2, 0, false, [](const double* x) { return x[0] + x[1]; }},
    {"Subtract", 2, 0, false, [](const double* x) { return x[0] - x[1]; }},
    {"Multiply", 2, 0, false, [](const double* x) { return x[0] * x[1]; }},
    {"Maximum", 2, 0, false, [](const double* x) { return std::max(x[0], x[1]); }},
    {"Minimum", 2, 0, false, [](const double* x) { return std::min(x[0], x[1]); }},
    {"SiluMultiply", 2, 0, true, [](const double* x) { return x[0] * sigmoid(x[0]) * x[1]; }},
    {"GeluMultiply", 2, 0, true, [](const double* x) { return gelu(x[0]) * x[1]; }},
};

void add(const Measured& measured, std::vector<Candidate>& candidates, const Function& function,
         const std::vector<std::size_t>& inputs) {
  const std::vector<std::size_t> numbers = measured.callee->places_of(Parameter::Role::Number);
  Candidate result{.says = function.name, .tolerance = function.is_rounded ? 1e-4 : 1e-6};
  result.expected = [=](const Observation& each) {
    std::vector<double> values;
    for (std::size_t i = 0; i < each.given.contents.at(inputs.front()).size(); ++i) {
      std::vector<double> x;
      for (const std::size_t place : inputs) x.push_back(each.given.contents.at(place)[i]);
      for (const std::size_t place : numbers) x.push_back(each.given.numbers.at(place));
      values.push_back(function.value(x.data()));
    }
    return values;
  };
  result.text = [function, inputs](const Measured& seen, const std::string& name) {
    ReferenceLines lines(seen, name, inputs);
    const std::string call = fmt::format("map<negzero::reference::{}>", function.name);
    return lines.text(call, lines.count(), function.is_rounded ? "-30..30" : "..",
                      function.is_rounded ? "ulps=4 relative=1e-5" : "ulps=1", {function.first, function.second});
  };
  candidates.push_back(std::move(result));
}

}  // namespace

void add_maps(const Measured& measured, std::vector<Candidate>& candidates) {
  const Probe& probe = measured.probe;
  const std::vector<std::size_t> inputs = probe.read();
  const std::size_t numbers = measured.callee->places_of(Parameter::Role::Number).size();
  for (const std::size_t place : inputs) {
    const bool is_integer = measured.parameter(place).is_integer();
    if (is_integer || measured.factors(place) != measured.factors(probe.outputs.front())) return;
  }
  // What is added to memory that holds zeros is no function of single elements.
  if (probe.treatment == Treatment::Zeroed || inputs.empty() || measured.factors(probe.outputs.front()).empty()) return;
  for (const Function& each : kFunctions) {
    if (each.pointers != inputs.size() || each.numbers != numbers) continue;
    add(measured, candidates, each, inputs);
    if (inputs.size() == 2) add(measured, candidates, each, {inputs[1], inputs[0]});
  }
}

}  // namespace negzero::measure
