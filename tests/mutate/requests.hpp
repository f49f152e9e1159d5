// What children are asked for: the shipped kernels' requests, and those that the generator is tested with.

#pragma once

#include <string>
#include <vector>

#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>

#include "../generate/requests.hpp"

namespace negzero::mutate {

/// Every shipped kernel, faulty ones too, then generate::all_requests().
inline std::vector<generate::Request> all_requests() {
  const std::vector<std::string> everything{"*"};
  std::vector<generate::Request> all;
  for (const kernel::Kernel* kernel : kernel::registry().match(everything, kernel::Place::Host)) {
    all.push_back({kernel->operation, kernel->limits, kernel->contract, {}});
  }
  for (generate::Request& request : generate::all_requests()) all.push_back(std::move(request));
  using enum number::FormatId;
  generate::Request choice = generate::gemm_request(F16, F32, F32);
  choice.limits.formats.push_back({BF16, F16, F32});
  choice.limits.formats.push_back({F32, F32, F32});
  all.push_back(choice);
  choice = generate::reduce_request("reduce.sum", F16, F32, F32);
  choice.limits.formats.push_back({F32, F32});
  all.push_back(choice);
  choice.limits.configuration = {{"algorithm", {0, 1, 2}}, {"workspace", {4096, 0}}};
  all.push_back(choice);
  generate::Request optional;
  optional.operation = "norm: y[rows, n] <- x[rows, n], gain[n], bias?[n], lengths?[rows] <= n, residual?[rows, n]";
  all.push_back(optional);
  optional.limits.configuration = {{"algorithm", {0, 1}}};
  all.push_back(optional);
  return all;
}

/// A case of the request that is small, so that tests can afford many.
inline operation::Case small_case(const generate::Request& request, std::uint64_t seed) {
  constexpr std::int64_t kSmall = 3000;
  for (std::uint64_t index = 0;; ++index) {
    const generate::Plan plan = generate::draw(request, seed, index);
    std::int64_t elements = 0;
    for (const operation::TensorSpec& spec : operation::input_specs(plan.operation)) {
      elements += tensor::count_elements(spec.shape);
    }
    if (elements <= kSmall || index > 20) return generate::make_case(request, seed, index);
  }
}

}  // namespace negzero::mutate
