// Half bytes line by line.

#include <algorithm>
#include <utility>

#include <negzero/tensor/half_bytes.hpp>

namespace negzero::tensor {
namespace {

/// Calls each(element, byte, is_high) for every half byte of lines of that length.
template <typename Each>
void for_each_half(const std::vector<std::int64_t>& shape, std::int64_t count, const Each& each) {
  const std::int64_t line = shape.empty() ? 1 : shape.back();
  std::int64_t byte = 0;
  for (std::int64_t first = 0; first < count; first += line) {
    for (std::int64_t i = 0; i < line; ++i) each(first + i, static_cast<std::size_t>(byte + i / 2), i % 2 != 0);
    byte += (line + 1) / 2;
  }
}

}  // namespace

std::vector<std::int64_t> byte_shape(const number::Format& format, std::vector<std::int64_t> shape) {
  if (format.is_half_byte() && !shape.empty()) shape.back() = shape.back() / 2 + shape.back() % 2;
  return shape;
}

Layout byte_layout(const number::Format& format, const Layout& layout) {
  if (!format.is_half_byte()) return layout;
  Layout bytes = Layout::packed(byte_shape(format, layout.shape));
  bytes.offset = layout.offset / 2;
  return bytes;
}

bool is_byte_layout(const Layout& layout) {
  if (layout.offset % 2 != 0) return false;
  const Layout packed = Layout::packed(layout.shape);
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] > 1 && layout.strides[d] != packed.strides[d]) return false;
  }
  return true;
}

void pack_halves(const Tensor& elements, std::uint64_t padding, std::span<std::byte> bytes) noexcept {
  std::ranges::fill(bytes, static_cast<std::byte>(padding << 4));
  for_each_half(elements.shape(), elements.element_count(), [&](std::int64_t i, std::size_t byte, bool is_high) {
    const auto half = static_cast<std::byte>(elements.get(i) & 15);
    bytes[byte] = is_high ? (bytes[byte] & std::byte{15}) | half << 4 : (bytes[byte] & std::byte{0xf0}) | half;
  });
}

void unpack_halves(std::span<const std::byte> bytes, Tensor& elements) noexcept {
  for_each_half(elements.shape(), elements.element_count(), [&](std::int64_t i, std::size_t byte, bool is_high) {
    elements.set(i, std::to_integer<std::uint64_t>(is_high ? bytes[byte] >> 4 : bytes[byte] & std::byte{15}));
  });
}

Tensor as_stored(const Tensor& elements, std::uint64_t padding) {
  if (elements.format().fills_bytes()) return elements;
  Tensor stored(number::FormatId::U8, byte_shape(elements.format(), elements.shape()));
  if (elements.format().is_half_byte()) {
    pack_halves(elements, padding, stored.bytes());
  } else {
    std::ranges::copy(elements.bytes(), stored.bytes().begin());
  }
  return stored;
}

std::optional<Tensor> from_stored(const Tensor& stored, number::FormatId id, const std::vector<std::int64_t>& shape) {
  const number::Format& format = number::format(id);
  const number::FormatId held = format.fills_bytes() ? id : number::FormatId::U8;
  if (stored.format_id() != held || stored.shape() != byte_shape(format, shape)) return std::nullopt;
  if (format.fills_bytes()) return stored;
  Tensor elements(id, shape);
  if (format.is_half_byte()) {
    unpack_halves(stored.bytes(), elements);
  } else {
    std::ranges::copy(stored.bytes(), elements.bytes().begin());
  }
  return elements;
}

}  // namespace negzero::tensor
