// Launches a kernel's host build, plain or watched, on the engine of this process.

#include <new>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/base/stopwatch.hpp>
#include <negzero/engine/device_memory.hpp>
#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/protocol/workspace.hpp>
#include <negzero/watch/coverage.hpp>
#include <negzero/worker/args.hpp>
#include <negzero/worker/distant_buffers.hpp>
#include <negzero/worker/host_launcher.hpp>
#include <negzero/worker/watched.hpp>

namespace negzero::worker {

namespace {

engine::Settings settings_of(const protocol::LaunchPlan& plan) {
  using From = operation::Schedule::Order;
  engine::Settings settings;
  settings.schedule.order = plan.schedule.order == From::Forward    ? engine::Order::Forward
                            : plan.schedule.order == From::Backward ? engine::Order::Backward
                                                                    : engine::Order::Random;
  settings.schedule.preempt = plan.schedule.preempt;
  settings.schedule.seed = plan.schedule.seed;
  settings.environment = base::FloatEnvironment::rounding(plan.schedule.rounding);
  settings.poison = plan.poison == operation::Poison::Nan ? 0xff : 0x7b;
  // One thread may do the work of all, and wait for others at every element. Threads that only wait are told after
  // milliseconds.
  settings.event_budget = (std::uint64_t{1} << 22) + 1024 * plan.elements;
  settings.idle_budget = (std::uint64_t{1} << 16) + 16 * plan.elements;
  return settings;
}

/// The pages of a case in the image: no other case lies on them.
std::span<std::byte> pages_of(const protocol::LaunchPlan& plan, std::byte* image) {
  constexpr std::uint64_t kPageBytes = 4096;
  const protocol::Part part = protocol::part_of(plan);
  const std::uint64_t begin = part.begin / kPageBytes * kPageBytes;
  const std::uint64_t end = (part.begin + part.size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  return {image + begin, end - begin};
}

}  // namespace

/// Workspace from guarded regions in an arena.
class GuardedWorkspace final : public kernel::Workspace {
 public:
  /// Allocations come from `arena`, and become regions of `watched`, unless it is null.
  void begin(operation::Poison poison, engine::DeviceArena& arena, WatchedCase* watched) {
    arena_ = &arena;
    poison_ = poison;
    watched_ = watched;
    regions_.clear();
    asked_too_much_ = false;
  }
  void* allocate(std::size_t size_bytes) override {
    asked_too_much_ = size_bytes > protocol::kMostBufferBytes;
    if (asked_too_much_) throw std::bad_alloc();
    const engine::DeviceMemory::Use use(&arena_->memory());
    const auto room = arena_->take(protocol::guarded_bytes(size_bytes), protocol::kBufferAlignment);
    const std::uint64_t pattern = protocol::poison_pattern(poison_, number::format(number::FormatId::F32));
    const std::size_t number = regions_.size();
    protocol::GuardedRegion& region = regions_.emplace_back(room.data() + protocol::kGuardBytes, size_bytes, pattern);
    region.poison();
    arena_->memory().add_buffer("workspace " + std::to_string(number), region.data());
    if (watched_ != nullptr) watched_->add_workspace(number, region.data());
    return region.data().data();
  }
  /// Whether the last allocation asked for more than any machine has: a negative size, say.
  [[nodiscard]] bool asked_too_much() const { return asked_too_much_; }
  /// The first stray write around an allocation.
  [[nodiscard]] std::optional<protocol::LaunchOutcome> damage() const {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (const auto at = regions_[i].guard_damage())
        return protocol::workspace_damage(i, *at, regions_[i].size_bytes());
    }
    return std::nullopt;
  }

