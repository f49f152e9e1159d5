// Zeros at the end of an ascending chain add nothing.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, zeros_appended_to_k_change_nothing) {
  negzero::properties::metamorphic_holds("zeros_appended_to_k_change_nothing", "pad_k");
}
