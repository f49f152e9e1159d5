// What the memory of a case's tensors holds before a launch, word by word, and which words are elements of outputs.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/as_code/finding.hpp>
#include <negzero/as_code/ranges.hpp>
#include <negzero/base/result.hpp>
#include <negzero/number/format.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::as_code {

/// What is permitted of one element of an output.
struct Element {
  std::int64_t at = 0;          ///< its word in the memory
  std::vector<Range> ranges{};  ///< none: anything
  std::string words{};          ///< "d[0, 1]: permitted -1 (0xbf800000)"
};

struct Buffer {
  std::string name{};
  number::FormatId format = number::FormatId::F32;
  tensor::Layout layout{};
  std::string lies_in{};  ///< the output that has the memory of this input; empty: it has memory of its own
  std::uint64_t poison = 0;
  std::vector<std::uint64_t> words{};  ///< all that the layout spans
  std::string values{};                ///< the first elements in decimal, for a comment
  bool is_output = false;
  std::vector<Element> elements{};  ///< of an output
};

/// Whether the memory of a case's tensors can be written word by word: not where elements lie far apart
/// (tensor/islands.hpp). The error says so.
[[nodiscard]] base::Status is_in_one_piece(const Finding& finding);

/// The buffers of a case as a run of negzero lays them out: inputs in their order, outputs behind them. Poison lies in
/// padding, in outputs, and in inputs that the contract says are not read. Elements of 4 and 6 bits are bytes there
/// (U8). Requires is_in_one_piece().
[[nodiscard]] std::vector<Buffer> buffers_of(const Finding& finding);

}  // namespace negzero::as_code
