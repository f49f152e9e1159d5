// Where a change of elements takes place: an input of the case, and some of its elements.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/base/random.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/number/format.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::mutate {

/// Elements begin, begin + step, ... of a tensor, `count` of them.
struct Region {
  std::int64_t begin = 0, count = 1, step = 1;
};
/// One element in half of the draws, else a run of any length or a stride: columns, and steps of powers of two.
/// Requires a tensor with elements.
[[nodiscard]] Region draw_region(const tensor::Tensor& tensor, base::Random& random);

/// Uniform in [0, bound). Requires bound > 0.
[[nodiscard]] inline std::int64_t place_below(std::int64_t bound, base::Random& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
}

/// An input with elements; of numbers, or of indices with the bound that goes with them.
struct Chosen {
  tensor::Tensor* tensor = nullptr;
  std::int64_t below = 0;
  bool has_none = false;  ///< -1 may be among them
};
/// Any input with elements of that kind; nothing where the case has none.
[[nodiscard]] std::optional<Chosen> choose(Work& work, bool indices);
/// The same for numbers; nullptr where the case has none.
[[nodiscard]] tensor::Tensor* choose_numbers(Work& work);

/// Replaces each word of a region by word_of(word).
template <typename WordOf>
void change(tensor::Tensor& tensor, const Region& region, WordOf&& word_of) {
  for (std::int64_t i = 0; i < region.count; ++i) {
    const std::int64_t at = region.begin + i * region.step;
    tensor.set(at, word_of(tensor.get(at)));
  }
}

/// The encoding with the other sign: of I32 in two's complement.
[[nodiscard]] std::uint64_t negated(const number::Format& format, std::uint64_t word);
/// The encoding so many steps up, or down where negative.
[[nodiscard]] std::uint64_t stepped(const number::Format& format, std::uint64_t word, std::int64_t steps);

}  // namespace negzero::mutate
