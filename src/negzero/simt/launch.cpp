// One launch: checks of its configuration, the order of its blocks, and the host threads that share them.

#include <algorithm>
#include <bit>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/simt/device_memory.hpp>
#include <negzero/simt/engine.hpp>
#include <negzero/simt/host_code.hpp>
#include <negzero/simt/watch.hpp>

namespace negzero::simt {

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

/// A bijection of [0, count) drawn from `seed`: a Feistel network on the next even number of bits, walked until it
/// falls into the range. Needs no memory, whatever the size of the grid.
std::uint64_t permute(std::uint64_t value, std::uint64_t count, std::uint64_t seed) {
  const int half = (std::bit_width(count - 1) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = value >> half;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      left = std::exchange(right, left ^ (base::mix64(seed ^ base::mix64(right << 2 | round)) & mask));
    }
    value = left << half | right;
  } while (value >= count);
  return value;
}

}  // namespace

Launch::Launch(const Grid& grid_, const Settings& settings_)
    : grid(grid_), settings(settings_), blocks(std::uint64_t{grid_.blocks.x} * grid_.blocks.y * grid_.blocks.z) {}

bool Launch::next_block(std::uint64_t& linear) noexcept {
  const std::uint64_t i = started.fetch_add(1, std::memory_order_relaxed);
  if (i >= blocks) return false;
  go_on();
  switch (settings.schedule.order) {
    case Order::Forward:
      linear = i;
      break;
    case Order::Backward:
      linear = blocks - 1 - i;
      break;
    case Order::Random:
      linear = permute(i, blocks, settings.schedule.seed);
      break;
  }
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

void run_grid(Stream& stream, const Grid& grid) {
  if (!stream.begin_launch()) return;
  if (stream.is_device()) {
    stream.fail(LaunchStatus::InvalidLaunch, "a kernel built for the host cannot run on a device stream");
    return;
  }
  if (current.engine != nullptr) {
    stream.fail(LaunchStatus::InvalidLaunch, "a kernel launched another kernel: dynamic parallelism is not supported");
    return;
  }
  if (std::string text = defect(grid); !text.empty()) {
    stream.fail(LaunchStatus::InvalidLaunch, std::move(text));
    return;
  }
  if (!HostCode::check(stream, "before this launch")) return;
  Launch launch(grid, stream.settings());
  const bool is_watched = stream.settings().watch != nullptr;
  const std::uint64_t wanted = is_watched ? 1 : std::max(stream.settings().host_threads, 1u);
  const auto is_running = [&stream](std::uint64_t now) {
    if (stream.settings().running != nullptr) __atomic_store_n(stream.settings().running, now, __ATOMIC_RELAXED);
  };
  is_running(1);
  std::string changes;
  {
    const DeviceMemory::Use use(stream.settings().device_memory);
    const auto take_part = [&launch, &changes] {
      const EnvironmentGuard environment;
      Engine::of_this_host_thread().run(launch);
      std::string changed = EnvironmentGuard::changes();
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
  // Only now, on the host's own stack: looking up lines needs more than a fiber has.
  if (launch.report.status == LaunchStatus::WatchFinding) {
    launch.report.message = stream.settings().watch->finding()->message;
  }
  if (launch.report.status != LaunchStatus::Ok) {
    stream.fail(launch.report.status, std::move(launch.report.message), launch.report.block, launch.report.thread);
  }
  if (!changes.empty()) stream.fail(LaunchStatus::EnvironmentChanged, changes + " while the kernel ran");
}

}  // namespace negzero::simt
