// Tensors as files and memory hold them whose elements fill no bytes: two of 4 bits share one, and 6 bits take one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::tensor {

/// The shape of the bytes that hold elements of a format of that shape. Each line of d half bytes takes (d + 1) / 2
/// bytes, so that every line begins with a byte of its own; a scalar takes one. Other formats keep their shape.
[[nodiscard]] std::vector<std::int64_t> byte_shape(const number::Format& format, std::vector<std::int64_t> shape);

/// Where those bytes lie, in bytes. A layout of half bytes is packed, and its offset even (is_byte_layout()): element i
/// of a line lies in half i % 2 of byte i / 2, the low half first. Other formats keep their layout.
[[nodiscard]] Layout byte_layout(const number::Format& format, const Layout& layout);

/// Whether a layout says where half bytes may lie: packed behind an even offset.
[[nodiscard]] bool is_byte_layout(const Layout& layout);

/// Puts half bytes two a byte, low half first. The high half of the last byte of an odd line becomes `padding`.
/// Requires a tensor of half bytes, and as many bytes as byte_shape() says.
void pack_halves(const Tensor& elements, std::uint64_t padding, std::span<std::byte> bytes) noexcept;
/// The way back; what lies in padding is left out.
void unpack_halves(std::span<const std::byte> bytes, Tensor& elements) noexcept;

/// A tensor as a file holds it: bytes (U8) where its format does not fill bytes, with `padding` behind odd lines of
/// half bytes, else itself.
[[nodiscard]] Tensor as_stored(const Tensor& elements, std::uint64_t padding = 0);
/// The way back: a tensor of that format and shape from what as_stored() gave. Nothing where `stored` is not that.
[[nodiscard]] std::optional<Tensor> from_stored(const Tensor& stored, number::FormatId format,
                                                const std::vector<std::int64_t>& shape);

}  // namespace negzero::tensor
