// A batch of n gives what n batches of one give.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, a_batch_is_its_members) { negzero::properties::metamorphic_holds("a_batch_is_its_members", "batch"); }
