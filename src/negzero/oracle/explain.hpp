// Why an element's permitted set is what it is, in words.

#pragma once

#include <string>

#include <negzero/oracle/answer.hpp>

namespace negzero::oracle {

/// One line of numbers and one of reasons, without a newline at the end:
///
///     exact 0.96, P = 0.96, N = 0, m = 9, B = 3.4e-07: permitted [0.9599998 (0x3f75c28c), 0.9600003 (0x3f75c294)]
///     sum.any_order: No order of this sum strays further than B from the exact sum. (Rump, BIT 52, 2012; ...)
///
/// What there is no number for is left out: selections have only a set and a rule. Numbers have up to 9 digits. Under
/// several choices a line of numbers for each, with its name before it, and each line of reasons once.
[[nodiscard]] std::string explain(const Answer& answer);

}  // namespace negzero::oracle
