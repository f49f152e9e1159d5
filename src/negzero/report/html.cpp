// A document as one page that can be opened from an e-mail.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <negzero/report/document_parts.hpp>
#include <negzero/report/escape.hpp>
#include <negzero/report/html.hpp>
#include <negzero/report/html_finding.hpp>
#include <negzero/report/html_style.hpp>
#include <negzero/report/over_time.hpp>

namespace negzero::report {

namespace {

/// Rows of judgements that did not pass, and kernels whose margins are unfolded.
constexpr std::size_t kMostJudgements = 500, kMostUnfolded = 3;

std::string summary(const Document& document) {
  std::string text = "<dl class=\"tiles\">";
  const auto add = [&](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(name), escape_markup(value));
  };
  for (const Fact& fact : document.facts) {
    if (!fact.words.empty()) add(fact.words, shown(fact));
  }
  const Invocation& invocation = document.invocation;
  add("written", invocation.written);
  add("version", invocation.version);
  text += "</dl>\n";
  if (document.interrupted) text += "<p class=\"bad\">Interrupted: not everything that was asked for ran.</p>\n";
  if (!invocation.repeat.empty()) {
    text += fmt::format("<h4>To do the same again</h4>\n<pre>{}</pre>\n", escape_markup(invocation.repeat));
  }
  return text;
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string text = "<ul>";
  for (const std::string& line : lines) text += fmt::format("<li>{}</li>", escape_markup(line));
  return text + "</ul>\n";
}

std::string kernel_row(const KernelEntry& kernel, bool counted) {
  std::string text = fmt::format("<tr><td><code>{}</code>", escape_markup(kernel.name));
  if (!kernel.about.empty()) text += fmt::format("<br/><span class=\"soft\">{}</span>", escape_markup(kernel.about));
  for (const std::string& note : kernel.notes) text += fmt::format("<br/>{}", escape_markup(note));
  text += "</td>";
  if (counted) {
    const std::string outcome = kernel.fail > kernel.accepted ? "<span class=\"bad\">FAIL</span>"
                                : !kernel.decided()           ? "nothing decided"
                                : kernel.error > 0            ? "<span class=\"bad\">errors</span>"
                                : kernel.fail > 0             ? "fails as accepted"
                                                              : "<span class=\"good\">pass</span>";
    text += fmt::format("<td>{}</td>", outcome);
    for (const std::uint64_t count : {kernel.cases, kernel.pass, kernel.fail, kernel.not_judged, kernel.vacuous,
                                      kernel.refused, kernel.error, kernel.watched}) {
      text += fmt::format("<td class=\"number\">{}</td>", count);
    }
    text += kernel.pass > 0 ? fmt::format("<td class=\"number\">{:.3f}</td>", kernel.worst_margin)
                            : std::string("<td class=\"number\">-</td>");
  }
  return text + fmt::format("<td>{}</td></tr>\n", escape_markup(kernel.contract));
}

std::string kernels_section(const Document& document) {
  if (document.kernels.empty()) return "";
  const bool counted = std::ranges::any_of(document.kernels, [](const KernelEntry& each) { return each.cases > 0; });
  std::string text = "<h2>Kernels</h2>\n<div class=\"scroll\"><table class=\"rows\"><tr><th>kernel</th>";
  if (counted) {
    text += "<th>outcome</th>";
    for (const char* name :
         {"cases", "pass", "fail", "values not judged", "vacuous", "refused", "errors", "watched", "worst margin"}) {
      text += fmt::format("<th class=\"number\">{}</th>", name);
    }
  }
  text += "<th>contract</th></tr>\n";
  for (const KernelEntry& kernel : document.kernels) text += kernel_row(kernel, counted);
  return text + "</table></div>\n";
}

const std::map<std::string, campaign::MarginsBySize>& margins_of(const KernelEntry& kernel) {
  static const std::map<std::string, campaign::MarginsBySize> kNone;
  return kernel.checked ? kernel.checked->margins : kNone;
}

std::string margins_table(const KernelEntry& kernel) {
  std::string text = "<div class=\"scroll\"><table class=\"rows\"><tr><th>strategy</th>";
  for (const std::uint64_t most : campaign::kSizes) text += fmt::format("<th>up to {} elements</th>", most);
  text += "<th>more</th></tr>\n";
  for (const auto& [strategy, sizes] : margins_of(kernel)) {
    text += fmt::format("<tr><th scope=\"row\">{}</th>", escape_markup(strategy.empty() ? "not known" : strategy));
    for (const campaign::WorstMargin& worst : sizes) {
      text += "<td>";
      if (!worst.shape.empty()) {
        text += fmt::format("<b>{:.3f}</b><small>case {}: {}</small>", worst.margin, worst.index,
                            escape_markup(worst.shape));
      }
      if (worst.cases > 0) text += fmt::format("<small>{}", plural(worst.cases, "case"));
      if (worst.fail > 0) text += fmt::format(", <span class=\"bad\">{} failing</span>", worst.fail);
      text += worst.cases > 0 ? "</small></td>" : "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string margins_section(const Document& document) {
  std::string text;
  std::size_t kernels = 0;
  const auto has_none = [](const KernelEntry& kernel) { return kernel.pass == 0 || margins_of(kernel).empty(); };
  for (const KernelEntry& kernel : document.kernels) kernels += has_none(kernel) ? 0 : 1;
  for (const KernelEntry& kernel : document.kernels) {
    if (has_none(kernel)) continue;
    text += fmt::format("<details{}><summary><code>{}</code>, worst {:.3f}</summary>\n{}</details>\n",
                        kernels <= kMostUnfolded ? " open=\"open\"" : "", escape_markup(kernel.name),
                        kernel.worst_margin, margins_table(kernel));
  }
  if (text.empty()) return "";
  return "<h2>Worst margins by strategy and shape</h2>\n<p class=\"soft\">Of the passing cases: how far the worst "
         "element is from the exact result, over what is permitted there. 0 is exact, 1 is the last permitted "
         "value.</p>\n" +
         text;
}

std::string_view status_word(Judgement::Status status) {
  using Status = Judgement::Status;
  return status == Status::Failed ? "failed" : status == Status::Error ? "error" : "skipped";
}

/// What did not pass, where no table of kernels says it.
std::string judgements_section(const Document& document) {
  if (!document.kernels.empty()) return "";
  std::string rows;
  std::size_t passed = 0, others = 0;
  for (const Judgement& judgement : document.judgements) {
    if (judgement.status == Judgement::Status::Passed) {
      ++passed;
    } else if (others++ < kMostJudgements) {
      rows += fmt::format("<tr><td><code>{}</code></td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                          escape_markup(judgement.name), escape_markup(judgement.kernel), status_word(judgement.status),
                          escape_markup(judgement.message));
    }
  }
  if (passed + others == 0) return "";
  std::string text = fmt::format("<h2>Cases</h2>\n<p>{} as expected.</p>\n", passed);
  if (others == 0) return text;
  text +=
      "<div class=\"scroll\"><table class=\"rows\"><tr><th>case</th><th>kernel</th><th>status</th><th>why</th></tr>\n" +
      rows + "</table></div>\n";
  if (others > kMostJudgements) text += fmt::format("<p>{} more are left out here.</p>\n", others - kMostJudgements);
  return text;
}

std::string tables_section(const Document& document) {
  std::string text;
  for (const Table& table : document.tables) {
    if (table.rows.empty()) continue;
    text += fmt::format("<h2>{}</h2>\n<p class=\"soft\">{}</p>\n<div class=\"scroll\"><table class=\"rows\">",
                        escape_markup(table.title), escape_markup(table.about));
    const auto add = [&](const std::vector<std::string>& cells, const char* element) {
      text += "<tr>";
      for (std::size_t i = 0; i < cells.size(); ++i) {
        text += fmt::format("<{0}{1}>{2}</{0}>", element, i == 0 ? "" : " class=\"number\"", escape_markup(cells[i]));
      }
      text += "</tr>\n";
    };
    add(table.head, "th");
    for (const auto& row : table.rows) add(row, "td");
    text += "</table></div>\n";
  }
  return text;
}

std::string findings_section(const Document& document) {
  auto findings = findings_of(document);
  if (findings.empty()) return "";
  std::string text = "<h2>Findings</h2>\n";
  const auto is_drawn = [](const FindingEntry& finding) { return !finding.observations.empty(); };
  if (std::ranges::any_of(findings, is_drawn)) {
    text +=
        "<p class=\"soft\">Matrices: blue is negative, orange positive, stronger where the magnitude is larger; "
        "violet is NaN or infinite. Rows are numbered by all dimensions but the last. An error in ulps counts "
        "representable steps of the output's format.</p>\n";
  }
  for (const FindingEntry& finding : findings) text += html_finding(finding);
  return text;
}

}  // namespace

std::string html(const Document& document) {
  const std::string title = escape_markup(document.title);
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{}</title>\n<style>{}</style></head>\n"
      "<body>\n<h1>{}</h1>\n",
      title, kStyle, title);
  text += summary(document);
  const std::vector<std::string> errors = problems(document);
  if (!errors.empty()) text += "<h2>Errors</h2>\n" + list_of(errors);
  text += findings_section(document);
  text += kernels_section(document);
  text += judgements_section(document);
  text += over_time_section(document.over_time);
  text += tables_section(document);
  text += margins_section(document);
  return text + "</body></html>\n";
}

}  // namespace negzero::report
