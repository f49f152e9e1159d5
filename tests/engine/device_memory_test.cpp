// Device memory that is closed to host code, and what is said about host code that came there.

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <negzero/engine/device_memory.hpp>

namespace negzero::engine {
namespace {

volatile unsigned char sink;

void read(const std::byte* at) { sink = *reinterpret_cast<const volatile unsigned char*>(at); }
void write(std::byte* at) { *reinterpret_cast<volatile unsigned char*>(at) = 7; }

class DeviceMemoryTest : public testing::Test {
 protected:
  DeviceMemoryTest() {
    x_ = arena_.take(100, 256);
    y_ = arena_.take(10000, 256);
    std::memset(x_.data(), 1, x_.size());
    std::memset(y_.data(), 2, y_.size());
    memory().add_buffer("x", x_);
    memory().add_buffer("y", y_);
  }
  DeviceMemory& memory() { return arena_.memory(); }

  DeviceArena arena_;
  std::span<std::byte> x_, y_;
};

TEST_F(DeviceMemoryTest, TheFirstAccessIsNamedAndGoesOn) {
  memory().close();
  EXPECT_FALSE(memory().was_accessed());
  EXPECT_EQ(memory().host_access(), "");
  write(y_.data() + 9999);
  read(x_.data());
  EXPECT_TRUE(memory().was_accessed());
  memory().open();
  EXPECT_EQ(memory().host_access(), "host code wrote byte 9999 of y");
  EXPECT_EQ(y_[9999], std::byte{7}) << "the write was done";
}

TEST_F(DeviceMemoryTest, ReadsAreToldFromWrites) {
  memory().close();
  read(x_.data() + 4);
  memory().open();
  EXPECT_EQ(memory().host_access(), "host code read byte 4 of x");
}

TEST_F(DeviceMemoryTest, BesideABufferItNamesTheNearest) {
  memory().close();
  read(x_.data() + 102);
  memory().open();
  EXPECT_EQ(memory().host_access(), "host code read device memory 3 bytes past the end of x");
  memory().reset();
  memory().add_pages(
      {reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(x_.data()) & ~std::uintptr_t{4095}), 4096});
  memory().add_buffer("z", x_.subspan(2));
  memory().close();
  write(x_.data() + 1);
  memory().open();
  EXPECT_EQ(memory().host_access(), "host code wrote device memory 1 byte before z");
}

TEST_F(DeviceMemoryTest, LaunchesAndCopiesOpenIt) {
  memory().close();
  {
    const DeviceMemory::Use use(&memory());
    write(x_.data());
    const DeviceMemory::Use nested(&memory());
    std::thread([&] { write(y_.data()); }).join();
  }
  EXPECT_FALSE(memory().was_accessed());
  write(y_.data());
  EXPECT_TRUE(memory().was_accessed()) << "closed again";
  const DeviceMemory::Use nothing(nullptr);
}

TEST_F(DeviceMemoryTest, OpenMemoryIsNobodysBusiness) {
  write(x_.data());
  memory().close();
  memory().open();
  write(x_.data());
  EXPECT_FALSE(memory().was_accessed());
}

TEST_F(DeviceMemoryTest, AThreadOfTheWrapperCountsToo) {
  memory().close();
  std::thread([&] { write(x_.data() + 9); }).join();
  memory().open();
  EXPECT_EQ(memory().host_access(), "host code wrote byte 9 of x");
}

TEST_F(DeviceMemoryTest, ACaseForgetsTheOneBefore) {
  memory().close();
  write(x_.data());
  arena_.clear();
  EXPECT_FALSE(memory().was_accessed());
  const auto again = arena_.take(100, 256);
  EXPECT_EQ(again.data(), x_.data()) << "room is used again";
  memory().close();
  read(again.data());
  memory().open();
  EXPECT_EQ(memory().host_access(), "host code read device memory") << "no buffer has a name";
}

TEST_F(DeviceMemoryTest, AHandlerOfTheKernelIsReplaced) {
  memory().close();
  memory().open();
  ::signal(SIGSEGV, SIG_IGN);
  memory().close();
  read(x_.data());
  memory().open();
  EXPECT_TRUE(memory().was_accessed());
}

TEST(DeviceMemory, SaysThatPagesCouldNotBeClosed) {
  void* const pages = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  DeviceMemory memory;
  memory.add_pages({static_cast<std::byte*>(pages), 8192});
  memory.close();
  memory.open();
  EXPECT_FALSE(memory.stayed_open());
  ::munmap(pages, 8192);
  memory.close();
  EXPECT_TRUE(memory.stayed_open());
  memory.reset();
  EXPECT_FALSE(memory.stayed_open());
}

TEST(DeviceArena, RoomIsAlignedAndOfAnySize) {
  DeviceArena arena;
  for (int round = 0; round < 2; ++round) {
    arena.clear();
    std::vector<std::span<std::byte>> rooms;
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{4096}, std::size_t{3} << 20, std::size_t{0}, std::size_t{5}}) {
      rooms.push_back(arena.take(size, 256));
      EXPECT_EQ(rooms.back().size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rooms.back().data()) % 256, 0u);
      std::memset(rooms.back().data(), static_cast<int>(rooms.size()), size);
    }
    EXPECT_EQ(rooms[2].front(), std::byte{3});
    EXPECT_EQ(rooms[2].back(), std::byte{3}) << "rooms do not overlap";
    arena.memory().add_buffer("large", rooms[2]);
    arena.memory().close();
    write(&rooms[2].back());
    arena.memory().open();
    EXPECT_EQ(arena.memory().host_access(), "host code wrote byte 3145727 of large");
  }
  EXPECT_THROW((void)arena.take(~std::size_t{0} / 2, 256), std::bad_alloc);
  EXPECT_THROW((void)arena.take(~std::size_t{0}, 256), std::bad_alloc);
}

// What is not ours goes where it went before.

sigjmp_buf way_out;

using DeviceMemoryDeathTest = DeviceMemoryTest;

TEST_F(DeviceMemoryDeathTest, OtherFaultsStayCrashes) {
  memory().close();
  EXPECT_EXIT(read(nullptr), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(::raise(SIGSEGV), testing::KilledBySignal(SIGSEGV), "");
  // A call of data as code faults on the same pages, but is no access.
  EXPECT_EXIT(reinterpret_cast<void (*)()>(x_.data())(), testing::KilledBySignal(SIGSEGV), "");
  memory().open();
}

TEST_F(DeviceMemoryDeathTest, AHandlerThatWasThereBeforeIsCalled) {
  const auto child = [&] {
    struct sigaction mine {};
    mine.sa_handler = [](int) { ::siglongjmp(way_out, 1); };
    ::sigaction(SIGSEGV, &mine, nullptr);
    DeviceArena arena;
    const auto room = arena.take(10, 256);
    arena.memory().close();
    read(room.data());
    const bool was_seen = arena.memory().was_accessed();
    if (sigsetjmp(way_out, 1) != 0) ::_exit(was_seen ? 17 : 18);
    read(nullptr);
  };
  // In a process in which nothing was installed yet.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(child(), testing::ExitedWithCode(17), "");
}

}  // namespace
}  // namespace negzero::engine
