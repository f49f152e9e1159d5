// Who runs next: the set of ready threads against a plain one, and plans against choices that were made late.

#include <set>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/simt/block.hpp>
#include <negzero/simt/thread_set.hpp>

namespace negzero::simt {
namespace {

TEST(ThreadSet, FindsMembersAsAPlainSetDoes) {
  base::Random random(1);
  for (int round = 0; round < 200; ++round) {
    ThreadSet set;
    const auto count = static_cast<unsigned>(random.below(kMaxThreads + 1));
    set.fill(count);
    std::set<unsigned> plain;
    for (unsigned id = 0; id < count; ++id) plain.insert(plain.end(), id);
    for (int step = 0; step < 40; ++step) {
      const auto id = static_cast<unsigned>(random.below(kMaxThreads));
      switch (random.below(5)) {
        case 0:
          set.insert(id);
          plain.insert(id);
          break;
        case 1:
          set.remove(id);
          plain.erase(id);
          break;
        case 2: {
          const unsigned last = id + static_cast<unsigned>(random.below(kMaxThreads - id + 1));
          set.remove_range(id, last);
          plain.erase(plain.lower_bound(id), plain.lower_bound(last));
          break;
        }
        case 3: {
          const auto lanes = static_cast<std::uint32_t>(random.next() & random.next() & random.next());
          set.insert_warp(id / kWarpSize, lanes);
          for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            if ((lanes >> lane & 1) != 0) plain.insert(id / kWarpSize * kWarpSize + lane);
          }
          break;
        }
        case 4: {
          ThreadSet other;
          other.insert(id);
          set.take_all(other);
          plain.insert(id);
          EXPECT_EQ(other.next_in_circle(0), -1);
          break;
        }
      }
      const auto from = static_cast<unsigned>(random.below(kMaxThreads));
      int next = -1, previous = -1;
      if (!plain.empty()) {
        const auto at = plain.lower_bound(from);
        next = static_cast<int>(at != plain.end() ? *at : *plain.begin());
        const auto past = plain.upper_bound(from);
        previous = static_cast<int>(past != plain.begin() ? *std::prev(past) : *plain.rbegin());
      }
      ASSERT_EQ(set.next_in_circle(from), next);
      ASSERT_EQ(set.previous_in_circle(from), previous);
    }
  }
}

struct NoNotes : Notes {
  void exited_at_barrier(Place, unsigned) override {}
  void lane_without_value(Place, WarpKind, std::uint32_t, unsigned, int) override {}
};

/// A recorded schedule means one interleaving, so a plan may only say earlier what would have been chosen anyway.
TEST(Plan, IsWhatWouldHaveBeenChosenLate) {
  NoNotes notes;
  for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      base::Random events(seed);
      const auto threads = 1 + static_cast<std::uint32_t>(events.below(200));
      Settings settings;
      settings.schedule = {order, seed, false};
      Block plans, chooses;
      for (Block* block : {&plans, &chooses}) {
        block->prepare({threads, 1, 1}, notes);
        block->begin({}, 0, settings, 0);
      }
      Lane* a = plans.choose();
      const Lane* b = chooses.choose();
      while (a != nullptr) {
        ASSERT_EQ(a->id, b->id);
        plans.mark_running(*a);
        chooses.mark_running(*b);
        if (events.below(8) != 0) static_cast<void>(plans.plan());
        const std::uint64_t event = events.below(16);
        for (Block* block : {&plans, &chooses}) {
          Lane& self = block->lane(b->id);
          if (event == 0) {
            block->retire(self);
          } else if (event > 1) {
            block->arrive(self, BarrierKind::Sync, false, {"", 0, 0});
          }
        }
        // A thread that yields stays ready, and may be chosen again.
        const bool yields = event == 1;
        a = yields ? plans.choose() : plans.choose_other();
        b = chooses.choose();
        if (yields) {
          ASSERT_EQ(plans.starts_round(*a, *a), chooses.starts_round(*b, *b));
        }
      }
      ASSERT_EQ(b, nullptr);
    }
  }
}

}  // namespace
}  // namespace negzero::simt
