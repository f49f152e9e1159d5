// A document as JUnit XML, for CI: one meaning for every command.

#pragma once

#include <string>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// <testsuites> with a <testsuite> an operation and a <testcase> a judgement: <failure> for a finding (its message, and
/// the counterexample as text), <error> for ours, <skipped> for what did not run or decided nothing. What stands for
/// no kernel (an error of ours) is in a suite called negzero. Names are the same in every run of the same kernels or
/// files, so that CI can follow them. Well-formed ASCII whatever the text holds.
[[nodiscard]] std::string junit(const Document& document);

}  // namespace negzero::report
