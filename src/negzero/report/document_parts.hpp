// What the documents of the commands are made of alike.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// "1 case", "2 cases".
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view word);

/// "3.1 %"; "0.0 %" of nothing.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

/// "1.5 s".
[[nodiscard]] std::string seconds(std::uint64_t ms);

/// "4 h 5 min", "17 min 21 s", below a minute as seconds(): for times that are too long to be read as seconds.
[[nodiscard]] std::string long_time(std::uint64_t ms);

/// "842 features, 31 code blocks", "842 features of values only": what a search has learned from.
[[nodiscard]] std::string features_text(std::uint64_t features, std::uint64_t code_blocks);
/// The second number alone, "none: features are of values only" where it is 0.
[[nodiscard]] std::string code_blocks_text(std::uint64_t code_blocks);

/// A kernel's name with what is declared of it; no counts yet.
[[nodiscard]] KernelEntry declared_entry(const std::string& name);
/// A kernel that ran: with its counts, its note, and what the ledger keeps from being watched.
[[nodiscard]] KernelEntry counted_entry(const std::string& name, const campaign::Counts& counts,
                                        const std::string& note, const campaign::LedgerOutcome& ledger);

/// Judges each kernel that ran, and each accepted finding on its own, as tests of JUnit.
void judge_kernels(Document& document);
/// Notes what a ledger came to: kernels that did not run as entries and skipped judgements, stale entries as failed
/// ones.
void add_ledger(const campaign::LedgerOutcome& ledger, Document& document);
/// Notes errors of ours, each also as a judgement of no kernel.
void add_errors(const std::vector<base::Error>& errors, Document& document);
/// Appends the number of kernels that ran, and the sums of their counts, to the facts.
void add_count_facts(Document& document);

/// Of a document's findings, those that are accepted.
[[nodiscard]] std::size_t count_accepted(const Document& document);

/// "no finding", "1 finding, interrupted", "nothing was decided".
[[nodiscard]] std::string ending(std::size_t findings, bool decided, bool interrupted);
/// ", all of them resting on guesses", of findings that are not accepted; empty where none does.
[[nodiscard]] std::string guess_ending(const Document& document);
/// ", 2 accepted findings, 1 kernel not run, 1 accepted finding that did not occur"; empty where no ledger says more.
[[nodiscard]] std::string ledger_ending(std::size_t accepted, const campaign::LedgerOutcome& ledger);
/// "not run: accepted finding #1: ...", "not run watched: ...".
[[nodiscard]] std::string not_run_text(const campaign::NotRun& kernel);

}  // namespace negzero::report
