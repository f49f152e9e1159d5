// A document as a short summary in Markdown, for a pull request.

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/escape.hpp>
#include <negzero/report/markdown.hpp>

namespace negzero::report {

namespace {

/// Most bytes of one counterexample: most of a screen says why; the file says everything.
constexpr std::size_t kMostText = 4000;
/// Most bytes of an error of ours.
constexpr std::size_t kMostError = 300;
/// Kernels in the table, and errors.
constexpr std::size_t kMostRows = 40, kMostErrors = 20;

/// The beginning of a text, cut between two lines where it is longer than `most` bytes.
std::string beginning(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::size_t line = text.rfind('\n', most);
  return text.substr(0, line == std::string::npos ? most : line) + "\n... (the rest is left out here)";
}

std::string kernels_table(const Document& document) {
  struct Row {
    std::string words;
    std::uint64_t cases = 0;  ///< that were told with the findings
  };
  std::map<std::string, Row> classes;
  for (const FindingEntry& finding : findings_of(document)) {
    auto& [words, cases] = classes[finding.kernel];
    cases += finding.alike;
    words += fmt::format("{}{} by {}{}", words.empty() ? "" : ", ", verdict::name(finding.failure.kind),
                         finding.failure.rule, finding.accepted ? " (accepted)" : "");
  }
  std::map<std::string, const KernelEntry*> entries;
  for (const KernelEntry& kernel : document.kernels) entries[kernel.name] = &kernel;
  std::string text = "| kernel | findings | failing cases |\n|---|---|---|\n";
  std::size_t rows = 0;
  for (const auto& [kernel, row] : classes) {
    if (rows++ == kMostRows) return text + fmt::format("\n{} more failed.\n", classes.size() - kMostRows);
    const auto entry = entries.find(kernel);
    const bool counted = entry != entries.end() && entry->second->cases > 0;
    const std::string cases = counted         ? fmt::format("{} of {}", entry->second->fail, entry->second->cases)
                              : row.cases > 0 ? std::to_string(row.cases)
                                              : "";
    text += fmt::format("| {} | {} | {} |\n", markdown_code(kernel), markdown_code(row.words), cases);
  }
  return text;
}

std::string finding_markdown(const FindingEntry& finding) {
  std::string text = fmt::format("<details>\n<summary>{}</summary>\n\n{}", markdown_code(finding.heading),
                                 markdown_block(beginning(finding_text(finding), kMostText)));
  if (!finding.replay.empty()) text += "\nReplay:\n\n" + markdown_block(finding.replay);
  return text + "\n</details>\n\n";
}

std::string list_markdown(const std::vector<std::string>& errors) {
  std::string text;
  for (std::size_t i = 0; i < errors.size() && i < kMostErrors; ++i) {
    text += fmt::format("- {}\n", markdown_code(errors[i].substr(0, kMostError)));
  }
  if (errors.size() > kMostErrors) text += fmt::format("\n{} more.\n", errors.size() - kMostErrors);
  return text;
}

}  // namespace

std::string markdown(const Document& document) {
  std::string text = fmt::format("### {}\n\n", markdown_code(document.title));
  const char* comma = "";
  for (const Fact& fact : document.facts) {
    if (!fact.words.empty()) {
      text += fmt::format("{}{} {}", std::exchange(comma, ", "), fact.words, markdown_code(shown(fact)));
    }
  }
  text += "\n\n";
  if (!document.invocation.repeat.empty())
    text += markdown_block(beginning(document.invocation.repeat, kMostText)) + "\n";
  if (!findings_of(document).empty()) text += kernels_table(document) + "\n";
  std::vector<std::string> not_run;
  for (const campaign::NotRun& each : document.ledger.not_run) {
    not_run.push_back(fmt::format("{}: {}", each.kernel, not_run_text(each)));
  }
  if (!not_run.empty()) text += "**Not run**\n\n" + list_markdown(not_run) + "\n";
  std::string errors;
  if (const std::vector<std::string> all = problems(document); !all.empty()) {
    errors = "**Errors**\n\n" + list_markdown(all);
  }
  std::size_t left_out = 0;
  for (const FindingEntry& finding : findings_of(document)) {
    const std::string next = finding_markdown(finding);
    if (left_out > 0 || text.size() + next.size() + errors.size() + 100 > kMostMarkdownBytes) {
      ++left_out;
    } else {
      text += next;
    }
  }
  if (left_out > 0) text += fmt::format("{} left out here, for want of room.\n\n", plural(left_out, "more finding"));
  text += errors;
  return text;
}

}  // namespace negzero::report
