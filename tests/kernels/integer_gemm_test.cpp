// Kernels of integer products: exact modulo 2^32, or clamped, over the whole range of each format.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

using number::FormatId;
using ::testing::ElementsAreArray;

std::vector<const kernel::Kernel*> integer_gemms() {
  std::vector<const kernel::Kernel*> all = kernels_like("*");
  std::erase_if(all, [](const kernel::Kernel* kernel) {
    return kernel->operation != "gemm" || !number::format(kernel->contract.accumulate).is_integer() ||
           kernel->name.starts_with("faulty.");
  });
  return all;
}

/// Any number of a format, its ends often.
double number_of(FormatId id, std::int64_t i, std::int64_t j, std::int64_t k) {
  const number::Format& format = number::format(id);
  std::uint64_t mixed = static_cast<std::uint64_t>((i * 131 + j) * 137 + k) * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 29;
  if (mixed % 5 == 0) return number::to_double(format, number::max_finite(format, (mixed >> 8) % 2 == 0));
  return number::to_double(format, (mixed >> 16) & format.word_mask());
}

std::int64_t clamped(std::int64_t value) {
  return std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max());
}

/// What the kernel gives, by numbers of 64 bits.
std::vector<double> expected_integers(const Gemm& gemm, bool wraps) {
  std::vector<double> all;
  for (std::int64_t at = 0; at < gemm.batch * gemm.m * gemm.n; ++at) {
    const std::int64_t b = at / (gemm.m * gemm.n), i = at / gemm.n % gemm.m, j = at % gemm.n;
    const auto alpha = static_cast<std::int64_t>(gemm.alpha), beta = static_cast<std::int64_t>(gemm.beta);
    const std::int64_t c = beta == 0 ? 0 : beta * static_cast<std::int64_t>(gemm.c(b, i, j));
    std::int64_t clamps = 0;
    std::uint32_t modulo = 0;
    for (std::int64_t k = 0; alpha != 0 && k < gemm.k; ++k) {
      const std::int64_t product =
          static_cast<std::int64_t>(gemm.a(b, i, k)) * static_cast<std::int64_t>(gemm.b(b, k, j));
      clamps = clamped(clamps + product);
      modulo += static_cast<std::uint32_t>(product);
    }
    modulo = modulo * static_cast<std::uint32_t>(alpha) + static_cast<std::uint32_t>(c);
    clamps = clamped(clamped(clamps * alpha) + clamped(c));
    all.push_back(static_cast<double>(wraps ? static_cast<std::int32_t>(modulo) : clamps));
  }
  return all;
}

class IntegerGemmKernel : public ::testing::TestWithParam<const kernel::Kernel*> {
 protected:
  [[nodiscard]] Gemm integers(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) const {
    const std::vector<FormatId>& formats = GetParam()->limits.formats.front();
    return {.batch = batch,
            .m = m,
            .n = n,
            .k = k,
            .a = [id = formats[0]](auto b, auto i, auto j) { return number_of(id, b, i, j); },
            .b = [id = formats[1]](auto b, auto i, auto j) { return number_of(id, b + 7, j, i); },
            .c = [](auto b, auto i, auto j) { return number_of(FormatId::I32, b + 3, i, j); }};
  }
  void expect_exact(const Gemm& gemm) const {
    const bool wraps = GetParam()->contract.integer_overflow == contract::IntegerOverflow::Wrap;
    for (const How& how : runs()) {
      const Output output = run(*GetParam(), gemm, how);
      ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok) << output.report.message;
      ASSERT_TRUE(output.surroundings_intact);
      ASSERT_THAT(output.values, ElementsAreArray(expected_integers(gemm, wraps)))
          << gemm.batch << " x " << gemm.m << " x " << gemm.n << " x " << gemm.k << ", alpha " << gemm.alpha
          << ", beta " << gemm.beta;
    }
  }
};

TEST_P(IntegerGemmKernel, IsExactOverTheWholeRange) {
  for (const Lie lie : {Lie::Packed, Lie::Padded, Lie::Transposed}) {
    for (const auto& [batch, m, n, k] : {std::array{1, 1, 1, 1},
                                         {1, 2, 3, 4},
                                         {2, 9, 8, 16},
                                         {3, 5, 6, 19},
                                         {1, 3, 1, 7},
                                         {2, 2, 3, 0},
                                         {1, 0, 2, 2}}) {
      for (const auto& [alpha, beta] : {std::array{1.0, 0.0}, {-1, 1}, {3, -2}, {0, 1}, {-0x1p31, -0x1p31}}) {
        Gemm gemm = integers(batch, m, n, k);
        gemm.lie = lie;
        gemm.alpha = alpha;
        gemm.beta = beta;
        expect_exact(gemm);
      }
    }
  }
}

TEST_P(IntegerGemmKernel, ReadsNothingThatDoesNotMatter) {
  Gemm gemm = integers(1, 3, 4, 5);
  gemm.c = {};
  expect_exact(gemm);
  gemm = integers(1, 3, 4, 5);
  gemm.alpha = 0;
  gemm.beta = 1;
  const std::vector<double> scaled = expected_integers(gemm, true);
  gemm.a = gemm.b = {};
  EXPECT_THAT(run(*GetParam(), gemm).values, ElementsAreArray(scaled));
}

INSTANTIATE_TEST_SUITE_P(Shipped, IntegerGemmKernel, ::testing::ValuesIn(integer_gemms()), test_name);

TEST(Faults, G27ClampsPairsToSixteenBits) {
  const auto always = [](double value) { return [value](auto, auto, auto) { return value; }; };
  const Gemm gemm{.k = 2, .a = always(255), .b = always(127)};
  EXPECT_THAT(run(kernel_named("faulty.G27.pairs_in_sixteen_bits"), gemm).values, ::testing::ElementsAre(32767));
  EXPECT_THAT(run(kernel_named("twin.G27.pairs_in_32_bits"), gemm).values, ::testing::ElementsAre(64770));
}

}  // namespace
}  // namespace negzero::kernels_test
