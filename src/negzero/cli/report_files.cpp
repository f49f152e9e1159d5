// How a command ends: the files that it writes of what it found, by one table of flags for all, and what it prints.

#include <chrono>
#include <filesystem>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/cli/command_line.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/files/writable.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/html.hpp>
#include <negzero/report/json.hpp>
#include <negzero/report/junit.hpp>
#include <negzero/report/markdown.hpp>
#include <negzero/report/sarif.hpp>

namespace negzero::cli {

namespace {

constexpr ReportFile kReportFiles[] = {
    {"--report",
     "write a page of HTML too, whole in itself: findings with their matrices as heat maps and the lines\n"
     "of source that they name, kernels, worst margins by strategy and shape",
     report::html, true},
    {"--sarif", "write findings as SARIF 2.1.0 too, which sites of source code show beside the lines", report::sarif},
    {"--junit",
     "write results as JUnit XML too: a finding is a failure; one that is accepted, and nothing decided, is\nskipped",
     report::junit},
    {"--markdown", "write a short summary in Markdown too, for a pull request", report::markdown},
};
static_assert(std::size(kReportFiles) == std::tuple_size_v<decltype(ReportFlags::paths)>);

/// The words of the command line with this seed in place of any other, ready for a shell.
std::string line_to_repeat(const Common& common, std::optional<std::uint64_t> seed) {
  std::string line = campaign::shell_word(common.command);
  for (std::size_t i = 0; i < common.arguments.size(); ++i) {
    const std::string& word = common.arguments[i];
    if (seed && word == "--seed") {
      ++i;
    } else if (!seed || !word.starts_with("--seed=")) {
      line += " " + campaign::shell_word(word);
    }
    // Right behind the command: what follows a lone -- would be no flag.
    if (seed && i == 0) line += fmt::format(" --seed {}", *seed);
  }
  return line;
}

/// The same for every way to write a path, links apart.
std::filesystem::path place_of_file(const std::string& path) {
  std::error_code code;
  return std::filesystem::absolute(path, code).lexically_normal();
}

/// Where the sources of kernels may lie: their names are relative to the root of a project, which is above the program
/// that was built from it, and mostly where the user stands.
report::Sources sources_of_kernels() {
  std::error_code code;
  std::vector<std::string> folders = {std::filesystem::current_path(code).string()};
  for (const std::vector<std::string>& program : kernel::registry().programs()) {
    std::filesystem::path above = program.empty() ? std::filesystem::read_symlink("/proc/self/exe", code)
                                                  : std::filesystem::path(program.front());
    while (above.has_relative_path()) folders.push_back((above = above.parent_path()).string());
  }
  return report::Sources(std::move(folders));
}

}  // namespace

std::span<const ReportFile> report_files() { return kReportFiles; }

bool draws_matrices(const ReportFlags& flags) {
  for (std::size_t i = 0; i < flags.paths.size(); ++i) {
    if (kReportFiles[i].draws_matrices && !flags.paths[i].empty()) return true;
  }
  return false;
}

base::Status check_reports(const ReportFlags& flags) {
  for (std::size_t i = 0; i < flags.paths.size(); ++i) {
    const std::string& path = flags.paths[i];
    if (path.empty()) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (flags.paths[j].empty() || place_of_file(flags.paths[j]) != place_of_file(path)) continue;
      return base::usage_error(fmt::format("{} {}: {} writes that file already; name another one", kReportFiles[i].flag,
                                           path, kReportFiles[j].flag));
    }
    if (const auto writable = files::check_writable_file(path); !writable) {
      return base::infrastructure_error(fmt::format("{} {}", kReportFiles[i].flag, writable.error().message));
    }
  }
  return base::Ok{};
}

int finish(const report::Document& document, const ReportFlags& flags, const Common& common, Outcome outcome) {
  for (std::size_t i = 0; i < flags.paths.size(); ++i) {
    if (flags.paths[i].empty()) continue;
    const std::string text = kReportFiles[i].text(document);
    const auto saved = files::write_file_atomically(flags.paths[i], std::as_bytes(std::span(text.data(), text.size())));
    if (saved) continue;
    complain(base::infrastructure_error(fmt::format("{} {}", kReportFiles[i].flag, saved.error().message)));
    outcome.infrastructure = true;
  }
  const bool printed =
      common.json ? print_document(report::json_text(document)) : print_text(report::console_text(document));
  outcome.infrastructure = outcome.infrastructure || !printed;
  return outcome.code();
}

report::Invocation invocation_of(const Common& common, std::optional<std::uint64_t> seed) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {.command = common.command,
          .repeat = line_to_repeat(common, seed),
          .version = kVersion,
          .written = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(now)),
          .sources = sources_of_kernels()};
}

}  // namespace negzero::cli
