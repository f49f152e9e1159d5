// A document as JUnit XML, for CI: one meaning for every command.

#include <map>

#include <fmt/format.h>

#include <negzero/report/escape.hpp>
#include <negzero/report/junit.hpp>

namespace negzero::report {

namespace {

struct Suite {
  std::string body;
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(const Suite& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
  }
  [[nodiscard]] std::string counts() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures, errors, skipped);
  }
};

void add(const Judgement& judgement, Suite& suite) {
  using Status = Judgement::Status;
  ++suite.tests;
  suite.failures += judgement.status == Status::Failed ? 1 : 0;
  suite.errors += judgement.status == Status::Error ? 1 : 0;
  suite.skipped += judgement.status == Status::Skipped ? 1 : 0;
  const std::string message = escape_markup(judgement.message);
  std::string inner;
  if (judgement.status == Status::Failed) {
    inner = fmt::format("<failure message=\"{}\">{}</failure>", message, escape_markup(judgement.text));
  } else if (judgement.status != Status::Passed) {
    inner = fmt::format("<{} message=\"{}\"/>", judgement.status == Status::Error ? "error" : "skipped", message);
  }
  suite.body += fmt::format("    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
                            judgement.kernel.empty() ? "negzero" : escape_markup(judgement.kernel),
                            escape_markup(judgement.name), inner);
}

}  // namespace

std::string junit(const Document& document) {
  std::map<std::string, Suite> suites;
  for (const Judgement& judgement : document.judgements) {
    add(judgement, suites[judgement.suite.empty() ? "negzero" : judgement.suite]);
  }
  Suite all;
  for (const auto& [name, suite] : suites) {
    all.add(suite);
    all.body += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escape_markup(name), suite.counts(),
                            suite.body);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n", all.counts(),
                     all.body);
}

}  // namespace negzero::report
