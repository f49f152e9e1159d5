// One launch: checks of its configuration, the order of its blocks, and the host threads that share them.

#include <algorithm>
#include <bit>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <signal.h>

#include <negzero/base/random.hpp>
#include <negzero/engine/device_memory.hpp>
#include <negzero/engine/engine.hpp>
#include <negzero/engine/host_code.hpp>
#include <negzero/engine/observer.hpp>

namespace negzero::engine {

namespace {

// CUDA C++ Programming Guide 13, technical specifications, compute capability 9.0.
constexpr std::uint32_t kMaxGridX = 0x7fffffff;
constexpr std::uint32_t kMaxGridYZ = 65535;
constexpr std::uint32_t kMaxBlockXY = 1024;
constexpr std::uint32_t kMaxBlockZ = 64;

/// Why CUDA would refuse this configuration, or an empty string.
std::string defect(const Grid& grid) {
  const Coordinates b = grid.blocks;
  const Coordinates t = grid.threads;
  const auto invalid = [](const char* what, const std::string& value, const std::string& limit) {
    return std::string("invalid configuration: ") + what + " " + value + ", the limit is " + limit;
  };
  if (b.x == 0 || b.y == 0 || b.z == 0) return "invalid configuration: the grid " + to_string(b) + " is empty";
  if (t.x == 0 || t.y == 0 || t.z == 0) return "invalid configuration: the block " + to_string(t) + " is empty";
  if (b.x > kMaxGridX || b.y > kMaxGridYZ || b.z > kMaxGridYZ) {
    return invalid("grid", to_string(b), to_string(Coordinates{kMaxGridX, kMaxGridYZ, kMaxGridYZ}));
  }
  if (t.x > kMaxBlockXY || t.y > kMaxBlockXY || t.z > kMaxBlockZ || std::uint64_t{t.x} * t.y * t.z > kMaxThreads) {
    return invalid("block", to_string(t),
                   to_string(Coordinates{kMaxBlockXY, kMaxBlockXY, kMaxBlockZ}) + " and 1024 threads");
  }
  if (grid.dynamic_shared_bytes > kMaxSharedBytes) {
    return invalid("dynamic shared memory of", std::to_string(grid.dynamic_shared_bytes) + " bytes",
                   std::to_string(kMaxSharedBytes));
  }
#if defined(__x86_64__)
  if (grid.uses_fma && !__builtin_cpu_supports("fma")) {
    return "the kernel was compiled for CPUs with FMA and this one has none: build with -DNEGZERO_HOST_FMA=OFF";
  }
#endif
  return {};
}

/// A bijection of [0, count) drawn from a seed: a Feistel network on the next even number of bits, walked until it
/// falls into the range. Needs no memory, whatever the size of the grid.
class Permutation {
 public:
  Permutation(std::uint64_t count, std::uint64_t seed)
      : count_(count),
        seed_(seed),
        half_((std::bit_width(count - 1) + 1) / 2),
        mask_((std::uint64_t{1} << half_) - 1) {}

  [[nodiscard]] std::uint64_t at(std::uint64_t value) const {
    do {
      std::uint64_t left = value >> half_;
      std::uint64_t right = value & mask_;
      for (std::uint64_t round = 0; round < 4; ++round) left = std::exchange(right, left ^ mixed(right, round));
      value = left << half_ | right;
    } while (value >= count_);
    return value;
  }
  /// Where at() is `value`.
  [[nodiscard]] std::uint64_t position_of(std::uint64_t value) const {
    do {
      std::uint64_t left = value >> half_;
      std::uint64_t right = value & mask_;
      for (std::uint64_t round = 4; round-- > 0;) right = std::exchange(left, right ^ mixed(left, round));
      value = left << half_ | right;
    } while (value >= count_);
    return value;
  }

 private:
  [[nodiscard]] std::uint64_t mixed(std::uint64_t half, std::uint64_t round) const {
    return base::mix64(seed_ ^ base::mix64(half << 2 | round)) & mask_;
  }

