// A document as SARIF, which sites of source code show beside the lines that it names.

#pragma once

#include <string>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// A log of SARIF 2.1.0 (OASIS Standard, 27 March 2020, with Errata 01 of 28 August 2023) with one run: a rule for each
/// that the oracle, the runtime and the commands have, a result for each finding, a notification for each error of
/// ours. UTF-8; bytes that are none are replaced.
///
/// A result's location is the first place in source that a watched run or the runtime names and that is known to be a
/// file of the kernel's; else the kernel's registration; else there is none. Further places are related locations.
/// Every result names its kernel as a logical location. Paths are as the kernel's build names them: relative ones from
/// the base SRCROOT, the root of the sources.
[[nodiscard]] std::string sarif(const Document& document);

}  // namespace negzero::report
