// Each fault shows itself on one directed input, as its report says, and its twin does not.

#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

using ::testing::ElementsAre;

std::function<double(std::int64_t, std::int64_t, std::int64_t)> always(double value) {
  return [value](auto, auto, auto) { return value; };
}

TEST(Faults, A1TakesMinusZeroForLessThanMinusInfinity) {
  const Scatter scatter{.init = {-1.0, -kInf}, .x = {-0.0, -0.0}, .index = {0, 1}};
  EXPECT_THAT(run(kernel_named("faulty.A1.max_by_value_sign"), scatter).words, ElementsAre(0xbf800000u, 0xff800000u));
  EXPECT_THAT(run(kernel_named("twin.A1.max_by_sign_bit"), scatter).words, ElementsAre(0x80000000u, 0x80000000u));
}

TEST(Faults, A1IsRightOnEverythingElse) {
  const std::vector<double> values{-kInf, -2, -0x1p-149, 0.0, 0x1p-149, 3, kInf, kNan};
  for (const double old : values) {
    for (const double x : values) {
      const Scatter scatter{.init = {old}, .x = {x}, .index = {0}};
      EXPECT_EQ(run(kernel_named("faulty.A1.max_by_value_sign"), scatter).words,
                run(kernel_named("twin.A1.max_by_sign_bit"), scatter).words)
          << old << " and " << x;
    }
  }
}

TEST(Faults, A5NeverEndsOnNan) {
  const Scatter from_nan{.init = {kNan}, .x = {1.0}, .index = {0}};
  EXPECT_EQ(run(kernel_named("faulty.A5.cas_compares_floats"), from_nan).report.status, engine::LaunchStatus::Hang);
  const Output twin = run(kernel_named("twin.A5.cas_compares_bits"), from_nan);
  EXPECT_EQ(twin.report.status, engine::LaunchStatus::Ok);
  EXPECT_TRUE(std::isnan(twin.values[0]));
  const Scatter numbers{.init = {1.0}, .x = {2.0, 3.0}, .index = {0, 0}};
  EXPECT_EQ(run(kernel_named("faulty.A5.cas_compares_floats"), numbers).values[0], 6.0);
}

TEST(Faults, G1LetsNanOutOfC) {
  const Gemm gemm{.a = always(2), .b = always(3), .c = always(kNan)};
  EXPECT_TRUE(std::isnan(run(kernel_named("faulty.G1.reads_c_at_beta_zero"), gemm).values[0]));
  EXPECT_EQ(run(kernel_named("twin.G1.skips_c_at_beta_zero"), gemm).values[0], 6.0);
}

TEST(Faults, G6ForgetsBetaWithoutProducts) {
  Gemm gemm{.k = 0, .a = {}, .b = {}, .c = always(5), .beta = 2};
  EXPECT_EQ(run(kernel_named("faulty.G6.forgets_beta_at_k_zero"), gemm).values[0], 5.0);
  EXPECT_EQ(run(kernel_named("twin.G6.scales_c_at_k_zero"), gemm).values[0], 10.0);
  gemm.k = 1;
  gemm.a = gemm.b = always(1);
  EXPECT_EQ(run(kernel_named("faulty.G6.forgets_beta_at_k_zero"), gemm).values[0], 11.0);
}

TEST(Faults, G8ReadsPastK) {
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    const Gemm gemm{.k = 15, .a = always(1), .b = always(1), .c = {}};
    EXPECT_NE(run(kernel_named("faulty.G8.k_tail_not_predicated"), gemm, {.poison = poison}).values[0], 15.0);
    EXPECT_EQ(run(kernel_named("twin.G8.k_tail_predicated"), gemm, {.poison = poison}).values[0], 15.0);
  }
  const Gemm whole{.k = 32, .a = always(1), .b = always(1), .c = {}};
  EXPECT_EQ(run(kernel_named("faulty.G8.k_tail_not_predicated"), whole).values[0], 32.0);
}

TEST(Faults, G8StaysInTheGuardZones) {
  // The widest row that its limits accept, and the longest read past K; the harness's zones are as wide as those of
  // run.
  const auto& faulty = kernel_named("faulty.G8.k_tail_not_predicated");
  const Gemm gemm{.m = 2, .n = faulty.limits.extents["n"].max, .k = 1, .a = always(1), .b = always(1), .c = {}};
  EXPECT_TRUE(inside_limits(faulty, gemm));
  EXPECT_LE((16 - 1) * faulty.limits.extents["n"].max * 4, 4096);
  EXPECT_TRUE(std::isnan(run(faulty, gemm).values.back()));
}

