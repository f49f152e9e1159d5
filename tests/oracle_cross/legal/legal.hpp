// A simulator of one evaluation that a contract permits: the bits that one implementation, drawn at random, gives.
//
// It shares no code with the oracle. What a careful author of kernels may do is read from numerics.md: which tree, what
// is fused, which of the permitted formats, where alpha and C act, what is flushed where that is left open.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>

#include "luck.hpp"
#include "plan.hpp"

namespace negzero::oracle_legal {

[[nodiscard]] inline bool is_integer(number::FormatId id) {
  return id == number::FormatId::I32 || id == number::FormatId::I64;
}
/// The number that a word of I32 is.
[[nodiscard]] inline std::int64_t integer_of_word(std::uint64_t word) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
}

/// What one output element is made of.
struct Question {
  enum class Kind : std::uint8_t { Product, Sum, Mean, Location, Conversion, Selection };
  Kind kind = Kind::Product;
  number::FormatId a = number::FormatId::F32, b = number::FormatId::F32, c = number::FormatId::F32,
                   d = number::FormatId::F32;
  std::vector<std::uint64_t> x{}, y{};  ///< words of a (of values) and of b
  std::uint64_t addend = 0;             ///< the word of C, or what a location holds before
  operation::Scalar alpha{number::FormatId::F32, 0x3f800000}, beta{number::FormatId::F32, 0};
  bool takes_greatest = false, gives_index = false, is_update = false;  ///< of a selection
  bool has_c = false;                                                   ///< of a product: there is a C
};
/// Of an element that counts in an operation that is simulated; else nothing.
[[nodiscard]] std::optional<Question> question_of(const operation::Case& value, std::int64_t element);

/// A case of one element that this question is asked of.
[[nodiscard]] operation::Case case_of(const Question& question);

/// One result, and what is special about how it came to be.
struct Legal {
  std::uint64_t word = 0;
  Traits traits = 0;
};
/// One evaluation; nothing where the drawn one turns out not to be permitted.
[[nodiscard]] std::optional<Legal> evaluate(const Question& question, const contract::Contract& contract,
                                            base::Random& random);

// Its parts.

[[nodiscard]] std::uint64_t product_of(Luck& luck, const Question& question);
[[nodiscard]] std::uint64_t integer_of(Luck& luck, const Question& question);
[[nodiscard]] std::uint64_t conversion_of(Luck& luck, const Question& question);
[[nodiscard]] std::uint64_t selection_of(Luck& luck, const Question& question);

}  // namespace negzero::oracle_legal
