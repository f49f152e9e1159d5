// Valid cases for properties of the operation module: every operation, format, kind of layout and metadata.

#pragma once

#include <rapidcheck.h>

#include <negzero/operation/case.hpp>

namespace negzero::operation {

/// A valid case with extents 0 to 3: layouts with gaps, transposes and broadcasts, random bits, text that needs
/// escapes. Defined in a source of its own, since RapidCheck's generators take long to compile.
rc::Gen<Case> arbitrary_case();

}  // namespace negzero::operation
