// max and min are commutative, associative and idempotent: order and repetition change no bit.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, selections_ignore_order_and_repetition) {
  negzero::properties::metamorphic_holds("selections_ignore_order_and_repetition", "select_again");
}
