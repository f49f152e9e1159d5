// Operations that a callee may compute.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include <negzero/measure/observation.hpp>

namespace negzero::measure {

/// One operation on the pointers of a callee.
struct Candidate {
  std::string says{};    ///< for a person: "reduce.sum", "a softmax"
  double tolerance = 0;  ///< of an element, over the largest magnitude of the output
  /// The elements of the output.
  std::function<std::vector<double>(const Observation&)> expected{};
  /// The declaration of a kernel of that name, and of its reference where it has one.
  std::function<std::string(const Measured& measured, const std::string& name)> text{};
};

/// The candidates for what is known of a callee with one output: those whose tensors have its lengths.
[[nodiscard]] std::vector<Candidate> candidates_of(const Measured& measured);

// By kind of operation.
void add_reductions(const Measured& measured, std::vector<Candidate>& candidates);
void add_products(const Measured& measured, std::vector<Candidate>& candidates);
void add_maps(const Measured& measured, std::vector<Candidate>& candidates);
void add_moves(const Measured& measured, std::vector<Candidate>& candidates);
void add_several(const Measured& measured, std::vector<Candidate>& candidates);

}  // namespace negzero::measure
