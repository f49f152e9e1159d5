// How a command ends: the files that it writes of what it found, by one table of flags for all, and what it prints.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/report/document.hpp>

namespace negzero::cli {

/// One flag with what it writes.
struct ReportFile {
  const char* flag;  ///< "--sarif"
  const char* help;
  std::string (*text)(const report::Document& document);
  bool draws_matrices = false;  ///< so that each finding is run once more for its output
};

/// All of them, in the order of ReportFlags::paths.
[[nodiscard]] std::span<const ReportFile> report_files();

/// Whether a report was asked for that draws matrices.
[[nodiscard]] bool draws_matrices(const ReportFlags& flags);

/// Whether every file that was asked for can be written, found out before any case runs. Infrastructure error: flag,
/// path, reason and cure. Usage error: two reports in one file.
[[nodiscard]] base::Status check_reports(const ReportFlags& flags);

/// Ends a command: writes every file that was asked for, each at once or not at all, then prints the document as JSON
/// or as text, and returns the exit code. What cannot be written is told, adds an infrastructure error to `outcome`,
/// and keeps nothing else from being written.
[[nodiscard]] int finish(const report::Document& document, const ReportFlags& flags, const Common& common,
                         Outcome outcome);

/// How this program was called, with the seed that it used where it used one: the line to repeat a run has it even
/// where the user left the choice to the program.
[[nodiscard]] report::Invocation invocation_of(const Common& common, std::optional<std::uint64_t> seed);

}  // namespace negzero::cli
