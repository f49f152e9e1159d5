// Sums of a kernel, run on cases that hold placements.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/order/kernel_cases.hpp>
#include <negzero/order/survey.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::order {

/// Of a scan each element is a sum, of as many terms as lie up to it: one run has those of all elements, which are kept
/// for the next ones.
class KernelSource final : public Source {
 public:
  /// The kernel and the executor must outlive this. `stop`: asked before each batch of runs; true ends the survey as
  /// interrupted.
  KernelSource(KernelCases cases, const kernel::Kernel& kernel, run::Executor& executor,
               std::function<bool()> stop = {})
      : cases_(std::move(cases)), kernel_(kernel), executor_(executor), stop_(std::move(stop)) {}

  [[nodiscard]] const KernelCases& cases() const { return cases_; }
  [[nodiscard]] const Formats& formats() const override { return cases_.formats(); }
  /// Of a scan of up to kMostElements all elements with two terms or more, else some of them.
  [[nodiscard]] std::vector<std::int64_t> sums_of(std::int64_t length) const override;
  /// Errors: a run that failed, or was interrupted.
  [[nodiscard]] base::Result<std::vector<double>> sums(std::int64_t length, std::int64_t terms, const Scale& scale,
                                                       unsigned variation,
                                                       std::span<const Placement> placements) override;

  static constexpr std::int64_t kMostElements = 1024;

 private:
  /// All sums of a run in which one element, or a whole scan, has the placement.
  using Line = std::vector<float>;
  /// Length, scale, variation, placement.
  using Key = std::tuple<std::int64_t, int, int, unsigned, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  /// Runs the kernel; one line a placement.
  [[nodiscard]] base::Result<std::vector<Line>> lines(std::int64_t length, const Scale& scale, unsigned variation,
                                                      std::span<const Placement> placements);
  [[nodiscard]] base::Result<std::vector<double>> sums_of_scan(std::int64_t length, std::int64_t terms,
                                                               const Scale& scale, unsigned variation,
                                                               std::span<const Placement> placements);

  KernelCases cases_;
  const kernel::Kernel& kernel_;
  run::Executor& executor_;
  std::function<bool()> stop_;
  std::map<Key, Line> kept_{};  ///< of a scan
  std::size_t kept_count_ = 0;  ///< numbers in it
};

}  // namespace negzero::order
