// Every output of every kernel is one that its contract permits.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, every_output_is_permitted) {
  negzero::properties::holds_for_every_kernel("every_output_is_permitted", "conformance");
}
