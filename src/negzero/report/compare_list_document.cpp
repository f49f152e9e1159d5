// What `compare --list` has to tell.

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/report/compare_parts.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

namespace {

using campaign::ComparedPair;
using Outcome = campaign::ComparedPair::Outcome;

/// The numbers of a pair, each with its key in JSON and its column.
struct Column {
  const char* key;
  const char* words;
  std::uint64_t (*count)(const campaign::CompareReport& report);
};
constexpr Column kColumns[] = {
    {"cases", "cases", [](const campaign::CompareReport& each) { return each.cases; }},
    {"identical", "bit-identical", [](const campaign::CompareReport& each) { return each.identical; }},
    {"without_results", "no results", [](const campaign::CompareReport& each) { return each.without_results; }},
    {"both_permitted", "permitted", [](const campaign::CompareReport& each) { return each.both_permitted(); }},
    {"not_permitted", "not permitted",
     [](const campaign::CompareReport& each) { return each.differing() - each.both_permitted(); }},
    {"refused", "refused", [](const campaign::CompareReport& each) { return each.refused; }},
    {"error", "errors", [](const campaign::CompareReport& each) { return each.error; }}};

constexpr Outcome kOutcomes[] = {Outcome::Identical, Outcome::Permitted,   Outcome::Finding, Outcome::Error,
                                 Outcome::Undecided, Outcome::Interrupted, Outcome::NotRun};

/// The outcome for a person, by campaign::ComparedPair::Outcome.
std::string_view words_of(Outcome outcome) {
  constexpr std::string_view kWords[] = {"same bits",        "permitted",   "FINDING", "ERROR",
                                         "nothing compared", "interrupted", "not run"};
  return kWords[static_cast<std::size_t>(outcome)];
}

PairEntry entry_of(const ComparedPair& pair, bool bitwise) {
  PairEntry entry;
  entry.facts = {{"first", "", pair.report.first},           {"second", "", pair.report.second},
                 {"line", "", std::uint64_t{pair.line}},     {"outcome", "", std::string(name(pair.outcome(bitwise)))},
                 {"elapsed_ms", "", pair.report.elapsed_ms}, {"interrupted", "", pair.report.interrupted}};
  for (const Column& column : kColumns) entry.facts.push_back({column.key, "", column.count(pair.report)});
  entry.facts.push_back({"refusal", "", pair.report.refusal});
  if (pair.error) entry.errors.push_back(pair.error->message);
  for (const base::Error& error : pair.report.errors) entry.errors.push_back(error.message);
  return entry;
}

/// Says in one sentence why a pair that did not run, or not to its end, is no pass.
void judge_unrun(const ComparedPair& pair, Judgement& judgement) {
  judgement.status = pair.error ? Judgement::Status::Error : Judgement::Status::Skipped;
  judgement.message = pair.error ? pair.error->message
                      : pair.ran ? fmt::format("interrupted after {}", plural(pair.report.cases, "case"))
                                 : "not run: the end came before";
}

Table table_of(const std::vector<ComparedPair>& pairs, bool bitwise) {
  Table table{.title = "Pairs",
              .about =
                  "Cases of each pair: both gave the same bits, they differ and both contracts permit it, they "
                  "differ otherwise. A pair of which nothing was compared, or that did not run to its end, is no pass.",
              .head = {"pair", "outcome"}};
  for (const Column& column : kColumns) table.head.emplace_back(column.words);
  for (const ComparedPair& pair : pairs) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {sides_of(pair.report), std::string(words_of(pair.outcome(bitwise)))};
    for (const Column& column : kColumns) row.push_back(std::to_string(column.count(pair.report)));
  }
  return table;
}

/// The table for a console: numbers first, each below the words of its column, then the outcome and the pair.
std::string text_of(const Table& table) {
  std::size_t outcome = table.head[1].size();
  for (const auto& row : table.rows) outcome = std::max(outcome, row[1].size());
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 2; i < cells.size(); ++i) {
      text += fmt::format("{:>{}}  ", cells[i], std::max<std::size_t>(table.head[i].size(), 7));
    }
    return text + fmt::format("{:<{}}  {}\n", cells[1], outcome, cells[0]);
  };
  std::string text = "\n" + line(table.head);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

/// A line for each kernel without a partner; of many the first ones.
std::string text_of(const std::vector<campaign::WithoutPartner>& alone) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, alone.size()); ++i) {
    text += fmt::format("line {}: {} has no partner {}\n", alone[i].line, alone[i].kernel, alone[i].partner);
  }
  if (alone.size() > kMost) text += fmt::format("{} more have no partner; --json has all\n", alone.size() - kMost);
  return text;
}

/// "12 pairs: 8 same bits, 3 permitted, 1 nothing compared".
std::string sums_text(const std::vector<ComparedPair>& pairs, bool bitwise) {
  std::string text = plural(pairs.size(), "pair");
  const char* comma = ": ";
  for (const Outcome outcome : kOutcomes) {
    const auto count =
        std::ranges::count_if(pairs, [&](const ComparedPair& pair) { return pair.outcome(bitwise) == outcome; });
    if (count > 0) text += fmt::format("{}{} {}", std::exchange(comma, ", "), count, words_of(outcome));
  }
  return text;
}

}  // namespace

