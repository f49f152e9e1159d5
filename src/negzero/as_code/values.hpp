// Values that show a race.

#pragma once

#include <negzero/operation/case.hpp>

namespace negzero::as_code {

/// Gives each input of numbers that are all zero the numbers 1 to 8 in turn, and returns whether there was one. A race
/// does not depend on values, so that shrinking makes them zeros; a GPU shows it only where a lost one matters.
bool give_values(operation::Case& value);

}  // namespace negzero::as_code
