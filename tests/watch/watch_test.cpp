// The watch against kernels with one fault each: the right finding with the right lines, and none on correct kernels.

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/engine/host_code.hpp>
#include <negzero/watch/watch.hpp>

#include "../engine/schedules.hpp"
#include "watch_kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Settings;
using negzero::watch::FindingKind;
using negzero::watch::Permission;
using negzero::watch::Watch;
using negzero::watch::WatchFinding;
using testing::HasSubstr;

/// The buffers of WatchArgs between guards, under a watch.
struct Bench {
  alignas(256) float memory[5 * 512] = {};
  unsigned counter[4] = {};
  alignas(4) unsigned short halves[6] = {};
  alignas(4) unsigned short rows[18] = {};
  Watch watch;
  WatchArgs args;

  Bench() {
    float* const in = memory + 128;
    float* const out = memory + 640;
    float* const scratch = memory + 1152;
    for (int i = 0; i < 256; ++i) in[i] = static_cast<float>(i % 7);
    args = {in, out, counter, scratch, halves, rows, 256};
  }
  void begin() {
    std::memset(counter, 0, sizeof counter);
    std::memset(halves, 0, sizeof halves);
    std::memset(rows, 0, sizeof rows);
    watch.clear();
    watch.add({args.in, 1024, 4, "in"}, Permission::Read, true);
    watch.add({args.out, 1024, 4, "out"}, Permission::ReadWrite, false);
    watch.add({args.counter, sizeof counter, 4, "counter"}, Permission::ReadWrite, true);
    watch.add({args.scratch, 1024, 4, "scratch"}, Permission::ReadWrite, false);
    watch.add({args.halves, 10, 2, "halves"}, Permission::ReadWrite, true);
    const std::size_t padded = watch.add({args.rows, 34, 2, "rows"}, Permission::ReadWrite, true);
    watch.set_reason(padded, "no element lies there");
    for (const auto& [first, last] : {std::pair{0, 1}, {5, 7}, {11, 13}}) {
      watch.set(padded, 2u * static_cast<std::size_t>(first), 2u * static_cast<std::size_t>(last - first),
                Permission::None, false);
    }
  }
  Stream run(const std::string& name, int blocks, int threads, Settings settings = {}) {
    begin();
    settings.observer = &watch.observer();
    Stream stream(settings);
    EXPECT_TRUE(watched::run_watch_kernel(name.c_str(), stream, blocks, threads, args)) << name;
    return stream;
  }
};

TEST(Watch, WhatACopyOrAFillWritesIsWritten) {
  // Its thread 17 reads element 35, which no thread writes.
  const auto status_after = [](std::size_t first, std::size_t count, bool copies) {
    Bench bench;
    bench.begin();
    Settings settings;
    settings.observer = &bench.watch.observer();
    Stream stream(settings);
    auto* const scratch = reinterpret_cast<char*>(bench.args.scratch);
    const char zeros[8] = {};
    if (copies) {
      negzero::engine::copy_on_host(stream, scratch + first, zeros, count);
    } else {
      negzero::engine::fill_on_host(stream, scratch + first, 0, count);
    }
    EXPECT_TRUE(watched::run_watch_kernel("uninitialised_scratch", stream, 1, 32, bench.args));
    return stream.report().status;
  };
  for (const bool copies : {false, true}) {
    EXPECT_EQ(status_after(140, 4, copies), LaunchStatus::Ok);
    EXPECT_EQ(status_after(137, 7, copies), LaunchStatus::Ok) << "from the middle of another element on";
    EXPECT_EQ(status_after(136, 4, copies), LaunchStatus::EndedByObserver);
    EXPECT_EQ(status_after(144, 4, copies), LaunchStatus::EndedByObserver);
  }
}