std::string pair_line(const ComparedPair& pair, bool bitwise) {
  const campaign::CompareReport& report = pair.report;
  const Outcome outcome = pair.outcome(bitwise);
  constexpr std::string_view kBeginnings[] = {"ok", "ok", "FAIL", "ERROR", "none", "skip", "skip"};
  std::string text = fmt::format("{:<5} {}: ", kBeginnings[static_cast<std::size_t>(outcome)], sides_of(report));
  if (pair.error) return text + base::one_line(pair.error->message) + "\n";
  if (!pair.ran) return text + "not run\n";
  text += fmt::format("{}, {} bit-identical", plural(report.cases, "case"), report.identical);
  if (report.without_results > 0) text += fmt::format(" ({} without results)", report.without_results);
  const std::uint64_t permitted = report.both_permitted(), others = report.differing() - permitted;
  if (permitted > 0) text += fmt::format(", {} differ and both contracts permit it", permitted);
  if (others > 0) text += fmt::format(", {} differ otherwise", others);
  if (report.refused > 0) text += fmt::format(", {} refused", report.refused);
  if (report.error > 0) text += ", " + plural(report.error, "error");
  if (!report.errors.empty()) text += fmt::format(" ({})", base::one_line(report.errors.front().message));
  if (outcome == Outcome::Undecided) text += ": nothing was compared";
  if (outcome == Outcome::Undecided && report.refused > 0) text += " (" + base::one_line(report.refusal) + ")";
  return text + fmt::format(", {}{}\n", seconds(report.elapsed_ms), report.interrupted ? ", interrupted" : "");
}

Document document_of(const campaign::CompareListReport& report, const Invocation& invocation, bool bitwise) {
  Document document{.invocation = invocation,
                    .lists = {List::Pairs, List::Alone, List::Errors},
                    .alone = report.alone,
                    .interrupted = report.interrupted};
  std::uint64_t findings = 0;
  for (const ComparedPair& pair : report.pairs) {
    PairEntry entry = entry_of(pair, bitwise);
    entry.findings = document.findings.size();
    const PairSums sums = add_pair(pair.report, invocation, bitwise, document);
    entry.count = document.findings.size() - entry.findings;
    findings += sums.findings;
    const Outcome outcome = pair.outcome(bitwise);
    if (!pair.ran || outcome == Outcome::Interrupted) judge_unrun(pair, document.judgements[sums.judgement]);
    for (std::size_t i = entry.findings; i < document.findings.size(); ++i) {
      FindingEntry& finding = document.findings[i];
      // Of what is permitted, the smallest case is named and not shown: there is one in most pairs.
      if (finding.counts) {
        finding.counterexample = fmt::format("\n{}{}", sides_of(pair.report), finding.counterexample);
      } else {
        finding.counterexample = fmt::format("{}: {}: {} show {}\n", sides_of(pair.report), finding.heading,
                                             invocation.command, campaign::shell_word(finding.case_path));
      }
    }
    for (const base::Error& error : pair.report.errors) {
      add_errors({{error.kind, sides_of(pair.report) + ": " + error.message}}, document);
    }
    if (pair.error) document.errors.push_back(sides_of(pair.report) + ": " + pair.error->message);
    document.pairs.push_back(std::move(entry));
  }
  const auto outcomes = [&](Outcome outcome) {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        report.pairs, [&](const ComparedPair& pair) { return pair.outcome(bitwise) == outcome; }));
  };
  const std::uint64_t undecided = outcomes(Outcome::Undecided) + outcomes(Outcome::Interrupted) +
                                  outcomes(Outcome::NotRun) + outcomes(Outcome::Error);
  document.title = fmt::format("negzero compare --list {}: {}{}", report.path,
                               ending(findings, undecided < report.pairs.size(), report.interrupted),
                               undecided > 0 ? fmt::format(", {} not decided", plural(undecided, "pair")) : "");
  document.facts = {{"list", "list", report.path},
                    {"seed", "", report.seed},
                    {"elapsed_ms", "", report.elapsed_ms},
                    {"interrupted", "", report.interrupted}};
  for (const Outcome outcome : kOutcomes) {
    document.facts.push_back({"", std::string(words_of(outcome)), outcomes(outcome)});
  }
  document.facts.insert(document.facts.end(),
                        {{"", "seed", report.seed}, {"", "time", report.elapsed_ms, long_time(report.elapsed_ms)}});
  document.tables = {table_of(report.pairs, bitwise)};
  document.closing = text_of(document.tables.front());
  document.closing += text_of(report.alone);
  document.closing +=
      fmt::format("{}, seed {}, {}\n", sums_text(report.pairs, bitwise), report.seed, long_time(report.elapsed_ms));
  if (report.interrupted) document.closing += "interrupted: what follows was not compared\n";
  return document;
}

}  // namespace negzero::report
