// Results of warp operations, as functions of the lanes that take part.

#pragma once

#include <cstdint>
#include <span>

#include <negzero/engine/current.hpp>

namespace negzero::engine {

/// Where a shuffle of `lane` reads, by the pseudo-code of PTX `shfl.sync` (PTX ISA, 9.7.9.6) with CUDA's clamp value.
/// `request.segment` is 32 - width; widths that are not powers of two follow the same formula.
[[nodiscard]] unsigned shuffle_source(WarpKind kind, unsigned lane, std::uint32_t operand,
                                      std::uint32_t segment) noexcept;

/// Replaces the value of every lane in `group` by its result. `requests` has 32 entries, null outside the group. Lanes
/// whose source is not in the group get `poison` in every byte; they are returned, one bit a lane. Of a Gather that
/// lacks lanes, the first lane is returned, with the first one that is missing as its `operand`.
[[nodiscard]] std::uint32_t resolve(std::span<WarpRequest* const, 32> requests, std::uint32_t group,
                                    std::uint8_t poison) noexcept;

}  // namespace negzero::engine