TEST(Watch, ACopyOrAFillByHostCodeEndsWhereItsMemoryDoes) {
  const auto message_after = [](std::size_t first, std::size_t count, int what) {
    Bench bench;
    bench.begin();
    Settings settings;
    settings.observer = &bench.watch.observer();
    Stream stream(settings);
    auto* const scratch = reinterpret_cast<char*>(bench.args.scratch) + first;
    std::vector<char> other(count);
    if (what == 0) negzero::engine::copy_on_host(stream, scratch, other.data(), count);
    if (what == 1) negzero::engine::copy_on_host(stream, other.data(), scratch, count);
    if (what == 2) negzero::engine::fill_on_host(stream, scratch, 0, count);
    return stream.report().message;
  };
  const char* const words[] = {"a copy of 9 bytes by host code writes byte 1024 of memory of scratch",
                               "a copy of 9 bytes by host code reads", "a fill of 9 bytes by host code writes"};
  for (int what = 0; what < 3; ++what) {
    EXPECT_THAT(message_after(1016, 9, what), HasSubstr(words[what]));
    EXPECT_EQ(message_after(1016, 8, what), "");
    EXPECT_EQ(message_after(0, 1024, what), "");
  }
}

struct Row {
  const char* name;
  int blocks, threads;
  FindingKind kind;
  const char* text;  ///< part of the message
};

class Faulty : public testing::TestWithParam<Row> {};

