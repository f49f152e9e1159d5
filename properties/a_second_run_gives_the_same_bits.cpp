// A kernel that promises run-to-run determinism gives the same bits whatever the order of its threads.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, a_second_run_gives_the_same_bits) {
  negzero::properties::metamorphic_holds("a_second_run_gives_the_same_bits", "run_twice");
}
