// Every output of every kernel is one that its contract permits.

#include <gtest/gtest.h>

#include <negzero/property/conformance.hpp>

#include "support/claim.hpp"

TEST(Property, every_output_is_permitted) {
  using namespace negzero;
  properties::holds_for_every_kernel(
      "every_output_is_permitted",
      [](const operation::Case& value, const kernel::Kernel& kernel, run::Executor& executor) {
        return property::conformance(value, kernel, executor);
      });
}
