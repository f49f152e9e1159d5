// Calls with the runtime's key are plain calls where nothing asks for it, and memory lies where the parent says.

#include <cstdint>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <negzero/engine/runtime_calls.hpp>

namespace negzero::engine {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uintptr_t kPlace = 0x1700'0000'0000;

/// Leaves no key to other tests.
class RuntimeCallsTest : public ::testing::Test {
 protected:
  ~RuntimeCallsTest() override { set_runtime_key({}); }
};

TEST_F(RuntimeCallsTest, MemoryIsMappedClosedAndUnmapped) {
  for (const RuntimeKey key : {RuntimeKey{}, RuntimeKey{.key = 5}}) {
    set_runtime_key(key);
    std::byte* const memory = map_device_memory(3 * kPage, -1);
    ASSERT_NE(memory, nullptr);
    memory[3 * kPage - 1] = std::byte{1};
    EXPECT_EQ(advise_device_memory(memory, kPage, MADV_NORMAL), 0);
    EXPECT_EQ(protect_device_memory(memory, kPage, PROT_NONE), 0);
    EXPECT_EQ(protect_device_memory(memory, kPage, PROT_READ | PROT_WRITE), 0);
    EXPECT_EQ(unmap_device_memory(memory, 3 * kPage), 0);
    EXPECT_NE(::msync(memory, kPage, MS_ASYNC), 0) << "it is gone";
  }
}

TEST_F(RuntimeCallsTest, MappingsFollowEachOtherFromThePlaceAndReplaceNothing) {
  set_runtime_key({.key = 5, .place = kPlace});
  std::byte* const first = map_device_memory(kPage, -1);
  std::byte* const second = map_device_memory(kPage, -1);
  ASSERT_EQ(first, reinterpret_cast<std::byte*>(kPlace)) << "this system has fewer addresses";
  EXPECT_GT(second, first);
  set_runtime_key({.key = 5, .place = kPlace});
  std::byte* const elsewhere = map_device_memory(kPage, -1);
  ASSERT_NE(elsewhere, nullptr);
  EXPECT_NE(elsewhere, first) << "the place is taken";
  for (std::byte* const memory : {first, second, elsewhere}) EXPECT_EQ(unmap_device_memory(memory, kPage), 0);
}

volatile sig_atomic_t handled = 0;

TEST_F(RuntimeCallsTest, AHandlerReturnsToWhereTheSignalCame) {
  struct sigaction before {};
  ::sigaction(SIGBUS, nullptr, &before);
  for (const RuntimeKey key : {RuntimeKey{}, RuntimeKey{.key = 5}}) {
    set_runtime_key(key);
    ASSERT_EQ(handle_fault(
                  SIGBUS, [](int signal, siginfo_t*, void*) { handled = signal; }, SA_SIGINFO),
              0);
    handled = 0;
    ::raise(SIGBUS);
    EXPECT_EQ(handled, SIGBUS);
  }
  ::sigaction(SIGBUS, &before, nullptr);
}

#if defined(__x86_64__)
TEST_F(RuntimeCallsTest, TheKeyIsLeftInNoRegister) {
  set_runtime_key({.key = 0x1234'5678'9abc'def0});
  std::byte* const memory = map_device_memory(kPage, -1);
  protect_device_memory(memory, kPage, PROT_READ);
  std::uint64_t r8 = 0, r9 = 0;
  asm volatile("mov %%r8, %0\n mov %%r9, %1" : "=r"(r8), "=r"(r9));
  EXPECT_NE(r8, 0x1234'5678'9abc'def0);
  EXPECT_NE(r9, 0x1234'5678'9abc'def0);
  unmap_device_memory(memory, kPage);
}
#endif

}  // namespace
}  // namespace negzero::engine
