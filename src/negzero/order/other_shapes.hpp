// Whether a kernel adds in the same order where other extents than the summed one are smaller and larger.

#pragma once

#include <functional>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/order/kernel_cases.hpp>
#include <negzero/order/survey.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::order {

/// Looks at sums of the middle length of `order` in a least and a larger shape that the kernel takes: rows alone and
/// many rows, columns likewise. Extents that were asked for stay. Nothing for scans and updates, without a tree at that
/// length, and where no other shape is taken. Errors are those of the runs.
[[nodiscard]] base::Result<std::vector<OtherShape>> in_other_shapes(const kernel::Kernel& kernel,
                                                                    run::Executor& executor, const Asked& asked,
                                                                    const Order& order,
                                                                    const std::function<bool()>& stop);

}  // namespace negzero::order
