// Larger leading dimensions and offsets change where elements lie, never what is computed.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, memory_layout_changes_no_bit) {
  negzero::properties::metamorphic_holds("memory_layout_changes_no_bit", "embed");
}
