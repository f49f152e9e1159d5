// A document as a short summary in Markdown, for a pull request.

#include <map>
#include <string_view>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
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
  std::map<std::string, std::string> classes;
  for (const FindingEntry& finding : document.findings) {
    std::string& words = classes[finding.kernel];
    words += fmt::format("{}{} by {}{}", words.empty() ? "" : ", ", verdict::name(finding.failure.kind),
                         finding.failure.rule, finding.accepted ? " (accepted)" : "");
  }
  std::map<std::string, const KernelEntry*> entries;
  for (const KernelEntry& kernel : document.kernels) entries[kernel.name] = &kernel;
  std::string text = "| kernel | findings | failing cases |\n|---|---|---|\n";
  std::size_t rows = 0;
  for (const auto& [kernel, words] : classes) {
    if (rows++ == kMostRows) return text + fmt::format("\n{} more failed.\n", classes.size() - kMostRows);
    const auto entry = entries.find(kernel);
    const bool counted = entry != entries.end() && entry->second->cases > 0;
    text += fmt::format("| {} | {} | {} |\n", markdown_code(kernel), markdown_code(words),
                        counted ? fmt::format("{} of {}", entry->second->fail, entry->second->cases) : "");
  }
  return text;
}

std::string finding_markdown(const FindingEntry& finding) {
  std::string text = fmt::format("<details>\n<summary>{}</summary>\n\n{}", markdown_code(finding.heading),
                                 markdown_block(beginning(finding.text, kMostText)));
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
  for (std::size_t i = 0; i < document.facts.size(); ++i) {
    const auto& [name, value] = document.facts[i];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", name, markdown_code(value));
  }
  text += "\n\n";
  if (!document.invocation.repeat.empty())
    text += markdown_block(beginning(document.invocation.repeat, kMostText)) + "\n";
  if (!document.findings.empty()) text += kernels_table(document) + "\n";
  if (!document.not_run.empty()) text += "**Not run**\n\n" + list_markdown(document.not_run) + "\n";
  std::string errors;
  if (!document.errors.empty()) errors = "**Errors**\n\n" + list_markdown(document.errors);
  std::size_t left_out = 0;
  for (const FindingEntry& finding : document.findings) {
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
