// What a launch wrapper launches into: how the host runs threads, and what became of the launches.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <negzero/base/float_environment.hpp>

namespace negzero::engine {

class DeviceMemory;
class Observer;

/// Three unsigned extents or positions, as CUDA's uint3.
struct Coordinates {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

/// Extents of a grid or a block; missing ones are 1. CUDA's dim3.
struct Extents {
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t z;
  constexpr Extents(std::uint32_t x_ = 1, std::uint32_t y_ = 1, std::uint32_t z_ = 1) noexcept : x(x_), y(y_), z(z_) {}
  constexpr Extents(Coordinates v) noexcept : x(v.x), y(v.y), z(v.z) {}
  constexpr operator Coordinates() const noexcept { return {x, y, z}; }
};

/// Which of the threads that can run runs next on the host executor.
enum class Order : std::uint8_t {
  Forward,  ///< ascending linear thread index between two waits, ascending blocks; after 64 atomics in a row others run
  Backward,  ///< descending in both
  Random,    ///< drawn from the seed at every choice; blocks in a seeded permutation
};

/// How the host interleaves threads. Equal schedules give equal interleavings when `Settings::host_threads` is 1.
struct Schedule {
  Order order = Order::Forward;
  std::uint64_t seed = 0;  ///< used by Random and by `preempt`
  bool preempt = false;    ///< also switch threads (and blocks) at atomics, fences, __nanosleep and clock reads
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// How the host executor runs launches. A device ignores all of it.
struct Settings {
  Schedule schedule;
  /// Byte that fills shared memory at block start, and values that a warp operation cannot supply. 0xff makes
  /// every float format NaN; 0x7b makes F64, F32, F16 and BF16 large and finite.
  std::uint8_t poison = 0xff;
  /// How kernels and launch wrappers compute: as a GPU does, but that results may be rounded another way.
  base::FloatEnvironment environment = base::FloatEnvironment::cuda_default();
  /// Atomics, fences, sleeps, volatile accesses and clock reads that one thread may spend in one launch while it does
  /// not wait, give or take 128; all threads together may spend eight times as many. Past it the launch ends as a Hang.
  /// A loop that contains none of them cannot be interrupted: the worker's time limit ends it.
  std::uint64_t event_budget = std::uint64_t{1} << 22;
  /// The same for all threads together while all of them wait: no atomic changes memory, no thread stores to a
  /// volatile, reads a clock or ends, and every thread that asks comes back to a state it has been in (waiting.hpp). 64
  /// switches between threads count as one more. Each resident thread adds 256. Where states are not known (processors
  /// other than x86-64, the address sanitizer) a barrier counts as progress instead, and each thread adds 2,560 and a
  /// 64th of it. Every thread that can run has turns meanwhile (turns.hpp), so one that waits for none but itself ends.
  std::uint64_t idle_budget = std::uint64_t{1} << 20;
  /// Host threads that share the blocks of one launch. With more than one, results of racing atomics may vary.
  unsigned host_threads = 1;
  /// Blocks that one host thread holds at a time, so that one can wait for another. Fewer when blocks are large: at
  /// most 16,384 threads are resident. While all of them wait in vain more are started, lowest first, up to 8,192
  /// blocks and 131,072 threads: no GPU holds more blocks at a time (sm_90: 32 on each of 132 multiprocessors).
  unsigned resident_blocks = 32;
  /// Hears what happens in a launch, which then runs on one host thread; null: nothing observes it. Not owned.
  Observer* observer = nullptr;
  /// Closed to host code of launch wrappers that run in a HostCode, and open in launches and copies; null: nothing is.
  /// Not owned.
  DeviceMemory* device_memory = nullptr;
  /// Counted up whenever a block starts, and at every 4,096th event of a launch, where not null: another process
  /// can tell a long launch from a hang. Events are those of `event_budget`, which bounds them, and so does it.
  std::uint64_t* progress = nullptr;
  /// 1 while a launch runs, 0 between launches, where not null: what ends the process then is the kernel.
  std::uint64_t* running = nullptr;
};

enum class LaunchStatus : std::uint8_t {
  Ok,
  DivergentBarrier,    ///< threads of a block wait for each other at places that can never complete
  Hang,                ///< a thread used up `Settings::event_budget`, or all of them `Settings::idle_budget`
  SharedOverrun,       ///< a guard zone beside a shared array was overwritten (builds without the address sanitizer)
  InvalidLaunch,       ///< the configuration is one that CUDA rejects; no thread ran, or shared memory ran out
  DeviceError,         ///< the CUDA runtime reported an error
  EndedByObserver,     ///< `Settings::observer` has ended the launch; the message is its reason
  EnvironmentChanged,  ///< a kernel or its launch wrapper changed rounding, flushing of subnormals or traps
  HostAccess,          ///< host code of the launch wrapper touched `Settings::device_memory`
  NotThere,            ///< what CUDA has and the host executor has not: nothing is known of the kernel
};

/// The outcome of all launches of one stream: the first failure, or Ok.
struct LaunchReport {
  LaunchStatus status = LaunchStatus::Ok;
  std::string message;                ///< one line: what failed, which threads wait where; empty while Ok
  Coordinates block;                  ///< of the thread that the failure names
  Coordinates thread;                 ///< meaningful for DivergentBarrier and Hang
  int device_error = 0;               ///< cudaError_t of a DeviceError
  std::vector<std::string> warnings;  ///< legal but suspicious: exited threads at barriers, lanes without a value
  std::uint64_t launches = 0;         ///< launches that were attempted, the failed one included
  std::uint64_t switches = 0;         ///< changes from one thread's stack to another's
};

/// A sequence of launches on one executor. A kernel's launch wrapper receives one and hands it to negzero::launch.
///
/// After a failure every later launch does nothing, so a wrapper of several launches needs no checks between them.
/// Used from one host thread at a time.
class Stream {
 public:
  /// A stream of the host executor. `handle` identifies it, as a cudaStream_t does.
  Stream() = default;
  explicit Stream(const Settings& settings, void* handle = nullptr) : settings_(settings), handle_(handle) {}
  /// A stream of the CUDA executor; `cuda_stream` is a cudaStream_t (null: the default stream) and is not owned.
  [[nodiscard]] static Stream on_device(void* cuda_stream);