  std::uint64_t count_, seed_;
  int half_;
  std::uint64_t mask_;
};

}  // namespace

Launch::Launch(const Grid& grid_, const Settings& settings_)
    : grid(grid_), settings(settings_), blocks(std::uint64_t{grid_.blocks.x} * grid_.blocks.y * grid_.blocks.z) {}

bool Launch::next_block(bool want_lowest, std::uint64_t& linear) {
  std::unique_lock lock(mutex, std::defer_lock);
  if (settings.host_threads > 1) lock.lock();
  if (taken == blocks) return false;
  ++taken;
  go_on();
  const Order order = settings.schedule.order;
  if (order == Order::Forward) {
    linear = position++;
    return true;
  }
  const Permutation random(blocks, settings.schedule.seed);
  // A block is taken where it comes before `position` in the schedule or below `lowest`; one is not, as yet.
  if (want_lowest) {
    const auto position_of = [&](std::uint64_t block) {
      return order == Order::Backward ? blocks - 1 - block : random.position_of(block);
    };
    do linear = lowest++;
    while (position_of(linear) < position);
    return true;
  }
  do {
    linear = order == Order::Backward ? blocks - 1 - position : random.at(position);
    ++position;
  } while (linear < lowest);
  return true;
}

Coordinates Launch::block_index(std::uint64_t linear) const noexcept {
  const std::uint64_t x = grid.blocks.x;
  const std::uint64_t y = grid.blocks.y;
  return {static_cast<std::uint32_t>(linear % x), static_cast<std::uint32_t>(linear / x % y),
          static_cast<std::uint32_t>(linear / x / y)};
}

void Launch::fail(LaunchStatus status, std::string message, const Block& block, Coordinates thread) {
  const std::lock_guard lock(mutex);
  if (failed.load(std::memory_order_relaxed) && failed_block <= block.linear()) return;
  failed_block = block.linear();
  report.status = status;
  report.message = std::move(message);
  report.block = block.index();
  report.thread = thread;
  failed.store(true, std::memory_order_relaxed);
}

void Launch::warn(std::string message) {
  const std::lock_guard lock(mutex);
  report.warnings.push_back(std::move(message));
}

namespace {

/// Keeps handlers of signals that may come at any time (timers, children, people) from the middle of a launch: what
/// they do is the wrapper's host code, and may reach a yield point on the stack of a device thread. They run right
/// after it.
class SignalsLater {
 public:
  SignalsLater() noexcept {
    ::sigfillset(&later_);
    for (const int at_once : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGINT, SIGTERM, SIGQUIT}) {
      ::sigdelset(&later_, at_once);
    }
    ::pthread_sigmask(SIG_BLOCK, &later_, &before_);
  }
  ~SignalsLater() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsLater(const SignalsLater&) = delete;
  SignalsLater& operator=(const SignalsLater&) = delete;

 private:
  sigset_t later_{}, before_{};
};

}  // namespace

void run_grid(Stream& stream, const Grid& grid) {
  if (!stream.begin_launch()) return;
  if (stream.is_device()) {
    stream.fail(LaunchStatus::InvalidLaunch, "a kernel built for the host cannot run on a device stream");
    return;
  }
  if (current.engine != nullptr) {
    stream.fail(LaunchStatus::NotThere,
                "a kernel launched another kernel: the host executor has no dynamic parallelism");
    return;
  }
  if (std::string text = defect(grid); !text.empty()) {
    stream.fail(LaunchStatus::InvalidLaunch, std::move(text));
    return;
  }
  if (!HostCode::check(stream, "before this launch")) return;
  Launch launch(grid, stream.settings());
  Observer* const observer = stream.settings().observer;
  const std::uint64_t wanted = observer != nullptr ? 1 : std::max(stream.settings().host_threads, 1u);
  const auto is_running = [&stream](std::uint64_t now) {
    if (stream.settings().running != nullptr) __atomic_store_n(stream.settings().running, now, __ATOMIC_RELAXED);
  };
  is_running(1);
  std::string changes;
  {
    const DeviceMemory::Use use(stream.settings().device_memory);
    const SignalsLater signals;
    const auto take_part = [&launch, &changes, &stream] {
      const EnvironmentGuard environment(stream.settings().environment);
      Engine::of_this_host_thread().run(launch);
      std::string changed = environment.changes();
      if (changed.empty()) return;
      const std::lock_guard lock(launch.mutex);
      changes = std::move(changed);
    };
    std::vector<std::jthread> helpers;
    for (std::uint64_t i = 1; i < std::min(wanted, launch.blocks); ++i) helpers.emplace_back(take_part);
    take_part();
  }
  is_running(0);
  stream.count_switches(launch.report.switches);
  for (std::string& warning : launch.report.warnings) stream.warn(std::move(warning));
  if (launch.report.status == LaunchStatus::EndedByObserver) launch.report.message = observer->reason();
  if (launch.report.status != LaunchStatus::Ok) {
    stream.fail(launch.report.status, std::move(launch.report.message), launch.report.block, launch.report.thread);
  }
  if (!changes.empty()) stream.fail(LaunchStatus::EnvironmentChanged, changes + " while the kernel ran");
}

}  // namespace negzero::engine