TEST(Faults, G14OverflowsAndRoundsInF16) {
  const Gemm large{.a = always(256), .b = always(256), .c = {}};
  EXPECT_EQ(run(kernel_named("faulty.G14.f16_accumulator"), large).values[0], kInf);
  EXPECT_EQ(run(kernel_named("twin.G14.f32_accumulator"), large).values[0], 65536.0);
  const Gemm fine{.k = 2, .a = [](auto, auto, auto k) { return k == 0 ? 2048.0 : 1.0; }, .b = always(1), .c = {}};
  EXPECT_EQ(run(kernel_named("faulty.G14.f16_accumulator"), fine).values[0], 2048.0);
  EXPECT_EQ(run(kernel_named("twin.G14.f32_accumulator"), fine).values[0], 2049.0);
}

TEST(Faults, G15KeepsTenFractionBits) {
  const Gemm gemm{.a = always(1 + 0x1p-11), .b = always(1), .c = {}};
  EXPECT_EQ(run(kernel_named("faulty.G15.tf32_multiplicands"), gemm).values[0], 1 + 0x1p-10);  // The tie goes away.
  EXPECT_EQ(run(kernel_named("twin.G15.f32_multiplicands"), gemm).values[0], 1 + 0x1p-11);
  for (const double special : {kInf, -kInf, 0x1p-149, 1.5}) {
    const Gemm kept{.a = always(special), .b = always(1), .c = {}};
    const double found = run(kernel_named("faulty.G15.tf32_multiplicands"), kept).values[0];
    EXPECT_EQ(found, special == 0x1p-149 ? 0.0 : special);
  }
}

TEST(Faults, G24SkipsTheRoundingOfTheFragment) {
  // 2049 has 12 bits: on its way through F16 it becomes 2048, before the state 1 joins it.
  const Gemm gemm{
      .k = 2, .a = [](auto, auto, auto k) { return k == 0 ? 2048.0 : 1.0; }, .b = always(1), .c = always(1), .beta = 1};
  EXPECT_EQ(run(kernel_named("faulty.G24.unrounded_fragment"), gemm).values[0], 2050.0);
  EXPECT_EQ(run(kernel_named("twin.G24.rounded_fragment"), gemm).values[0], 2049.0);
}

TEST(Faults, R1IsAboveMinusInfinity) {
  EXPECT_EQ(run(kernel_named("faulty.R1.flt_max_identity"), row_of({-kInf})).values[0], -double{FLT_MAX});
  EXPECT_EQ(run(kernel_named("twin.R1.infinity_identity"), row_of({-kInf})).values[0], -kInf);
  EXPECT_EQ(run(kernel_named("faulty.R1.flt_max_identity"), row_of({-kInf, -5})).values[0], -5);
}

TEST(Faults, R4LosesANanUnlessItStandsLast) {
  EXPECT_EQ(run(kernel_named("faulty.R4.nan_depends_on_order"), row_of({kNan, 1})).values[0], 1);
  EXPECT_TRUE(std::isnan(run(kernel_named("faulty.R4.nan_depends_on_order"), row_of({1, kNan})).values[0]));
  EXPECT_TRUE(std::isnan(run(kernel_named("twin.R4.nan_propagates"), row_of({kNan, 1})).values[0]));
  EXPECT_TRUE(std::isnan(run(kernel_named("twin.R4.nan_propagates"), row_of({1, kNan})).values[0]));
}

TEST(Faults, B2LeavesAnEmptyGroupAsItWas) {
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    const Gemm empty{.k = 0, .a = {}, .b = {}, .c = always(5), .beta = 2};
    EXPECT_NE(run(kernel_named("faulty.B2.empty_group_unwritten"), empty, {.poison = poison}).values[0], 10.0);
    EXPECT_EQ(run(kernel_named("twin.B2.empty_group_written"), empty, {.poison = poison}).values[0], 10.0);
  }
}

TEST(Faults, B3LetsAPaddingRowIntoItsTile) {
  const Grouped padded{.capacity = 9, .rows = {1, 9}, .a = always(2), .b = always(3)};
  const auto& faulty = kernel_named("faulty.B3.padding_row_times_zero");
  const auto& twin = kernel_named("twin.B3.padding_row_left_out");
  EXPECT_TRUE(std::isnan(run(faulty, padded, {.poison = Poison::Nan}).values[0]));
  EXPECT_EQ(run(faulty, padded, {.poison = Poison::Large}).values[0], 6.0);
  EXPECT_EQ(run(faulty, padded, {.poison = Poison::Nan}).values[9], 6.0) << "a whole tile has no padding";
  EXPECT_EQ(run(twin, padded, {.poison = Poison::Nan}).values[0], 6.0);
}

