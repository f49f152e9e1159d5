// A replay as JUnit XML, for CI.

#pragma once

#include <string>

#include <negzero/campaign/replay.hpp>

namespace negzero::report {

/// <testsuites> with a <testsuite> an operation and a <testcase> a case and kernel: <failure> where the verdict is not
/// the expected one (with the counterexample), <error> for ours, <skipped> for what did not run or decided nothing.
/// Well-formed whatever the text holds.
[[nodiscard]] std::string junit(const campaign::ReplayReport& report);

}  // namespace negzero::report
