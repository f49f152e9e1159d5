// A document as lines for a person.

#pragma once

#include <cstdint>
#include <string>

#include <negzero/campaign/fuzz.hpp>
#include <negzero/report/document.hpp>

namespace negzero::report {

/// What a command prints at its end: findings that it has not told yet, a line a kernel with what is to be said of it,
/// kernels that did not run, and the sums. Undecided cases are never called a pass.
[[nodiscard]] std::string console_text(const Document& document);

/// A finding: the counterexample, what a watched run says, where its files are, how it was reached. Below it a line for
/// each place in source that it names, which begins as lines of compilers do, so that editors and terminals can go
/// there: "kernels/x.cu:12: data_race: sum += x[i];", "kernels/x.cu:15: data_race, in 2 other cases: ...". The path is
/// as the kernel's build names it, mostly from the root of a project.
[[nodiscard]] std::string finding_text(const FindingEntry& finding);

/// The lines of finding_text() that are about places in source.
[[nodiscard]] std::string place_lines(const FindingEntry& finding);

/// One line for a pair of a list that was compared: how it came out, and how many results were bit-identical or differ
/// though both contracts permit them.
[[nodiscard]] std::string pair_line(const campaign::ComparedPair& pair, bool bitwise);

/// One line for a judgement of a replay, and the counterexample where it failed; empty for a case that no kernel asked
/// for implements, because the sums tell those. Requires Judgement::replayed.
[[nodiscard]] std::string item_text(const Judgement& judgement);

/// "12345 cases, 310/s, 842 features, 31 code blocks, 96 in the corpus, 2 findings, 3.1 % vacuous": one line while a
/// search runs. `left_ms`: of the time limit; 0 where there is none.
[[nodiscard]] std::string fuzz_progress_text(const campaign::FuzzPoint& now, std::uint64_t vacuous,
                                             double cases_a_second, std::uint64_t left_ms);

}  // namespace negzero::report
