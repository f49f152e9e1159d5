// Who runs next: the set of ready threads against a plain one, and plans against choices that were made late.

#include <set>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/engine/block.hpp>
#include <negzero/engine/thread_set.hpp>
#include <negzero/engine/turns.hpp>

namespace negzero::engine {
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
  void exited_at_barrier(CallSite, unsigned) override {}
  void lane_without_value(CallSite, WarpKind, std::uint32_t, unsigned, int) override {}
  void relies_on_convergence(CallSite, WarpKind) override {}
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
      Block plans(0), chooses(1);
      for (Block* block : {&plans, &chooses}) {
        block->prepare({threads, 1, 1}, notes);
        block->begin({}, 0, settings, 0);
      }
      Thread* a = &plans.next_turn(nullptr);
      const Thread* b = &chooses.next_turn(nullptr);
      while (a != nullptr) {
        ASSERT_EQ(a->id, b->id);
        plans.mark_running(*a);
        chooses.mark_running(*b);
        if (events.below(8) != 0) static_cast<void>(plans.plan());
        const std::uint64_t event = events.below(16);
        for (Block* block : {&plans, &chooses}) {
          Thread& self = block->thread(b->id);
          if (event == 0) {
            block->retire(self);
          } else if (event > 1) {
            block->arrive(self, BarrierKind::Sync, false, {"", 0, 0});
          }
        }
        // A thread that yields stays ready, and may be chosen again.
        const bool yields = event == 1;
        if (yields) {
          ASSERT_EQ(plans.ends_visit(*a), chooses.ends_visit(*b));
          a = &plans.next_turn(a);
          b = &chooses.next_turn(b);
        } else {
          a = plans.choose_other();
          b = chooses.choose_other();
        }
      }
      ASSERT_EQ(b, nullptr);
    }
  }
}

/// Whatever the others do, who yields and who runs between the turns.
TEST(Turns, GoToEveryReadyThread) {
  for (const Order order : {Order::Forward, Order::Backward}) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      base::Random events(seed);
      const auto threads = static_cast<unsigned>(2 + events.below(kMaxThreads - 1));
      const auto patient = static_cast<unsigned>(events.below(threads));
      Turns turns;
      turns.begin(order == Order::Backward ? static_cast<int>(threads) : -1);
      ThreadSet ready;
      ready.fill(threads);
      for (unsigned start = 0; start < 3; ++start) {
        unsigned had = 0;
        int self = -1;
        unsigned next = threads;
        while (next != patient) {
          for (std::uint64_t changes = events.below(20); changes > 0; --changes) {
            const auto thread = static_cast<unsigned>(events.below(threads));
            if (thread == patient || events.one_in(2)) {
              ready.insert(thread);
            } else {
              ready.remove(thread);
            }
          }
          if (self >= 0) ready.insert(static_cast<unsigned>(self));
          next = turns.next(ready, order, self);
          ASSERT_LE(++had, threads + 1) << "seed " << seed;
          // Another may have run meanwhile, and be the one that yields.
          do self = static_cast<int>(events.below(threads));
          while (self == static_cast<int>(patient));
        }
      }
    }
  }
}

TEST(Turns, EndAVisitAfterOneYieldOfEachThread) {
  for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
    base::Random events(5);
    constexpr unsigned kThreads = 100;
    Turns turns;
    turns.begin(order == Order::Backward ? static_cast<int>(kThreads) : -1);
    ThreadSet ready;
    ready.fill(kThreads);
    for (int visit = 0; visit < 50; ++visit) {
      unsigned yields = 0;
      while (!turns.ends_visit(ready, order, static_cast<unsigned>(events.below(kThreads)))) ++yields;
      EXPECT_LE(yields, kThreads);
      EXPECT_GT(yields, 0u);
      turns.begin_visit();
    }
  }
}

/// Once a visit each.
TEST(Turns, SpareAThreadOnce) {
  Turns turns;
  turns.begin(-1);
  for (int visit = 0; visit < 2; ++visit) {
    turns.begin_visit();
    for (const unsigned thread : {0u, 7u, 1023u}) {
      EXPECT_TRUE(turns.is_spared(thread));
      EXPECT_FALSE(turns.is_spared(thread));
    }
  }
}

}  // namespace
}  // namespace negzero::engine
