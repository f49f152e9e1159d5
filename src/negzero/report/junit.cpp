// A replay as JUnit XML, for CI.

#include <map>
#include <vector>

#include <fmt/format.h>

#include <negzero/report/junit.hpp>

namespace negzero::report {

namespace {

/// Text for XML 1.0: markup escaped, characters that XML forbids and bytes outside ASCII replaced.
std::string escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\t':
        result += ' ';
        break;
      default:
        result += (c >= 0x20 && c < 0x7f) ? c : '?';
    }
  }
  return result;
}

using campaign::ReplayStatus;

struct Suite {
  std::string body;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

void add(Suite& suite, std::string_view class_name, std::string_view name, std::string_view inner) {
  ++suite.tests;
  suite.body += fmt::format("    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n", escape(class_name),
                            escape(name), inner);
}

}  // namespace

std::string junit(const campaign::ReplayReport& report) {
  std::map<std::string, Suite> suites;
  for (const campaign::ReplayItem& item : report.items) {
    Suite& suite = suites[item.operation];
    std::string inner;
    switch (item.status()) {
      case ReplayStatus::AsExpected:
        break;
      case ReplayStatus::Skipped:
        ++suite.skipped;
        inner = fmt::format("<skipped message=\"{}\"/>", escape(item.skipped));
        break;
      case ReplayStatus::Undecided:
        ++suite.skipped;
        inner = fmt::format("<skipped message=\"nothing was decided: {} {}\"/>", operation::name(item.verdict.kind),
                            escape(item.verdict.reason));
        break;
      case ReplayStatus::Error:
        ++suite.errors;
        inner = fmt::format("<error message=\"{}\"/>", escape(item.verdict.reason));
        break;
      case ReplayStatus::Different:
        ++suite.failures;
        inner =
            fmt::format("<failure message=\"{}\">{}</failure>", escape(item.difference()), escape(item.counterexample));
        break;
    }
    add(suite, item.kernel.empty() ? "negzero" : item.kernel, item.path, inner);
  }
  for (const base::Error& error : report.errors) {
    Suite& suite = suites["files"];
    ++suite.errors;
    add(suite, "negzero", error.message, fmt::format("<error message=\"{}\"/>", escape(error.message)));
  }
  Suite all;
  std::string body;
  for (const auto& [name, suite] : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
    body += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n",
        escape(name), suite.tests, suite.failures, suite.errors, suite.skipped, suite.body);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, all.skipped, body);
}

}  // namespace negzero::report