TEST(Faults, G9MultipliesThePaddingByZero) {
  const Gemm gemm{.k = 3, .a = always(1), .b = always(2), .c = {}};
  EXPECT_TRUE(std::isnan(run(kernel_named("faulty.G9.tail_times_zero"), gemm, {.poison = Poison::Nan}).values[0]));
  EXPECT_EQ(run(kernel_named("faulty.G9.tail_times_zero"), gemm, {.poison = Poison::Large}).values[0], 6.0);
  EXPECT_EQ(run(kernel_named("twin.G9.tail_left_out"), gemm, {.poison = Poison::Nan}).values[0], 6.0);
}

TEST(Faults, G10AddsSlicesThatNobodyWrote) {
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    const Gemm three{.k = 3, .a = always(1), .b = always(2), .c = {}};
    EXPECT_NE(run(kernel_named("faulty.G10.unwritten_workspace"), three, {.poison = poison}).values[0], 6.0);
    EXPECT_EQ(run(kernel_named("twin.G10.every_slice_written"), three, {.poison = poison}).values[0], 6.0);
    const Gemm four{.k = 4, .a = always(1), .b = always(2), .c = {}};
    EXPECT_EQ(run(kernel_named("faulty.G10.unwritten_workspace"), four, {.poison = poison}).values[0], 8.0);
  }
}

TEST(Faults, R10AddsLanesThatDoNotExist) {
  const std::vector<double> ones(17, 1.0);
  EXPECT_NE(run(kernel_named("faulty.R10.lanes_that_do_not_exist"), row_of(ones)).values[0], 17.0);
  EXPECT_EQ(run(kernel_named("twin.R10.whole_warps"), row_of(ones)).values[0], 17.0);
  const std::vector<double> warp(32, 1.0);
  EXPECT_EQ(run(kernel_named("faulty.R10.lanes_that_do_not_exist"), row_of(warp)).values[0], 32.0);
}

TEST(Faults, R12ReadsWhatOtherLanesHaveNotWritten) {
  const std::vector<double> ones(64, 1.0);
  EXPECT_NE(run(kernel_named("faulty.R12.no_syncwarp"), row_of(ones)).values[0], 64.0);
  EXPECT_EQ(run(kernel_named("twin.R12.syncwarp"), row_of(ones)).values[0], 64.0);
}

TEST(Faults, R13OverwritesWhatOthersStillRead) {
  EXPECT_NE(run(kernel_named("faulty.R13.shared_reused"), row_of({1, 2})).values[0], 1.0);
  EXPECT_EQ(run(kernel_named("twin.R13.shared_after_barrier"), row_of({1, 2})).values[0], 1.0);
  EXPECT_EQ(run(kernel_named("twin.R13.shared_after_barrier"), row_of({1, kNan, kNan, 2})).values[0], 1.0);
}

TEST(Faults, RightWhereNothingGoesWrong) {
  // What these three do wrong shows in no value here: a race that does not happen, a load that this machine allows.
  const Scatter apart{.init = {1, 2}, .x = {3, 4}, .index = {1, 0}};
  EXPECT_THAT(run(kernel_named("faulty.A9.read_modify_write"), apart).values, ElementsAre(5.0, 5.0));
  const Gemm gemm{.k = 9, .a = always(1), .b = always(2), .c = {}};
  EXPECT_EQ(run(kernel_named("faulty.G11.flag_without_fence"), gemm).values[0], 18.0);
  EXPECT_EQ(run(kernel_named("faulty.I3.sixteen_byte_loads"), row_of({1, 2, 3, 4})).values[0], 10.0);
}

TEST(Faults, R3StandsNowhereInARowOfMinusInfinity) {
  const Reduce row = row_of({-kInf, -kInf});
  const Output faulty = run(kernel_named("faulty.R3.sentinel_wins"), row);
  const Output twin = run(kernel_named("twin.R3.sentinel_loses"), row);
  EXPECT_EQ(faulty.values, twin.values);
  EXPECT_THAT(faulty.places, ElementsAre(0x7fffffff));
  EXPECT_THAT(twin.places, ElementsAre(0));
  EXPECT_THAT(run(kernel_named("faulty.R3.sentinel_wins"), row_of({-kInf, 1, kNan, 2})).places, ElementsAre(2));
}

TEST(Faults, Q1CutsWhatItShouldRound) {
  // A middle goes to even, what lies above it up; a NaN whose payload is in the low bits stays one.
  const Convert convert{.x = {0x3f808000, 0x3f808001, 0x7f800001, 0x3f800000}};
  EXPECT_THAT(run(kernel_named("faulty.Q1.drops_low_bits"), convert).words,
              ElementsAre(0x3f80u, 0x3f80u, 0x7f80u, 0x3f80u));
  EXPECT_THAT(run(kernel_named("twin.Q1.rounds_low_bits"), convert).words,
              ElementsAre(0x3f80u, 0x3f81u, 0x7fffu, 0x3f80u));
}

