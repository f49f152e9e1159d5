// Reports made by hand: every field set, and text that is hostile to JSON, XML and terminals.

#pragma once

#include <string>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/replay.hpp>

namespace negzero::report_test {

/// Quotes, markup, an end of CDATA, control characters, a lone byte of UTF-8, a valid character outside ASCII.
inline const std::string kHostile =
    std::string("a\"b'c<d>&]]>\n\t\x01\x1b[31m\x7f\xff\xc3\xa9 {{}} %s \\") + '\0' + "end";

inline campaign::Finding finding(const std::string& text) {
  campaign::Finding result;
  result.kernel = "gemm." + text;
  result.failure = {.kind = operation::FailureClass::WrongZeroSign, .rule = "zero.sign", .message = text};
  result.case_path = "findings/" + text;
  result.original_path = "findings/original " + text;
  result.original_rule = result.failure.rule;
  result.watched = "k.cu:7: thread 1";
  result.hit_rate = 0.5;
  result.failing_cases = 3;
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
  bad.name = "bad." + text;
  bad.cases = 21;
  bad.pass = 1;
  bad.vacuous = 2;
  bad.fail = 3;
  bad.refused = 4;
  bad.error = 11;
  bad.watched = 12;
  bad.warning = "case 5: a lane";
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

inline campaign::ReplayItem item(const std::string& text, operation::VerdictKind kind) {
  campaign::ReplayItem result;
  result.path = text;
  result.operation = "gemm";
  result.kernel = "gemm.naive.f32";
  result.verdict.kind = kind;
  if (kind == operation::VerdictKind::Fail) {
    result.verdict.failure = {.kind = operation::FailureClass::WrongValue, .rule = "sum.exact", .message = text};
    result.counterexample = "FAIL " + text;
  } else if (kind != operation::VerdictKind::Pass) {
    result.verdict.reason = text;
  }
  return result;
}

/// One item of every status: as expected (twice), different, undecided, error, skipped.
inline campaign::ReplayReport replay_report(const std::string& text) {
  using operation::VerdictKind;
  campaign::ReplayReport report;
  report.items = {item(text, VerdictKind::Pass),    item(text, VerdictKind::Fail),  item(text, VerdictKind::Fail),
                  item(text, VerdictKind::Refused), item(text, VerdictKind::Error), item(text, VerdictKind::Pass)};
  report.items[1].expected = {"gemm.naive.f32", "host", VerdictKind::Fail, operation::FailureClass::WrongValue, ""};
  report.items[5].skipped = text;
  report.recorded = {{text, {"gemm.naive.f32", "host", VerdictKind::Fail, operation::FailureClass::Hang, "run.hang"}}};
  report.errors = {base::usage_error(text)};
  return report;
}

}  // namespace negzero::report_test
