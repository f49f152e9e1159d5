// Where the memory of a buffer lies in the image: in one piece, or, of a distant layout, its islands one after the
// other.
//
//   image   [guard][island 0][guard] [guard][island 1][guard] ...      `at` is the first byte of island 0
//   kernel  [guard][island 0][guard] ....no memory.... [guard][island 1][guard]    where the layout has them
//
// Who launches lays the islands out at their distances, copies them there with their guard zones, and back.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <negzero/protocol/launch_plan.hpp>
#include <negzero/tensor/islands.hpp>

namespace negzero::protocol {

/// A piece of a buffer's memory, in the image between guard zones of its own.
struct Piece {
  std::size_t begin = 0;       ///< its first byte, counted from the start of the memory that the layout spans
  std::size_t size_bytes = 0;  ///< may reach past the end of the buffer by less than tensor::kIslandUnit
  std::size_t at = 0;          ///< its first byte in the image
};

/// Where a buffer's address 0 lies in its reservation of addresses, and the bytes of such a reservation. A wrapped
/// offset, of 32 bits and elements of up to 8 bytes, leads at most so far before the buffer or past its end, and
/// nothing else of the process lies there.
inline constexpr std::size_t kReservedBefore = std::size_t{1} << 35;
inline constexpr std::size_t kReservedBytes =
    2 * kReservedBefore + static_cast<std::size_t>(tensor::kMaxSpan) * sizeof(double);

[[nodiscard]] inline bool is_distant(const PlannedBuffer& buffer) noexcept { return tensor::is_distant(buffer.layout); }
/// Whether a buffer of the plan is distant.
[[nodiscard]] bool is_distant(const LaunchPlan& plan) noexcept;

/// The pieces of a buffer in ascending order: all of it, unless it is distant. Requires a layout that
/// operation::validate() or read_plan() accepts.
[[nodiscard]] std::vector<Piece> pieces_of(const PlannedBuffer& buffer);

/// Puts packed element i of a distant buffer where its piece has it, in memory whose first byte is that of
/// Piece::at == 0, for every i in ascending order; other memory is left alone. Requires pieces_of() the buffer, perhaps
/// at other places, and as many packed elements as it has.
void scatter_to(const PlannedBuffer& buffer, std::span<const Piece> pieces, std::span<const std::byte> packed,
                std::byte* memory) noexcept;
/// The way back.
void gather_from(const PlannedBuffer& buffer, std::span<const Piece> pieces, const std::byte* memory,
                 std::span<std::byte> packed) noexcept;
/// The buffer whose memory buffer `number` of a plan lies in: itself, but for BufferUse::InOutput.
[[nodiscard]] std::size_t owner_of(const LaunchPlan& plan, std::size_t number) noexcept;
/// Where the byte of the buffer lies in that memory. Requires a byte of a piece.
[[nodiscard]] std::size_t place_of(std::span<const Piece> pieces, std::size_t byte) noexcept;

/// Bytes of the image that a buffer of such a layout takes, but for the first guard zone and the last.
[[nodiscard]] std::size_t image_bytes(const tensor::Layout& layout, std::size_t element_bytes);

}  // namespace negzero::protocol