  [[nodiscard]] bool is_device() const noexcept { return is_device_; }
  [[nodiscard]] void* handle() const noexcept { return handle_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const LaunchReport& report() const noexcept { return report_; }
  [[nodiscard]] bool ok() const noexcept { return report_.status == LaunchStatus::Ok; }

  /// Forgets all launches and takes new settings, so that one stream can serve many cases.
  void reset(const Settings& settings);

  // For the two halves of negzero::launch.

  /// Whether launches and copies go on: no failure yet, and no launch wrapper runs that was given another stream. One
  /// that was fails: a GPU does not order what it does here with what comes before and after the call.
  [[nodiscard]] bool may_be_used();
  /// Counts a launch; returns false where it may_be_used() no more.
  [[nodiscard]] bool begin_launch() {
    if (!may_be_used()) return false;
    ++kept().launches;
    return true;
  }
  /// Keeps the first failure; does nothing after one.
  void fail(LaunchStatus status, std::string message, Coordinates block = {}, Coordinates thread = {});
  /// Keeps a CUDA error (its number and text) unless it is cudaSuccess (0).
  void record_device_error(int error, const char* text);
  /// Adds a warning unless it is already there; at most 32 are kept.
  void warn(std::string message);
  /// Whether a launch wrapper that was given this stream runs, on the calling thread. HostCode looks after it.
  void set_in_wrapper(bool in_wrapper) noexcept;
  [[nodiscard]] bool is_in_wrapper() const noexcept { return in_wrapper_; }
  /// The stream that the launch wrapper was given which runs on this thread; null outside one.
  [[nodiscard]] static Stream* of_wrapper() noexcept;
  void count_switches(std::uint64_t switches) noexcept { kept().switches += switches; }

 private:
  /// The report; of a copy that a launch wrapper has made of its stream, the stream's own.
  [[nodiscard]] LaunchReport& kept() noexcept;

  Settings settings_;
  LaunchReport report_;
  void* handle_ = nullptr;
  bool is_device_ = false;
  bool in_wrapper_ = false;
};

/// "ok", "divergent_barrier", "hang", "shared_overrun", "invalid_launch", "device_error", "ended_by_observer",
/// "environment_changed" or "host_access".
[[nodiscard]] const char* to_string(LaunchStatus status) noexcept;

}  // namespace negzero::engine
