// Workspace of launches on a GPU: guarded and poisoned there, its guard zones brought back and compared.

#include <algorithm>
#include <array>
#include <new>
#include <span>

#include <negzero/protocol/workspace.hpp>
#include <negzero/worker/device_workspace.hpp>

namespace negzero::worker {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 22, kGuardBlockBytes = std::size_t{1} << 18;

std::size_t rounded(std::size_t bytes) {
  return (bytes + protocol::kBufferAlignment - 1) / protocol::kBufferAlignment * protocol::kBufferAlignment;
}

void require(device::Answer answer) {
  if (!answer.ok()) throw std::bad_alloc();
}

}  // namespace

device::Answer DevicePoison::prepare(device::Stream& stream) {
  device::Answer answer = upload_.reserve(2 * kBytes);
  if (answer.ok()) answer = patterns_.reserve(2 * kBytes);
  if (!answer.ok()) return answer;
  protocol::fill_pattern({upload_.data(), kBytes}, protocol::workspace_pattern(operation::Poison::Nan));
  protocol::fill_pattern({upload_.data() + kBytes, kBytes}, protocol::workspace_pattern(operation::Poison::Large));
  return stream.copy_to_device(patterns_.data(), upload_.data(), 2 * kBytes);
}

DeviceWorkspace::DeviceWorkspace(device::Stream& stream, const DevicePoison& poison)
    : stream_(stream),
      patterns_(poison),
      rooms_(kBlockBytes),
      guards_(kGuardBlockBytes),
      gpu_bytes_(std::max<std::size_t>(device::gpu_memory_bytes(), 1)) {}

void DeviceWorkspace::begin_batch() {
  allocations_.clear();
  fetched_ = 0;
  rooms_.rewind();
  guards_.rewind();
}

void DeviceWorkspace::begin_case(std::size_t number, operation::Poison poison) {
  case_number_ = number;
  next_number_ = 0;
  poison_ = poison;
  exhausted_ = asked_too_much_ = false;
}

void DeviceWorkspace::poison(std::byte* d_begin, std::size_t size_bytes, operation::Poison poison) {
  for (std::size_t done = 0; done < size_bytes; done += DevicePoison::kBytes) {
    const std::size_t next = std::min(DevicePoison::kBytes, size_bytes - done);
    require(stream_.copy_on_device(d_begin + done, patterns_.of(poison), next));
  }
}

void* DeviceWorkspace::allocate(std::size_t size_bytes) {
  // Also keeps the sum below from wrapping.
  asked_too_much_ = size_bytes > gpu_bytes_;
  if (asked_too_much_) throw std::bad_alloc();
  exhausted_ = true;  // Until it has gone well.
  const std::size_t whole = rounded(size_bytes) + 2 * protocol::kGuardBytes;
  std::byte* begin = nullptr;
  require(rooms_.take(whole, begin));
  poison(begin, whole, poison_);
  allocations_.push_back({case_number_, next_number_++, size_bytes, begin + protocol::kGuardBytes, rooms_.block(),
                          protocol::workspace_pattern(poison_)});
  exhausted_ = false;
  return begin + protocol::kGuardBytes;
}

device::Answer DeviceWorkspace::fetch(device::Stream& stream) {
  rooms_.rewind();
  const auto allocations = std::span(allocations_).subspan(fetched_);
  if (allocations.empty()) return {};
  // Neighbours of one block come back in one copy: what lies between two guard zones costs less than a copy of its own.
  constexpr std::size_t kNear = 16384;
  struct Range {
    const std::byte* d_begin;
    std::size_t block, size_bytes, at;
  };
  std::vector<Range> ranges;
  std::size_t total = 0;
  const auto add = [&](const std::byte* d_begin, std::size_t block) {
    if (!ranges.empty()) {
      Range& last = ranges.back();
      const std::byte* const end = last.d_begin + last.size_bytes;
      const bool is_near = last.block == block && d_begin >= end && static_cast<std::size_t>(d_begin - end) < kNear;
      if (is_near) {
        const auto more = static_cast<std::size_t>(d_begin + protocol::kGuardBytes - end);
        last.size_bytes += more;
        total += more;
        return last.at + static_cast<std::size_t>(d_begin - last.d_begin);
      }
    }
    ranges.push_back({d_begin, block, protocol::kGuardBytes, total});
    total += protocol::kGuardBytes;
    return ranges.back().at;
  };
  std::vector<std::size_t> places;
  for (const Allocation& each : allocations) {
    places.push_back(add(each.d_data - protocol::kGuardBytes, each.block));
    places.push_back(add(each.d_data + each.size_bytes, each.block));
  }
  std::byte* h_guards = nullptr;
  if (const device::Answer taken = guards_.take(total, h_guards); !taken.ok()) return taken;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    allocations[i].h_front = h_guards + places[2 * i];
    allocations[i].h_back = h_guards + places[2 * i + 1];
  }
  fetched_ = allocations_.size();
  for (const Range& range : ranges) {
    const auto copied = stream.copy_to_host(h_guards + range.at, range.d_begin, range.size_bytes);
    if (!copied.ok()) return copied;
  }
  return {};
}

std::optional<DeviceWorkspace::Damage> DeviceWorkspace::damage(std::size_t case_number) const {
  for (const Allocation& each : allocations_) {
    if (each.case_number != case_number) continue;
    if (const auto damage = damage_of(each)) return damage;
  }
  return std::nullopt;
}

std::optional<DeviceWorkspace::Damage> DeviceWorkspace::damage_of(const Allocation& each) {
  // The zones as they would lie around data of the smallest size with the same phase of the pattern.
  const std::size_t phase = each.size_bytes % 8;
  std::array<std::byte, 2 * protocol::kGuardBytes + 8> zones;
  std::copy_n(each.h_front, protocol::kGuardBytes, zones.data());
  std::copy_n(each.h_back, protocol::kGuardBytes, zones.data() + protocol::kGuardBytes + phase);
  const auto at = protocol::GuardedRegion(zones.data() + protocol::kGuardBytes, phase, each.pattern).guard_damage();
  if (!at) return std::nullopt;
  const auto behind = static_cast<std::ptrdiff_t>(each.size_bytes - phase);
  return Damage{each.number, *at < 0 ? *at : *at + behind, each.size_bytes};
}

}  // namespace negzero::worker
