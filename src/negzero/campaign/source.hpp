// Generated cases of one kernel: handed out by numbers, made again when one is worth keeping.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <negzero/campaign/wire.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::campaign {

/// Cases 0, 1, ... of the stream `seed` for a kernel's operation, limits and contract. They depend on nothing else.
class GeneratedCases {
 public:
  GeneratedCases(const kernel::Kernel& kernel, std::uint64_t seed, std::uint64_t cases, generate::Mix mix = {})
      : kernel_(&kernel),
        request_{kernel.operation, kernel.limits, kernel.contract, std::move(mix)},
        seed_(seed),
        cases_(cases) {}

  /// Why no case can be made: weights that make no sense, limits that no case fits.
  [[nodiscard]] base::Status validate() const { return generate::validate(request_); }

  /// The next cases that nobody has, at most `most`; nothing when all were handed out.
  [[nodiscard]] std::optional<GeneratedRange> next(std::uint64_t most) {
    if (next_ >= cases_) return std::nullopt;
    const std::uint64_t begin = std::exchange(next_, std::min(cases_, next_ + most));
    return GeneratedRange{seed_, begin, next_, request_.mix};
  }

  /// What they are drawn for.
  [[nodiscard]] const generate::Request& request() const { return request_; }
  /// Case `index`.
  [[nodiscard]] operation::Case at(std::uint64_t index) const { return generate::make_case(request_, seed_, index); }
  /// The same with the names of its kernel and contract, as it is saved.
  [[nodiscard]] operation::Case named(std::uint64_t index) const {
    operation::Case value = at(index);
    value.kernel = kernel_->name;
    value.contract = contract::to_json(kernel_->contract);
    value.contract_version = contract::kVersion;
    return value;
  }

  [[nodiscard]] std::uint64_t size() const { return cases_; }
  [[nodiscard]] const kernel::Kernel& kernel() const { return *kernel_; }

 private:
  const kernel::Kernel* kernel_;
  generate::Request request_;
  std::uint64_t seed_, cases_;
  std::uint64_t next_ = 0;
};

}  // namespace negzero::campaign
