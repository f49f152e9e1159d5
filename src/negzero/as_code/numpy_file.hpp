// A case as Python that needs NumPy and no negzero.

#pragma once

#include <string>

#include <negzero/as_code/finding.hpp>
#include <negzero/base/result.hpp>

namespace negzero::as_code {

/// Returns the text: inputs from their bits, each output as `call` computes it or, where that is empty, as
/// Finding::observed has it, and an assertion that fails where an element is not permitted. `call` is statements of
/// Python that see each input, scalar and option by its name and set each output. BF16 and 8-bit formats, which NumPy
/// has not, are arrays of unsigned integers with their bits.
///
/// Usage errors: neither `call` nor what was observed; all that was observed is permitted; more words than kMostWords.
[[nodiscard]] base::Result<std::string> numpy_file(const Finding& finding, const std::string& call);

}  // namespace negzero::as_code