 private:
  std::vector<protocol::GuardedRegion> regions_;
  engine::DeviceArena* arena_ = nullptr;
  WatchedCase* watched_ = nullptr;
  operation::Poison poison_ = operation::Poison::Nan;
  bool asked_too_much_ = false;
};

struct HostLauncher::Memory {
  engine::DeviceArena arena;
  DistantBuffers distant;
  GuardedWorkspace workspace;
  WatchedCase watched;
  watch::Coverage coverage;
  engine::Stream streams[protocol::kStreams];
  std::uint64_t launches = 0;  ///< of kernels, by the wrapper that was called last
  std::uint64_t calls = 0;     ///< of wrappers, as they count for kLaunchesClosed
  /// Draws the launches that are closed later. A kernel that could count to them would work unseen between them.
  base::Random chance{std::random_device{}()};
};

HostLauncher::HostLauncher() : memory_(std::make_unique<Memory>()) {
  for (engine::Stream& stream : memory_->streams) stream = engine::Stream({}, &stream);
}
HostLauncher::~HostLauncher() = default;

protocol::LaunchOutcome HostLauncher::launch_one(const protocol::LaunchPlan& plan, const kernel::Kernel& kernel,
                                                 std::byte* image, bool closed) {
  WatchedCase* const watched = kernel.build.watched ? &memory_->watched : nullptr;
  memory_->arena.clear();
  DistantBuffers& distant = memory_->distant;
  distant.show(progress_ != nullptr ? &progress_->fault : nullptr);
  if (!distant.lay_out(plan, image)) {
    return protocol::LaunchOutcome::error(
        "there is no room of addresses, or there are no mappings left, for tensors whose elements lie far apart "
        "(ulimit -v, sysctl vm.max_map_count)");
  }
  const auto base_of = [&](std::size_t b) {
    std::byte* const base = distant.bases().empty() ? nullptr : distant.bases()[b];
    return base != nullptr ? base : image + plan.buffers[b].at;
  };
  engine::Settings settings = settings_of(plan);
  if (watched != nullptr) {
    watched->begin();
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
      const protocol::PlannedBuffer& buffer = plan.buffers[b];
      if (buffer.use == protocol::BufferUse::InOutput) continue;
      const std::byte* const base = base_of(b);
      watched->add(buffer, base, protocol::is_distant(buffer) ? distant.around(base) : std::span<const std::byte>());
    }
    settings.observer = &watched->watch().observer();
  }
  settings.progress = progress_ != nullptr ? &progress_->beats : nullptr;
  settings.running = progress_ != nullptr ? &progress_->in_kernel : nullptr;
  engine::DeviceMemory& device = memory_->arena.memory();
  device.add_pages(pages_of(plan, image));
  distant.add_to(device);
  for (const protocol::PlannedBuffer& buffer : plan.buffers) {
    if (buffer.use == protocol::BufferUse::InOutput || protocol::is_distant(buffer)) continue;
    device.add_buffer(buffer.name, {image + buffer.at, buffer.size_bytes()});
  }
  memory_->workspace.begin(plan.poison, memory_->arena, watched);
  if (closed) settings.device_memory = &device;
  engine::Stream& stream = memory_->streams[plan.stream];
  stream.reset(settings);
  if (watched != nullptr) memory_->coverage.start();
  auto failure =
      call(kernel, args_of(plan, image, kernel.limits.configuration, distant.bases()), memory_->workspace, stream);
  memory_->coverage.stop();
  memory_->launches = stream.report().launches;
  using engine::LaunchStatus;
  const LaunchStatus status = stream.report().status;
  protocol::LaunchOutcome outcome{.status = protocol::LaunchOutcome::Status::Done};
  if (status == LaunchStatus::EndedByObserver) {
    outcome = watched->outcome();
  } else if (memory_->workspace.asked_too_much()) {
    outcome = protocol::LaunchOutcome::failed(protocol::Fault::BadLaunch,
                                              "the launch wrapper asked for more workspace than any machine has");
  } else if (failure) {
    outcome = *std::move(failure);
  } else if (auto damage = memory_->workspace.damage()) {
    outcome = *std::move(damage);
  } else if (watched != nullptr) {
    if (auto stores = watched->equal_stores()) outcome = *std::move(stores);
  }
  if (outcome.status == protocol::LaunchOutcome::Status::Done && device.stayed_open()) {
    outcome = protocol::LaunchOutcome::error(
        "device memory could not be closed to host code: the process has too many mappings; raise the limit "
        "(sysctl vm.max_map_count), or have the kernel's host code make fewer");
  }
  distant.take_back(image);
  outcome.warnings = stream.report().warnings;
  if (watched != nullptr) {
    const std::vector<std::string>& seen = watched->watch().warnings();
    outcome.warnings.insert(outcome.warnings.end(), seen.begin(), seen.end());
    for (std::string& race : watched->watch().by_value()) outcome.warnings.push_back(std::move(race));
    outcome.covered = memory_->coverage.blocks();
  }
  // Threads of a launch that was ended stand in the middle of the kernel, and its device variables with them.
  const bool has_ended = status == LaunchStatus::DivergentBarrier || status == LaunchStatus::Hang ||
                         status == LaunchStatus::SharedOverrun || status == LaunchStatus::EndedByObserver ||
                         status == LaunchStatus::NotThere;
  outcome.spoilt = has_ended && (watched == nullptr || watched->watch().saw_variables());
  return outcome;
}

std::vector<protocol::LaunchOutcome> HostLauncher::launch(std::span<const protocol::LaunchPlan> plans,
                                                          const kernel::Kernel& kernel, std::byte* image) {
  std::vector<protocol::LaunchOutcome> outcomes;
  outcomes.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    is_at(i, protocol::Whereabouts::InWrapper);
    const base::Stopwatch watch(base::Stopwatch::Of::OwnTime);
    const std::uint64_t call = memory_->calls++;
    const bool closed = call < kLaunchesClosed || memory_->chance.one_in(kClosedEvery);
    protocol::LaunchOutcome outcome = launch_one(plans[i], kernel, image, closed);
    const bool is_silent = memory_->launches == 0 && outcome.status == protocol::LaunchOutcome::Status::Done;
    if (!closed && is_silent) outcome = launch_one(plans[i], kernel, image, true);
    outcome.took_us = base::message_us(watch.us());
    outcomes.push_back(std::move(outcome));
    if (outcomes.back().spoilt) break;
  }
  is_at(outcomes.size(), protocol::Whereabouts::Between);
  return outcomes;
}

}  // namespace negzero::worker
