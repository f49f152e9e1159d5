// A document as a short summary in Markdown, for a pull request.

#pragma once

#include <cstddef>
#include <string>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// Most bytes of a summary. GitHub takes comments of 65,536 characters, and a job may write more around this one.
inline constexpr std::size_t kMostMarkdownBytes = 60000;

/// The outcome as a heading, what ran, a table of the kernels that failed, each finding collapsed with its
/// counterexample and the line that replays it, the errors of ours. Text of strangers stands in code alone, where it
/// has no meaning. What would make it longer than kMostMarkdownBytes is cut, and said to be.
[[nodiscard]] std::string markdown(const Document& document);

}  // namespace negzero::report
