// Results of warp operations.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include <negzero/engine/warp.hpp>

namespace negzero::engine {

namespace {

bool is_shuffle(WarpKind kind) { return kind >= WarpKind::Shuffle && kind <= WarpKind::ShuffleXor; }

std::uint64_t fold(WarpKind kind, std::uint64_t a, std::uint64_t b) {
  const auto ua = static_cast<std::uint32_t>(a);
  const auto ub = static_cast<std::uint32_t>(b);
  const auto sa = static_cast<std::int32_t>(ua);
  const auto sb = static_cast<std::int32_t>(ub);
  switch (kind) {
    case WarpKind::Add:
      return ua + ub;
    case WarpKind::Min:
      return std::min(ua, ub);
    case WarpKind::Max:
      return std::max(ua, ub);
    case WarpKind::MinSigned:
      return static_cast<std::uint32_t>(std::min(sa, sb));
    case WarpKind::MaxSigned:
      return static_cast<std::uint32_t>(std::max(sa, sb));
    case WarpKind::And:
      return ua & ub;
    case WarpKind::Or:
      return ua | ub;
    default:
      return ua ^ ub;
  }
}

template <typename F>
void for_each_lane(std::uint32_t lanes, F&& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

const Gathering& gathering_of(const WarpRequest& request) { return *reinterpret_cast<const Gathering*>(request.value); }

/// Hands every lane the pieces of all.
std::uint32_t gather(std::span<WarpRequest* const, 32> requests, std::uint32_t group, std::uint8_t poison) {
  for_each_lane(group, [&](unsigned lane) {
    const Gathering& own = gathering_of(*requests[lane]);
    if (own.size_bytes == 0) return;
    auto* to = static_cast<std::byte*>(own.all);
    for (unsigned other = 0; other < 32; ++other, to += own.size_bytes) {
      if ((group >> other & 1) != 0) {
        std::memcpy(to, gathering_of(*requests[other]).piece, own.size_bytes);
      } else {
        std::memset(to, poison, own.size_bytes);
      }
    }
  });
  if (group == ~0u) return 0;
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  requests[first]->operand = static_cast<std::uint32_t>(std::countr_one(group));
  return 1u << first;
}

}  // namespace

unsigned shuffle_source(WarpKind kind, unsigned lane, std::uint32_t operand, std::uint32_t segment) noexcept {
  const auto b = static_cast<int>(operand & 31);
  const std::uint32_t mask = segment & 31;
  const auto self = static_cast<int>(lane);
  const auto first = static_cast<int>(lane & mask);
  const auto last = static_cast<int>((lane & mask) | (31 & ~mask));
  switch (kind) {
    case WarpKind::ShuffleUp:
      return static_cast<unsigned>(self - b >= first ? self - b : self);
    case WarpKind::ShuffleDown:
      return static_cast<unsigned>(self + b <= last ? self + b : self);
    case WarpKind::ShuffleXor:
      return static_cast<unsigned>((self ^ b) <= last ? self ^ b : self);
    default: {
      const int source = first | (b & static_cast<int>(31 & ~mask));
      return static_cast<unsigned>(source <= last ? source : self);
    }
  }
}

std::uint32_t resolve(std::span<WarpRequest* const, 32> requests, std::uint32_t group, std::uint8_t poison) noexcept {
  const WarpKind kind = requests[static_cast<unsigned>(std::countr_zero(group))]->kind;
  if (kind == WarpKind::Sync) return 0;
  if (kind == WarpKind::Gather) return gather(requests, group, poison);

  std::array<std::uint64_t, 32> values{};
  std::uint32_t truths = 0;
  for_each_lane(group, [&](unsigned lane) {
    values[lane] = requests[lane]->value;
    if (values[lane] != 0) truths |= 1u << lane;
  });

  std::uint32_t without_value = 0;
  if (is_shuffle(kind)) {
    for_each_lane(group, [&](unsigned lane) {
      WarpRequest& request = *requests[lane];
      const unsigned source = shuffle_source(kind, lane, request.operand, request.segment);
      if ((group >> source & 1) != 0) {
        request.value = values[source];
      } else {
        request.value = 0x0101010101010101u * poison;
        without_value |= 1u << lane;
      }
    });
    return without_value;
  }

  std::uint64_t common = 0;
  switch (kind) {
    case WarpKind::Ballot:
      common = truths;
      break;
    case WarpKind::Any:
      common = truths != 0;
      break;
    case WarpKind::All:
      common = truths == group;
      break;
    case WarpKind::MatchAny:
      for_each_lane(group, [&](unsigned lane) {
        std::uint32_t equal = 0;
        for_each_lane(group, [&](unsigned other) { equal |= (values[other] == values[lane] ? 1u : 0u) << other; });
        requests[lane]->value = equal;
      });
      return 0;
    case WarpKind::MatchAll: {
      const std::uint64_t first = values[static_cast<unsigned>(std::countr_zero(group))];
      common = group;
      for_each_lane(group, [&](unsigned lane) { common = values[lane] == first ? common : 0; });
      break;
    }
    default: {
      const auto first = static_cast<unsigned>(std::countr_zero(group));
      common = values[first];
      for_each_lane(group & (group - 1), [&](unsigned lane) { common = fold(kind, common, values[lane]); });
      break;
    }
  }
  for_each_lane(group, [&](unsigned lane) { requests[lane]->value = common; });
  return 0;
}

}  // namespace negzero::engine
