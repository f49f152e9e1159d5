// Where the memory of a buffer lies in the image: in one piece, or, of a distant layout, its islands.

#include <algorithm>
#include <cstring>

#include <negzero/protocol/islands.hpp>

namespace negzero::protocol {

namespace {

/// Calls move(place in memory, place in packed) for every element of a buffer.
template <typename Move>
void for_each_element(const PlannedBuffer& buffer, std::span<const Piece> pieces, const Move& move) {
  const std::size_t size = buffer.element_bytes();
  const std::int64_t count = buffer.layout.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<std::size_t>(buffer.layout.address(i)) * size;
    move(place_of(pieces, byte), static_cast<std::size_t>(i) * size, size);
  }
}

}  // namespace

std::size_t place_of(std::span<const Piece> pieces, std::size_t byte) noexcept {
  const auto behind = std::ranges::upper_bound(pieces, byte, {}, &Piece::begin);
  const Piece& piece = *(behind - 1);
  return piece.at + (byte - piece.begin);
}

void scatter_to(const PlannedBuffer& buffer, std::span<const Piece> pieces, std::span<const std::byte> packed,
                std::byte* memory) noexcept {
  for_each_element(buffer, pieces, [&](std::size_t there, std::size_t here, std::size_t size) {
    std::memcpy(memory + there, packed.data() + here, size);
  });
}

void gather_from(const PlannedBuffer& buffer, std::span<const Piece> pieces, const std::byte* memory,
                 std::span<std::byte> packed) noexcept {
  for_each_element(buffer, pieces, [&](std::size_t there, std::size_t here, std::size_t size) {
    std::memcpy(packed.data() + here, memory + there, size);
  });
}

std::size_t owner_of(const LaunchPlan& plan, std::size_t number) noexcept {
  if (plan.buffers[number].use != BufferUse::InOutput) return number;
  const auto holds_it = [&](const PlannedBuffer& other) {
    return other.use != BufferUse::InOutput && other.at == plan.buffers[number].at;
  };
  return static_cast<std::size_t>(std::ranges::find_if(plan.buffers, holds_it) - plan.buffers.begin());
}

bool is_distant(const LaunchPlan& plan) noexcept {
  return std::ranges::any_of(plan.buffers, [](const PlannedBuffer& buffer) { return is_distant(buffer); });
}

std::vector<Piece> pieces_of(const PlannedBuffer& buffer) {
  if (!is_distant(buffer)) return {{0, buffer.size_bytes(), buffer.at}};
  std::vector<Piece> pieces;
  std::size_t at = buffer.at;
  const auto islands = tensor::islands_of(buffer.layout, buffer.element_bytes());
  for (const tensor::Island& island : islands.value_or(std::vector<tensor::Island>())) {
    pieces.push_back({static_cast<std::size_t>(island.begin), static_cast<std::size_t>(island.size_bytes()), at});
    at += pieces.back().size_bytes + 2 * kGuardBytes;
  }
  return pieces;
}

std::size_t image_bytes(const tensor::Layout& layout, std::size_t element_bytes) {
  if (!tensor::is_distant(layout)) return static_cast<std::size_t>(layout.extent()) * element_bytes;
  std::size_t bytes = 0;
  const auto islands = tensor::islands_of(layout, element_bytes);
  for (const tensor::Island& island : islands.value_or(std::vector<tensor::Island>())) {
    bytes += static_cast<std::size_t>(island.size_bytes()) + (bytes > 0 ? 2 * kGuardBytes : 0);
  }
  return bytes;
}

}  // namespace negzero::protocol
