// What a line says of the indices and counts that a tensor holds: whether they keep it, and the way back.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::operation {

/// The element that is -1 where the words of its tensor say that this is no index.
inline constexpr std::int64_t kNoIndex = -1;

/// An element that breaks a word, and the word's demand.
struct BrokenWord {
  std::int64_t element = 0;  ///< in row-major order
  std::string what, cure;    ///< "is at[0, 1] too, and at is distinct", "give another index below 5"
};

/// The first element that breaks a word behind the bound of its tensor, or `ascending`; the bound itself is not looked
/// at, nor are elements beyond it.
[[nodiscard]] std::optional<BrokenWord> broken_word(const TensorSpec& spec, const tensor::Tensor& indices);

/// Checks the elements of an input of indices or counts: the bound, then the words. Of other inputs nothing. A usage
/// error names the tensor, the element, its value and the cure.
[[nodiscard]] base::Status check_indices(const TensorSpec& spec, const tensor::Tensor& indices);

/// Changes as few elements as it can so that the tensor keeps its words: one that another has already becomes the least
/// index that is not there, or -1 where there is none left and it may be; ends of offsets move. Elements that keep
/// theirs stay, but that ascending ones are sorted.
void keep_words(const TensorSpec& spec, tensor::Tensor& indices);

}  // namespace negzero::operation
