// Reports made by hand: every field set, and text that is hostile to JSON, XML and terminals.

#pragma once

#include <string>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document.hpp>
#include <negzero/report/json.hpp>

namespace negzero::report_test {

/// Quotes, markup, an end of CDATA, control characters, a lone byte of UTF-8, a valid character outside ASCII.
inline const std::string kHostile =
    std::string("a\"b'c<d>&]]>\n\t\x01\x1b[31m\x7f\xff\xc3\xa9 {{}} %s \\") + '\0' + "end";

inline campaign::Finding finding(const std::string& text) {
  campaign::Finding result;
  result.kernel = "gemm." + text;
  result.failure = {.kind = verdict::FailureClass::WrongZeroSign, .rule = "zero.sign", .message = text};
  result.case_path = "findings/" + text;
  result.original_path = "findings/original " + text;
  result.original_rule = result.failure.rule;
  result.watched = "k.cu:7: thread 1";
  result.hit_rate = 0.5;
  result.failing_cases = 3;
  result.also_at = {{{"k.cu", 9}, 2}};
  result.evaluations = 17;
  return result;
}

inline campaign::CheckReport check_report(const std::string& text) {
  campaign::KernelReport good;
  good.name = "good";
  good.cases = good.pass = 10;
  good.worst_margin = 0.75;
  good.strategies = {{"special", 4}, {"exact", 6}};
  campaign::KernelReport bad;
  bad.name = "gemm." + text;
  bad.cases = 21;
  bad.pass = 1;
  bad.vacuous = 2;
  bad.fail = 3;
  bad.refused = 4;
  bad.error = 11;
  bad.watched = 12;
  bad.warned = {"case 5: a lane"};
  bad.warnings = 3;
  bad.strategies = {{"special", 21}};
  bad.findings = {finding(text)};
  bad.note = text;
  campaign::CheckReport report;
  report.seed = ~std::uint64_t{0};
  report.elapsed_ms = 1234;
  report.kernels = {good, bad};
  report.errors = {base::infrastructure_error(text)};
  return report;
}

/// A run of a kernel of an operation without a definition.
inline campaign::CheckReport unjudged_report() {
  campaign::KernelReport kernel;
  kernel.name = "unjudged";
  kernel.cases = kernel.not_judged = 10;
  kernel.strategies = {{"special", 10}};
  kernel.margins["special"][2] = {.cases = 10, .margin = 0, .index = 7, .shape = "rows 1"};
  campaign::CheckReport report;
  report.kernels = {kernel};
  return report;
}

/// A difference that both contracts permit, and one where the second kernel is wrong.
inline campaign::CompareReport compare_report(const std::string& text) {
  campaign::CompareReport report;
  report.first = "one@host";
  report.second = "two@watched";
  report.cases = 10;
  report.identical = 7;
  for (const verdict::Rule rule : {property::kBothPermitted, property::kSecondWrong}) {
    campaign::DifferenceFound& difference = report.differences.emplace_back();
    difference.failure = {.rule = rule, .message = text, .output = text, .element = 0, .observed_text = text};
    difference.case_text = text;
    difference.case_path = "findings/" + text;
    difference.cases = 1;
  }
  return report;
}

/// What a kernel gave for an output of 2 x 3: a right value, one that is a step away, a lost sign, a NaN and an
/// infinity in the place of numbers, and a value for which there is no exact result.
inline campaign::Observation observation(const std::string& text) {
  campaign::Observation result;
  result.kernel = text;
  result.remark = text;
  tensor::Tensor output(number::FormatId::F32, {2, 3});
  output.assign(std::vector<std::uint64_t>{0x3f800000, 0x3f800001, 0x80000000, 0x7fc00000, 0xff800000, 0x40000000});
  result.output = campaign::grid_of(text, output, -1);
  result.judged = {{0x3f800000, true, ""}, {0x3f800000, true, ""},    {0, false, text},
                   {0, false, text},       {0x3f800000, false, text}, {std::nullopt, true, ""}};
  result.inputs = {result.output};
  result.left_out = {text};
  return result;
}

inline campaign::ReplayItem item(const std::string& text, verdict::VerdictKind kind) {
  campaign::ReplayItem result;
  result.path = text;
  result.operation = "gemm";
  result.kernel = "gemm.naive.f32";
  result.verdict.kind = kind;
  if (kind == verdict::VerdictKind::Fail) {
    result.verdict.failure = {.kind = verdict::FailureClass::WrongValue, .rule = "sum.exact", .message = text};
    result.counterexample = "FAIL " + text + "\n";
  } else if (kind != verdict::VerdictKind::Pass) {
    result.verdict.reason = text;
  }
  return result;
}

/// One item of every status: as expected (twice), different, undecided, error, skipped.
inline campaign::ReplayReport replay_report(const std::string& text) {
  using verdict::VerdictKind;
  campaign::ReplayReport report;
  report.items = {item(text, VerdictKind::Pass),    item(text, VerdictKind::Fail),  item(text, VerdictKind::Fail),
                  item(text, VerdictKind::Refused), item(text, VerdictKind::Error), item(text, VerdictKind::Pass)};
  report.items[1].expected = {"gemm.naive.f32", "host", VerdictKind::Fail, verdict::FailureClass::WrongValue, ""};
  report.items[5].skipped = text;
  report.recorded = {{text, {"gemm.naive.f32", "host", VerdictKind::Fail, verdict::FailureClass::Hang, "run.hang"}}};
  report.errors = {base::usage_error(text)};
  return report;
}

/// What a report is on the console, and as JSON, of a program that is called negzero.
template <typename Report>
std::string text_of(const Report& report) {
  return report::console_text(report::document_of(report, {.command = "negzero"}));
}
template <typename Report>
std::string json_of(const Report& report) {
  return report::json_text(report::document_of(report, {.command = "negzero"}));
}
/// What is printed while a command runs.
inline std::string told(const campaign::Finding& finding) {
  return report::finding_text(report::entry_of(finding, {.command = "negzero"}));
}
inline std::string told(const campaign::ReplayItem& item) {
  return report::item_text(report::judgement_of(item, {.command = "negzero"}));
}

}  // namespace negzero::report_test
