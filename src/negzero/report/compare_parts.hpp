// What the documents of `compare` with two kernels and with a list have alike.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// What a pair has added to a document.
struct PairSums {
  std::uint64_t findings = 0;  ///< those that count
  std::size_t judgement = 0;   ///< its place in Document::judgements
};

/// "gemm.a.f32@host against gemm.b.f32@cuda".
[[nodiscard]] std::string sides_of(const campaign::CompareReport& report);

/// Adds a pair to a document: its kernels where they are not there yet, a finding for each kind of difference, and one
/// judgement. `bitwise`: differences that both contracts permit count.
[[nodiscard]] PairSums add_pair(const campaign::CompareReport& report, const Invocation& invocation, bool bitwise,
                                Document& document);

}  // namespace negzero::report
