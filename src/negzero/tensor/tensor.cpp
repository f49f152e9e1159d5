// Packed tensors: allocation and the passes over all elements.

#include <utility>

#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::tensor {
namespace {

template <typename Word>
void widen(const std::byte* from, std::uint64_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
    to[i] = word;
  }
}

template <typename Word>
void narrow(const std::uint64_t* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = static_cast<Word>(from[i]);
    std::memcpy(to + i * sizeof(Word), &word, sizeof(Word));
  }
}

}  // namespace

Tensor::Tensor(number::FormatId format, std::vector<std::int64_t> shape)
    : format_(format),
      shape_(std::move(shape)),
      count_(count_elements(shape_)),
      element_bytes_(static_cast<std::size_t>(number::format(format).bytes())),
      bytes_(static_cast<std::size_t>(count_) * element_bytes_) {}

std::vector<std::uint64_t> Tensor::words() const {
  const auto count = static_cast<std::size_t>(count_);
  std::vector<std::uint64_t> result(count);
  switch (element_bytes_) {
    case 1:
      widen<std::uint8_t>(bytes_.data(), result.data(), count);
      break;
    case 2:
      widen<std::uint16_t>(bytes_.data(), result.data(), count);
      break;
    case 4:
      widen<std::uint32_t>(bytes_.data(), result.data(), count);
      break;
    default:
      widen<std::uint64_t>(bytes_.data(), result.data(), count);
  }
  return result;
}

void Tensor::assign(std::span<const std::uint64_t> words) noexcept {
  const auto count = static_cast<std::size_t>(count_);
  switch (element_bytes_) {
    case 1:
      narrow<std::uint8_t>(words.data(), bytes_.data(), count);
      break;
    case 2:
      narrow<std::uint16_t>(words.data(), bytes_.data(), count);
      break;
    case 4:
      narrow<std::uint32_t>(words.data(), bytes_.data(), count);
      break;
    default:
      narrow<std::uint64_t>(words.data(), bytes_.data(), count);
  }
}

}  // namespace negzero::tensor
