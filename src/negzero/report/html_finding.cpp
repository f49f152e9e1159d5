// One finding as a part of a page.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/escape.hpp>
#include <negzero/report/heat_map.hpp>
#include <negzero/report/html_finding.hpp>

namespace negzero::report {

namespace {

/// Places in source that are shown with their lines.
constexpr std::size_t kMostPlaces = 8;

std::string claim_list(const FindingEntry& finding) {
  const verdict::Failure& failure = finding.failure;
  std::string text = "<dl>";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("<dt>{}</dt><dd>{}</dd>", name, escape_markup(value));
  };
  add("kernel", finding.kernel);
  add("claim", failure.message);
  add("watched", finding.watched);
  if (failure.element >= 0) {
    add("observed",
        fmt::format("{}[{}] = {}", failure.output, fmt::join(failure.coordinates, ", "), failure.observed_text));
  }
  // Of a comparison it is what the second kernel gave.
  add(failure.rule.family() == "compare" ? "the other" : "permitted", failure.permitted_text);
  const verdict::Rule rule = failure.rule;
  add("rule", rule.claim().empty() ? std::string(rule.id()) : fmt::format("{}: {}", rule.id(), rule.claim()));
  add("source of the rule", std::string(rule.source()));
  if (failure.failing_elements > 1) add("elements", fmt::format("{} of the case fail", failure.failing_elements));
  if (!finding.notes.empty()) add("notes", fmt::format("{}", fmt::join(finding.notes, " ")));
  add("case file", finding.case_path);
  return text + "</dl>\n";
}

std::string lines_of(const SourcePlace& place) {
  std::string text = "<pre>";
  for (const auto& [number, line] : place.lines) {
    const std::string shown = fmt::format("{:>5}  {}", number, escape_markup(line));
    text += number == place.line ? "<b class=\"here\">" + shown + "</b>\n" : shown + "\n";
  }
  return text + "</pre>\n";
}

std::string places_of(const FindingEntry& finding) {
  std::string text;
  const auto add = [&](const SourcePlace& place, const char* what) {
    text += fmt::format("<p>{}<code>{}:{}</code></p>\n", what,
                        escape_markup(place.file.empty() ? place.name : place.file), place.line);
    if (!place.lines.empty()) text += lines_of(place);
  };
  for (std::size_t i = 0; i < finding.places.size() && i < kMostPlaces; ++i) add(finding.places[i], "");
  if (finding.places.size() > kMostPlaces) {
    text += fmt::format("<p>{}</p>\n", plural(finding.places.size() - kMostPlaces, "more place"));
  }
  if (finding.places.empty() && !finding.registration.file.empty()) {
    add(finding.registration, "No line is named; the kernel is registered at ");
  }
  return text.empty() ? "" : "<h4>In source</h4>\n" + text;
}

std::string inputs_of(const campaign::Observation& observation) {
  if (observation.inputs.empty() && observation.left_out.empty()) return "";
  std::string text = "<h4>Inputs</h4>\n<div class=\"maps\">\n";
  for (const campaign::Grid& grid : observation.inputs) text += value_map(grid_name(grid), grid);
  text += "</div>\n";
  if (!observation.left_out.empty()) {
    text += fmt::format("<p>Too large to be drawn: {}. The case file has them.</p>\n",
                        escape_markup(fmt::format("{}", fmt::join(observation.left_out, ", "))));
  }
  return text;
}

std::string output_of(const campaign::Observation& observation) {
  std::string text = fmt::format("<h4>Output of <code>{}</code></h4>\n", escape_markup(observation.kernel));
  if (!observation.nothing.empty()) {
    return text + fmt::format("<p>There is none to draw: {}.</p>\n", escape_markup(observation.nothing));
  }
  if (!observation.remark.empty()) text += fmt::format("<p>{}</p>\n", escape_markup(observation.remark));
  return text + "<div class=\"maps\">\n" + value_map("observed: " + grid_name(observation.output), observation.output) +
         exact_map(observation) + error_map(observation) + permitted_map(observation) + "</div>\n";
}

}  // namespace

std::string html_finding(const FindingEntry& finding) {
  std::string text = fmt::format("<article>\n<h3>{}</h3>\n{}", escape_markup(finding.heading), claim_list(finding));
  if (!finding.replay.empty()) {
    text += fmt::format("<h4>To see it again</h4>\n<pre>{}</pre>\n", escape_markup(finding.replay));
  }
  text += places_of(finding);
  if (!finding.observations.empty()) text += inputs_of(finding.observations.front());
  for (const campaign::Observation& observation : finding.observations) text += output_of(observation);
  if (!finding.case_text.empty()) {
    text += fmt::format("<h4>The case</h4>\n<pre>{}</pre>\n", escape_markup(finding.case_text));
  }
  if (const std::string lines = finding_text(finding); !lines.empty()) {
    text += fmt::format("<details><summary>as on the console</summary><pre>{}</pre></details>\n", escape_markup(lines));
  }
  return text + "</article>\n";
}

}  // namespace negzero::report
