// Which cases are watched where nobody asked for this one: small ones, whatever their extents multiply to.

#include <gtest/gtest.h>

#include <negzero/run/watched_size.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::run {
namespace {

using operation::Gemm;
using operation::Reduce;
using operation::Scatter;

TEST(WatchedSize, CountsProductsElementsAndUpdates) {
  EXPECT_TRUE(is_small_enough_to_watch(Gemm{.m = 32, .n = 32, .k = 32}));
  EXPECT_FALSE(is_small_enough_to_watch(Gemm{.m = 32, .n = 32, .k = 33}));
  EXPECT_FALSE(is_small_enough_to_watch(Gemm{.batch = 2, .m = 32, .n = 32, .k = 32}));
  EXPECT_FALSE(is_small_enough_to_watch(Gemm{.m = 65536, .n = 1, .k = 0}));
  EXPECT_TRUE(is_small_enough_to_watch(Reduce{.rows = 1, .columns = 32768}));
  EXPECT_FALSE(is_small_enough_to_watch(Reduce{.rows = 32769, .columns = 0}));
  EXPECT_TRUE(is_small_enough_to_watch(Scatter{.updates = 32768, .destinations = 1}));
  EXPECT_FALSE(is_small_enough_to_watch(Scatter{.updates = 1, .destinations = 32769}));
}

TEST(WatchedSize, DoesNotOverflow) {
  constexpr std::int64_t kMost = tensor::kMaxElements;
  EXPECT_FALSE(is_small_enough_to_watch(Gemm{.batch = kMost, .m = kMost, .n = kMost, .k = kMost}));
}

}  // namespace
}  // namespace negzero::run
