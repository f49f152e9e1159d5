// (A B)^T = B^T A^T, term by term, where the order is one ascending chain.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, the_transposed_product_is_the_product_transposed) {
  negzero::properties::metamorphic_holds("the_transposed_product_is_the_product_transposed", "transpose");
}
