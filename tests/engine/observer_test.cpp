// What an observer of launches hears, in which order, and how it ends one.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/engine/current.hpp>
#include <negzero/engine/engine.hpp>
#include <negzero/engine/host_code.hpp>
#include <negzero/engine/observer.hpp>

#include "kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Settings;
using testing::ElementsAre;

/// Writes down what it hears, and ends a launch at the barrier of that number.
class Recorder final : public negzero::engine::Observer {
 public:
  explicit Recorder(int last_barrier = 0) : last_barrier_(last_barrier) {}

  void launch_began(const negzero::engine::Grid& grid, const negzero::engine::Schedule&) override {
    note("launch of", grid.blocks.x, "blocks");
  }
  void launch_ended() noexcept override { heard.push_back("launch ended"); }
  void block_began(std::size_t slot, std::uint64_t linear, unsigned threads, const negzero::engine::SharedTable& shared,
                   std::size_t dynamic_bytes) override {
    EXPECT_NE(shared.dynamic, nullptr);
    note("slot", slot, "has block", linear, "of", threads, "threads and", dynamic_bytes, "bytes");
  }
  void block_entered(std::size_t slot) noexcept override { note("slot", slot, "runs"); }
  void block_ended(std::size_t slot) noexcept override { note("slot", slot, "ended"); }
  void array_placed(std::size_t slot, const std::byte*, std::size_t size_bytes) override {
    note("slot", slot, "placed", size_bytes, "bytes");
  }
  void barrier_completed(std::size_t slot) override {
    note("slot", slot, "passed a barrier");
    if (++barriers_ == last_barrier_) negzero::engine::current.engine->end_launch();
  }
  void warp_synchronised(std::size_t slot, unsigned warp, std::uint32_t lanes) override {
    note("slot", slot, "synchronised", lanes, "of warp", warp);
  }
  void warp_exchanged(std::size_t slot, unsigned warp, std::uint32_t lanes) override {
    note("slot", slot, "exchanged", lanes, "of warp", warp);
  }
  bool may_copy(const void*, const void*, std::size_t size_bytes) override {
    note("host copies", size_bytes, "bytes");
    return true;
  }
  void host_wrote(const void*, std::size_t size_bytes) override { note("host wrote", size_bytes, "bytes"); }
  [[nodiscard]] std::string reason() override { return "enough barriers"; }

  std::vector<std::string> heard;

 private:
  static std::string text(const char* word) { return word; }
  template <typename Number>
  static std::string text(Number number) {
    return std::to_string(number);
  }
  template <typename... Parts>
  void note(Parts... parts) {
    std::string line;
    ((line += (line.empty() ? "" : " ") + text(parts)), ...);
    heard.push_back(std::move(line));
  }

  int last_barrier_;
  int barriers_ = 0;
};

Settings observed_by(Recorder& recorder) {
  Settings settings;
  settings.observer = &recorder;
  settings.resident_blocks = 1;
  settings.host_threads = 3;  // An observed launch takes one all the same.
  return settings;
}

TEST(Observer, HearsBlocksAndBarriersInOrder) {
  Recorder recorder;
  Stream stream(observed_by(recorder));
  std::vector<int> in(8, 1), out(8);
  host::rotate_in_shared(stream, 2, 4, 1, in.data(), out.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_THAT(recorder.heard,
              ElementsAre("launch of 2 blocks", "slot 0 has block 0 of 4 threads and 16 bytes", "slot 0 runs",
                          "slot 0 passed a barrier", "slot 0 passed a barrier", "slot 0 ended",
                          "slot 0 has block 1 of 4 threads and 16 bytes", "slot 0 runs", "slot 0 passed a barrier",
                          "slot 0 passed a barrier", "slot 0 ended", "launch ended"));
}

TEST(Observer, HearsOfAnArrayOnceABlock) {
  Recorder recorder;
  Stream stream(observed_by(recorder));
  std::vector<int> out(4);
  host::exit_before_barrier(stream, 4, 4, out.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_THAT(recorder.heard,
              ElementsAre("launch of 1 blocks", "slot 0 has block 0 of 4 threads and 0 bytes", "slot 0 runs",
                          "slot 0 placed 4096 bytes", "slot 0 passed a barrier", "slot 0 ended", "launch ended"));
}

/// Shuffles order no memory, and are kept apart from the __syncwarp.
TEST(Observer, HearsOfSyncwarpAndOfShufflesApart) {
  Recorder recorder;
  Stream stream(observed_by(recorder));
  std::vector<int> in(32), out(32);
  host::uneven_shuffles(stream, 32, in.data(), out.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_THAT(recorder.heard,
              ElementsAre("launch of 1 blocks", "slot 0 has block 0 of 32 threads and 0 bytes", "slot 0 runs",
                          "slot 0 exchanged 65535 of warp 0", "slot 0 exchanged 65535 of warp 0",
                          "slot 0 exchanged 65535 of warp 0", "slot 0 exchanged 4294901760 of warp 0",
                          "slot 0 exchanged 4294901760 of warp 0", "slot 0 exchanged 4294901760 of warp 0",
                          "slot 0 exchanged 4294901760 of warp 0", "slot 0 exchanged 4294901760 of warp 0",
                          "slot 0 synchronised 4294967295 of warp 0", "slot 0 exchanged 4294967295 of warp 0",
                          "slot 0 ended", "launch ended"));
}

TEST(Observer, EndsALaunchWithItsReason) {
  Recorder recorder(3);
  Stream stream(observed_by(recorder));
  std::vector<int> in(8, 1), out(8);
  host::rotate_in_shared(stream, 2, 4, 1, in.data(), out.data());
  EXPECT_EQ(stream.report().status, LaunchStatus::EndedByObserver);
  EXPECT_EQ(stream.report().message, "enough barriers");
  EXPECT_EQ(stream.report().block.x, 1u);
  ASSERT_GE(recorder.heard.size(), 3u);
  EXPECT_THAT(std::vector(recorder.heard.end() - 3, recorder.heard.end()),
              ElementsAre("slot 0 passed a barrier", "slot 0 ended", "launch ended"));

  const std::size_t before = recorder.heard.size();
  host::rotate_in_shared(stream, 2, 4, 1, in.data(), out.data());
  EXPECT_EQ(recorder.heard.size(), before) << "a stream that has failed launches nothing";
}

TEST(Observer, HearsOfCopiesAndFills) {
  Recorder recorder;
  Stream stream(observed_by(recorder));
  int from = 1, to = 0;
  negzero::engine::copy_on_host(stream, &to, &from, sizeof to);
  negzero::engine::fill_on_host(stream, &to, 0, 2);
  EXPECT_THAT(recorder.heard,
              ElementsAre("host copies 4 bytes", "host wrote 4 bytes", "host copies 2 bytes", "host wrote 2 bytes"));
}

}  // namespace
}  // namespace negzero_tests