TEST_P(Faulty, IsFoundUnderEverySchedule) {
  const Row& row = GetParam();
  Bench bench;
  for (const Settings& settings : all_schedules()) {
    const Stream stream = bench.run(row.name, row.blocks, row.threads, settings);
    SCOPED_TRACE(testing::Message() << "order " << static_cast<int>(settings.schedule.order) << " preempt "
                                    << settings.schedule.preempt << " resident " << settings.resident_blocks);
    ASSERT_EQ(stream.report().status, LaunchStatus::EndedByObserver) << row.name;
    const WatchFinding& finding = *bench.watch.finding();
    EXPECT_EQ(finding.kind, row.kind) << stream.report().message;
    EXPECT_THAT(stream.report().message, HasSubstr(row.text));
    EXPECT_THAT(finding.access.place, testing::MatchesRegex("watch_[a-z]+_kernels.cu:[0-9]+"))
        << stream.report().message;
    EXPECT_EQ(finding.other.has_value(), row.kind == FindingKind::Race);
    if (finding.other) {
      EXPECT_THAT(finding.other->place, testing::MatchesRegex("watch_[a-z]+_kernels.cu:[0-9]+"));
      // A thread's own copy is ordered with nothing that the thread does before it waits.
      EXPECT_TRUE(
          finding.access.thread != finding.other->thread || finding.access.block != finding.other->block ||
          finding.message.ends_with("a copy which its thread has not waited for, and which may land now or later"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Watch, Faulty,
    testing::Values(
        Row{"read_past", 1, 32, FindingKind::OutOfBounds, "element 256 of in (1024 bytes), past its end"},
        Row{"read_before", 1, 32, FindingKind::OutOfBounds, "element -1 of in (1024 bytes), before its start"},
        Row{"write_past", 1, 32, FindingKind::OutOfBounds, "element 256 of out (1024 bytes), past its end"},
        Row{"write_input", 1, 32, FindingKind::OutOfBounds, "of in (1024 bytes): nobody may write it"},
        Row{"read_null", 1, 1, FindingKind::OutOfBounds, "next to the null pointer"},
        Row{"read_wild", 1, 1, FindingKind::OutOfBounds, "an address in no buffer"},
        Row{"read_past_shared", 1, 32, FindingKind::OutOfBounds, "index 32 of an array of type float"},
        Row{"write_past_dynamic", 1, 32, FindingKind::OutOfBounds,
            "byte 128 of dynamic shared memory (128 bytes), past its end"},
        Row{"misaligned_vector", 1, 8, FindingKind::Misaligned, "of in (1024 bytes)"},
        Row{"half_word_read", 1, 8, FindingKind::OutOfBounds,
            "element 4 of halves (10 bytes), and on past its end by 2"},
        Row{"half_word_read_then_other", 1, 8, FindingKind::OutOfBounds, "element 4 of halves (10 bytes), and on past"},
        Row{"half_before_offset_written", 1, 8, FindingKind::OutOfBounds, "atomic of 4 bytes"},
        Row{"half_behind_row_written", 1, 8, FindingKind::OutOfBounds, "element 5 of rows (34 bytes): no element lies"},
        Row{"half_before_row_written", 1, 8, FindingKind::OutOfBounds, "element 6 of rows (34 bytes): no element lies"},
        Row{"half_past_rows_written", 1, 8, FindingKind::OutOfBounds, "element 16 of rows (34 bytes), and on past its"},
        Row{"half_before_offset_read", 1, 8, FindingKind::Forbidden, "read of 4 bytes"},
        Row{"half_behind_row_read", 1, 8, FindingKind::Forbidden, "element 5 of rows (34 bytes): no element lies"},
        Row{"half_before_row_read", 1, 8, FindingKind::Forbidden, "element 6 of rows (34 bytes): no element lies"},
        Row{"half_past_rows_read", 1, 8, FindingKind::OutOfBounds, "element 16 of rows (34 bytes), and on past its"},
        Row{"half_of_padding_alone", 1, 8, FindingKind::OutOfBounds, "atomic of 2 bytes"},
        Row{"half_word_swapped_whole", 1, 8, FindingKind::OutOfBounds, "atomic of 4 bytes"},
        Row{"half_word_added", 1, 8, FindingKind::OutOfBounds,
            "element 4 of halves (10 bytes), and on past its end by 2"},
        Row{"uninitialised_shared", 1, 32, FindingKind::Uninitialised, "element 32 of shared array cells (256 bytes)"},
        Row{"uninitialised_output", 1, 32, FindingKind::Uninitialised, "of out (1024 bytes)"},
        Row{"uninitialised_scratch", 1, 32, FindingKind::Uninitialised, "element 35 of scratch (1024 bytes)"},
        Row{"uninitialised_atomic", 1, 32, FindingKind::Uninitialised, "element 0 of scratch"},
        Row{"misaligned_half2", 1, 8, FindingKind::Misaligned, "of in (1024 bytes)"},
        Row{"misaligned_atomic", 1, 1, FindingKind::Misaligned, "of counter (16 bytes)"},
        Row{"race_shared", 1, 64, FindingKind::Race, "of shared array cells (1024 bytes)"},
        Row{"reuse_without_barrier", 1, 64, FindingKind::Race, "of shared "},
        Row{"race_global", 1, 32, FindingKind::Race, "element 0 of out"},
        Row{"race_between_blocks", 4, 32, FindingKind::Race, "of out"},
        Row{"count_and_read", 2, 32, FindingKind::Race, "element 0 of counter"},
        Row{"read_then_add", 2, 32, FindingKind::Race, "element 0 of counter"},
        Row{"compare_elsewhere", 2, 32, FindingKind::Race, "element 0 of counter"},
        Row{"compare_part", 2, 32, FindingKind::Race, "of counter"},
        Row{"compare_after_barrier", 2, 32, FindingKind::Race, "element 0 of counter"},
        Row{"compare_after_fence", 2, 32, FindingKind::Race, "element 0 of counter"},
        Row{"compare_after_shuffle", 2, 32, FindingKind::Race, "element 0 of counter"},
        Row{"early_out", 2, 32, FindingKind::Race, "element 0 of counter"},
        Row{"wait_for_plain_flag", 1, 64, FindingKind::Race, "element 0 of counter"},
        Row{"histogram_without_barrier", 1, 64, FindingKind::Race, "of shared "},
        Row{"histogram_then_clear", 1, 64, FindingKind::Race, "of shared "},
        Row{"read_modify_write", 1, 32, FindingKind::Race, "of counter"},
        Row{"overlapping_words", 1, 64, FindingKind::Race, "element 3 of scratch"},
        Row{"warp_tree_without_syncwarp", 1, 32, FindingKind::Race, "of shared "},
        Row{"wrong_mask", 1, 32, FindingKind::Race, "of shared "},
        Row{"syncwarp_between_warps", 1, 64, FindingKind::Race, "of shared "},
        Row{"readers_of_warps", 1, 64, FindingKind::Race, "of shared "},
        Row{"last_block_no_fence", 4, 32, FindingKind::Race, "of scratch"},
        Row{"last_block_no_first_fence", 4, 32, FindingKind::Race, "of scratch"},
        Row{"last_block_no_second_fence", 4, 32, FindingKind::Race, "of scratch"},
        Row{"last_block_block_fence", 4, 32, FindingKind::Race, "of scratch"},
        Row{"lock_no_fence", 4, 32, FindingKind::Race, "element 0 of scratch"},
        Row{"meets_too_early", 1, 32, FindingKind::Race, "of shared "},
        Row{"meets_too_late", 1, 32, FindingKind::Race, "of shared "},
        Row{"meets_in_halves", 1, 32, FindingKind::Race, "of shared "},
        Row{"meets_in_turn", 1, 32, FindingKind::Race, "of shared "},
        Row{"meets_and_race", 1, 32, FindingKind::Race, "element 0 of scratch"},
        Row{"third_lane_after_write", 1, 32, FindingKind::Race, "of shared "},
        Row{"third_lane_after_read", 1, 32, FindingKind::Race, "of shared "},
        Row{"third_lane_after_both", 1, 32, FindingKind::Race, "of shared "},
        Row{"count_behind_two_writes", 1, 32, FindingKind::Race, "of shared "},
        Row{"third_lane_atomic", 1, 32, FindingKind::Race, "of shared "},
        Row{"third_lane_atomic_after_read", 1, 32, FindingKind::Race, "of shared "},
        Row{"reset_by_first", 4, 32, FindingKind::Race, "element 0 of counter"},
        Row{"reset_by_bystander", 2, 64, FindingKind::Race, "element 0 of counter"},
        Row{"reset_beside_load", 4, 64, FindingKind::Race, "element 0 of counter"},
        Row{"reset_after_store", 1, 32, FindingKind::Race, "element 0 of counter"},
        Row{"reset_of_other_size", 1, 32, FindingKind::Race, "element 0 of counter"},
        Row{"race_on_variable", 1, 32, FindingKind::Race, "byte 0 of variable variable (256 bytes)"},
        Row{"fill_past", 1, 32, FindingKind::OutOfBounds, "of scratch (1024 bytes), and on past its end by 4 bytes"},
        Row{"copy_past", 1, 32, FindingKind::OutOfBounds, "of in (1024 bytes), and on past its end by 4 bytes"},
        Row{"move_past", 1, 32, FindingKind::OutOfBounds, "of in (1024 bytes), and on past its end by 4 bytes"},
        Row{"copy_race", 1, 32, FindingKind::Race, "element 7 of scratch"},
        Row{"use_of_copy", 1, 32, FindingKind::Uninitialised, "element 3 of out"},
        Row{"local_copy", 1, 32, FindingKind::Uninitialised, "element 0 of scratch"},
        Row{"member_unwritten", 1, 32, FindingKind::Uninitialised, "of shared array a (768 bytes)"},
        Row{"vector_unwritten", 1, 32, FindingKind::Uninitialised, "of shared array cells (256 bytes)"},
        Row{"variable_array_past", 1, 32, FindingKind::OutOfBounds, "index 16 of an array of type float"},
        Row{"argument_past", 1, 32, FindingKind::OutOfBounds, "index 4 of an array of type float"},
        Row{"local_array_past", 1, 32, FindingKind::OutOfBounds, "index -1 of an array of type float"},
        Row{"row_past", 1, 32, FindingKind::OutOfBounds, "index 8 of an array of type float"},
        Row{"header_unwritten_8", 1, 32, FindingKind::Uninitialised, "of shared array headers (64 bytes)"},
        Row{"header_unwritten_16", 1, 32, FindingKind::Uninitialised, "of shared array headers (128 bytes)"},
        Row{"header_unwritten_32", 1, 32, FindingKind::Uninitialised, "of shared array headers (256 bytes)"},
        Row{"both_members_8", 1, 64, FindingKind::Race, "of shared array headers (64 bytes)"},
        Row{"both_members_16", 1, 64, FindingKind::Race, "of shared array headers (128 bytes)"},
        Row{"both_members_32", 1, 64, FindingKind::Race, "of shared array headers (256 bytes)"},
        Row{"inner_element", 1, 32, FindingKind::Uninitialised, "element [1][5] of shared array tile (128 bytes)"},
        Row{"grid_exchange_no_wait", 4, 32, FindingKind::Race, "of scratch"},
        Row{"group_copy_no_wait", 1, 64, FindingKind::Race, "of shared array stage (256 bytes)"},
        Row{"group_copies_one_too_few", 1, 64, FindingKind::Uninitialised, "element [1]["},
        Row{"group_copy_past_end", 1, 64, FindingKind::OutOfBounds, "element 256 of in (1024 bytes), past its end"},
        Row{"barrier_exchange_no_wait", 1, 64, FindingKind::Race, "of shared array stage (256 bytes)"},
        Row{"barrier_copy_own_no_wait", 1, 64, FindingKind::Uninitialised, "of shared array stage (256 bytes)"},
        Row{"barrier_copy_no_wait", 1, 64, FindingKind::Race, "of shared array stage (256 bytes)"},
        Row{"pipeline_copy_one_too_few", 1, 64, FindingKind::Uninitialised, "element [1]["},
        Row{"pipeline_copy_no_sync", 1, 64, FindingKind::Race, "element [1]["},
        Row{"pipeline_ring_too_short", 1, 64, FindingKind::Race, "element [0]["},
        Row{"pipeline_store_no_wait", 1, 64, FindingKind::Race, "a copy which its thread has not waited for"},
        Row{"pipeline_misaligned", 1, 64, FindingKind::Misaligned, "of in (1024 bytes)"},
        Row{"matrix_exchange_no_wait", 1, 32, FindingKind::Race, "of scratch"},
        Row{"matrix_past_end", 1, 32, FindingKind::OutOfBounds, "of scratch (1024 bytes), past its end"},
        Row{"different_widths", 1, 32, FindingKind::Race, "byte 12 of element 2 of shared array cells"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Watch, EqualStoresEndNoLaunchAndAreKeptApart) {
  Bench bench;
  for (const Settings& settings : all_schedules()) {
    const Stream stream = bench.run("same_value", 1, 32, settings);
    ASSERT_EQ(stream.report().status, LaunchStatus::Ok) << stream.report().message;
    const auto found = bench.watch.equal_stores();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->kind, FindingKind::EqualStores);
    EXPECT_THAT(found->message, testing::AllOf(HasSubstr("data race of equal stores on "), HasSubstr("of shared "),
                                               HasSubstr(": both stored 0x00000001")));
    EXPECT_TRUE(found->other.has_value());
  }
  // A number where the type of a shared array says so.
  ASSERT_EQ(bench.run("same_number", 1, 32, Settings{}).report().status, LaunchStatus::Ok);
  ASSERT_TRUE(bench.watch.equal_stores().has_value());
  EXPECT_THAT(bench.watch.equal_stores()->message, testing::EndsWith(": both stored 3.5 (0x40600000)"));
  // A race elsewhere in the same launch ends it; so does a store of another value to that place.
  for (const char* const name : {"same_value_and_race", "same_value_but_one"}) {
    for (const Settings& settings : all_schedules()) {
      const Stream stream = bench.run(name, 1, 32, settings);
      ASSERT_EQ(stream.report().status, LaunchStatus::EndedByObserver) << name;
      EXPECT_EQ(bench.watch.finding()->kind, FindingKind::Race) << stream.report().message;
    }
  }
}

/// Lanes that have met in a warp function between their accesses.
TEST(Watch, ARaceOrderedByAShufflesValueOnlyIsAWarningAndEndsNoLaunch) {
  struct Met {
    const char* name;
    int blocks;
    std::size_t pairs;  ///< of lines
  };
  Bench bench;
  for (const Met& row :
       {Met{"shuffle_as_syncwarp", 1, 1}, Met{"vote_as_syncwarp", 1, 1}, Met{"match_as_syncwarp", 1, 1},
        Met{"reduce_as_syncwarp", 1, 1}, Met{"tile_exchange_no_wait", 4, 1}, Met{"meets_often", 1, 1},
        Met{"same_value_in_turn", 1, 1}}) {
    for (const Settings& settings : all_schedules()) {
      SCOPED_TRACE(testing::Message() << row.name << " order " << static_cast<int>(settings.schedule.order)
                                      << " preempt " << settings.schedule.preempt);
      const Stream stream = bench.run(row.name, row.blocks, 32, settings);
      ASSERT_EQ(stream.report().status, LaunchStatus::Ok) << stream.report().message;
      EXPECT_FALSE(bench.watch.equal_stores().has_value());
      EXPECT_THAT(bench.watch.warnings(), testing::IsEmpty());
      const std::vector<std::string> found = bench.watch.by_value();
      EXPECT_EQ(found.size(), row.pairs) << testing::PrintToString(found);
      EXPECT_THAT(found,
                  testing::Each(testing::MatchesRegex(
                      "ordered by a shuffle's value only: .* at watch_[a-z]+_kernels.cu:[0-9]+ by thread .*, and "
                      "before it .* at watch_[a-z]+_kernels.cu:[0-9]+ by thread .*put __syncwarp.. between the "
                      "two")));
    }
  }
  bench.begin();
  EXPECT_THAT(bench.watch.by_value(), testing::IsEmpty());
  bench.run("meets_and_race", 1, 32);
  EXPECT_EQ(bench.watch.by_value().size(), 1u) << "beside the race";
}

struct Clean {
  const char* name;
  int blocks, threads;
};
class Correct : public testing::TestWithParam<Clean> {};

TEST_P(Correct, IsNeverReported) {
  const Clean& row = GetParam();
  Bench bench;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (Settings settings : all_schedules()) {
      settings.schedule.seed += 100 * seed;
      const Stream stream = bench.run(row.name, row.blocks, row.threads, settings);
      ASSERT_EQ(stream.report().status, LaunchStatus::Ok) << stream.report().message;
      ASSERT_FALSE(bench.watch.finding().has_value());
      const auto is_halves =
          std::string_view(row.name).starts_with("halves") && !std::string_view(row.name).starts_with("halves_of_word");
      ASSERT_EQ(bench.watch.warnings().empty(), !is_halves);
      ASSERT_THAT(bench.watch.by_value(), testing::IsEmpty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Watch, Correct,
    testing::Values(Clean{"grid_exchange", 8, 32}, Clean{"tile_exchange", 2, 64}, Clean{"group_copy", 1, 64},
                    Clean{"group_copies", 1, 64}, Clean{"barrier_exchange", 1, 64}, Clean{"barrier_copy", 1, 64},
                    Clean{"pipeline_copy", 1, 64}, Clean{"pipeline_store", 1, 64}, Clean{"matrix_exchange", 1, 32},
                    Clean{"copy", 2, 128}, Clean{"aligned_vector", 1, 32}, Clean{"reverse_shared", 1, 64},
                    Clean{"count", 4, 64}, Clean{"count_barrier_read", 1, 64}, Clean{"neighbouring_bytes", 1, 64},
                    Clean{"every_other_byte", 1, 64}, Clean{"warp_tree", 1, 32}, Clean{"partial_mask", 1, 32},
                    Clean{"reset_by_last", 4, 64}, Clean{"last_block", 4, 32}, Clean{"last_block_all_threads", 4, 64},
                    Clean{"lock", 4, 32}, Clean{"fence_block_in_block", 1, 64}, Clean{"volatile_both", 1, 32},
                    Clean{"count_votes", 1, 64}, Clean{"exit_then_barrier", 1, 128}, Clean{"readers_of_warps", 1, 32},
                    Clean{"first_of_two", 1, 64}, Clean{"local_array", 1, 64}, Clean{"variable", 1, 32},
                    Clean{"atomics_of_floats", 2, 32}, Clean{"other_reads_between", 3, 32}, Clean{"guide_loop", 3, 64},
                    Clean{"guide_loop_shared", 2, 64}, Clean{"halves", 3, 64}, Clean{"halves_of_rows", 3, 64},
                    Clean{"halves_of_word", 3, 64}, Clean{"halves_of_word_by_half", 3, 64},
                    Clean{"compare_half", 3, 64}, Clean{"fill", 1, 64}, Clean{"copy_call", 1, 64},
                    Clean{"copy_half_written", 1, 32}, Clean{"padding_tail", 1, 32}, Clean{"padding_gap", 1, 32},
                    Clean{"header_8", 1, 32}, Clean{"header_16", 1, 32}, Clean{"header_32", 1, 32},
                    Clean{"second_member_8", 1, 64}, Clean{"second_member_16", 1, 64}, Clean{"second_member_32", 1, 64},
                    Clean{"second_member_counts", 1, 64}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Watch, ASwapOfTheWordAroundTheLastHalfIsAWarning) {
  Bench bench;
  const Stream stream = bench.run("halves", 1, 32);
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bench.halves[i], 32) << i;
  EXPECT_EQ(bench.halves[5], 0) << "nobody's";
  EXPECT_THAT(
      bench.watch.warnings(),
      testing::ElementsAre(testing::MatchesRegex(
          "atomicCAS at watch_confirm_kernels.cu:[0-9]+ of the word around element 4 of halves .10 bytes., and on "
          "past its end by 2 bytes, leaves those bytes as they are.*")));
  bench.begin();
  EXPECT_THAT(bench.watch.warnings(), testing::IsEmpty());
}

TEST(Watch, ASwapOfTheWordAroundAHalfBesidePaddingIsOneWarning) {
  Bench bench;
  const Stream stream = bench.run("halves_of_rows", 1, 32);
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  for (int i = 0; i < 18; ++i) {
    const bool is_element = i % 6 >= 1 && i % 6 <= 4;
    EXPECT_EQ(bench.rows[i], is_element ? 32 : 0) << i;
  }
  EXPECT_THAT(bench.watch.warnings(),
              testing::ElementsAre(testing::MatchesRegex(
                  "atomicCAS at watch_confirm_kernels.cu:[0-9]+ of the word around element [0-9]+ of rows .34 bytes."
                  ".*, leaves those bytes as they are.*")));
}

/// Where the flag is set before the first read, the kernel does what the guide's loop does; where it has to wait, no.
TEST(Watch, ALoopThatWaitsIsNotConfirmedByTheCompareAfterIt) {
  Bench bench;
  for (const Settings& settings : all_schedules()) {
    if (settings.schedule.order != negzero::engine::Order::Backward) continue;
    const Stream stream = bench.run("wait_then_compare", 1, 64, settings);
    ASSERT_EQ(stream.report().status, LaunchStatus::EndedByObserver);
    EXPECT_EQ(bench.watch.finding()->kind, FindingKind::Race) << stream.report().message;
    EXPECT_THAT(stream.report().message, HasSubstr("element 0 of counter"));
  }
}

/// A read of a word comes after stores of its bytes, of which each is by another thread.
TEST(Watch, AReadOfWhichEveryByteRacesIsARace) {
  Bench bench;
  for (const Settings& settings : all_schedules()) {
    if (settings.schedule.order != negzero::engine::Order::Forward || settings.schedule.preempt) continue;
    const Stream stream = bench.run("bytes_of_word", 1, 64, settings);
    ASSERT_EQ(stream.report().status, LaunchStatus::EndedByObserver);
    EXPECT_EQ(bench.watch.finding()->kind, FindingKind::Race) << stream.report().message;
    EXPECT_EQ(bench.watch.finding()->access.what, "read");
  }
}

TEST(Watch, TwoLaunchesAreOrdered) {
  Bench bench;
  bench.begin();
  Settings settings;
  settings.observer = &bench.watch.observer();
  Stream stream(settings);
  for (int round = 0; round < 3; ++round) {
    watched::run_watch_kernel("first_of_two", stream, 4, 64, bench.args);
    watched::run_watch_kernel("second_of_two", stream, 4, 64, bench.args);
  }
  EXPECT_TRUE(stream.ok()) << stream.report().message;
}

}  // namespace
}  // namespace negzero_tests