TEST(Faults, S4BeginsEachWarpAnew) {
  const Reduce ones{.columns = 70, .x = [](auto, auto) { return 1.0; }};
  const Output faulty = run(kernel_named("faulty.S4.carry_stays_in_warp"), ones);
  const Output twin = run(kernel_named("twin.S4.carry_crosses_warps"), ones);
  for (const std::size_t i : {std::size_t{0}, std::size_t{31}, std::size_t{32}, std::size_t{69}}) {
    EXPECT_EQ(faulty.values[i], static_cast<double>(i % 32 + 1));
    EXPECT_EQ(twin.values[i], static_cast<double>(i + 1));
  }
}

TEST(Faults, I4ReadsBehindTheOneMatrix) {
  const auto b = [](auto, auto row, auto column) { return static_cast<double>(1 + row + column); };
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    const Gemm gemm{.batch = 3, .m = 2, .n = 2, .k = 2, .a = always(1), .b = b, .c = {}, .shares_b = true};
    const auto faulty = run(kernel_named("faulty.I4.shared_matrix_stepped"), gemm, {.poison = poison}).values;
    const auto twin = run(kernel_named("twin.I4.shared_matrix_kept"), gemm, {.poison = poison}).values;
    EXPECT_THAT(twin, ElementsAre(3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5));
    EXPECT_EQ(faulty[0], 3) << "the first batch is right";
    for (std::size_t i = 4; i < faulty.size(); ++i) EXPECT_NE(faulty[i], twin[i]) << i;
  }
}

TEST(Faults, R24TakesNeighbouringRowsForTheBatch) {
  // Four matrices of two rows and three columns: element n of matrix b is 100 b + n.
  const Reduce batch{.rows = 6, .columns = 4, .x = [](auto row, auto b) { return 100.0 * double(b) + double(row); }};
  const auto twin = run(kernel_named("twin.R24.leading_stride_kept"), batch).values;
  EXPECT_THAT(twin, ElementsAre(600, 604, 608, 612, 616, 620));
  const auto faulty = run(kernel_named("faulty.R24.leading_stride_swapped"), batch).values;
  EXPECT_THAT(faulty, ElementsAre(206, 210, 214, 1006, 1010, 1014)) << "the rows of matrices 0 and 1, and of 2 and 3";
  const Reduce one_row{.rows = 1, .columns = 4, .x = [](auto, auto b) { return double(b); }};
  EXPECT_EQ(run(kernel_named("faulty.R24.leading_stride_swapped"), one_row).values[0], 6.0);
}

TEST(Faults, I4StaysInTheGuardZones) {
  const operation::Limits& limits = kernel_named("faulty.I4.shared_matrix_stepped").limits;
  const std::int64_t batches = limits.extents["batch"].max, elements = limits.products.at(0).max;
  EXPECT_LT((batches - 1) * elements * std::int64_t{sizeof(float)}, 4096);
}

TEST(Faults, I5WritesColumnsRightBehindEachOther) {
  const Gemm gemm{.m = 2, .n = 3, .a = always(2), .b = always(3), .c = {}, .lie = Lie::Transposed};
  const Output faulty = run(kernel_named("faulty.I5.rows_for_leading_dimension"), gemm);
  EXPECT_FALSE(faulty.surroundings_intact) << "it writes between the columns";
  const Output twin = run(kernel_named("twin.I5.leading_dimension_of_columns"), gemm);
  EXPECT_TRUE(twin.surroundings_intact);
  EXPECT_THAT(twin.values, ElementsAre(6, 6, 6, 6, 6, 6));
}

TEST(Faults, I7TakesHalvesOfIndicesForIndices) {
  const Scatter scatter{.init = {0, 0, 0, 0}, .x = {1, 10, 100}, .index = {3, 2, 1}};
  EXPECT_THAT(run(kernel_named("faulty.I7.index_read_by_halves"), scatter).values, ElementsAre(10, 0, 100, 1))
      << "the low half of the first index, its high half, the low half of the second";
  EXPECT_THAT(run(kernel_named("twin.I7.index_read_whole"), scatter).values, ElementsAre(0, 100, 10, 1));
}

TEST(Faults, I8LosesBitsOfC) {
  const Gemm gemm{.a = always(1), .b = always(1), .c = always(2049), .beta = 1};
  EXPECT_THAT(run(kernel_named("faulty.I8.addend_narrowed"), gemm).values, ElementsAre(2048));
  EXPECT_THAT(run(kernel_named("twin.I8.addend_whole"), gemm).values, ElementsAre(2050));
}

}  // namespace
}  // namespace negzero::kernels_test
