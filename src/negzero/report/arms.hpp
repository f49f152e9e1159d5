// What each way of making cases has paid in a search: cases that showed something new, of those that it made.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <negzero/campaign/arms.hpp>
#include <negzero/report/document.hpp>

namespace negzero::report {

struct Paid {
  std::uint64_t cases = 0, kept = 0;
};
using PaidByArm = std::map<std::string, Paid>;

/// Sums over kernels, each with `arms`. A way that made no case is left out.
template <typename Kernels>
[[nodiscard]] PaidByArm paid_by(const Kernels& kernels) {
  PaidByArm sums;
  for (const auto& kernel : kernels) {
    for (const campaign::Arm& arm : kernel.arms.all()) {
      if (arm.cases == 0) continue;
      Paid& sum = sums[arm.name];
      sum.cases += arm.cases;
      sum.kept += arm.kept;
    }
  }
  return sums;
}

/// "kept of cases made: bits 3 of 40, ..." and an end of the line; empty where there is nothing to say.
[[nodiscard]] std::string arms_text(const PaidByArm& paid);

/// The same as a part of a document, those that kept most of a thousand cases first.
[[nodiscard]] Table arms_table(const PaidByArm& paid);

}  // namespace negzero::report
