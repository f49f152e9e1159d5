// Holding a claim against cases that RapidCheck draws, for every kernel that ships.

#pragma once

#include <string>

namespace negzero::properties {

/// Draws plans for every kernel that is not a planted fault and judges their cases, run in worker processes, by a claim
/// of campaign/claims.hpp, with its words. `title` is the name of the property.
///
/// A Vacuous verdict says that the claim's precondition does not hold; a claim that applied to no case of any kernel
/// fails the test, because it claimed nothing. A Fail is shrunk with its class kept, saved in the working directory,
/// and printed with the rule and the line that replays it. With NEGZERO_REPLAY=FILE in the environment the case of that
/// file is judged instead. NEGZERO_PROPERTY_CASES sets the cases a kernel (default 12).
void holds_for_every_kernel(const std::string& title, const std::string& claim);

/// The same for a metamorphic property by its name.
void metamorphic_holds(const std::string& title, const std::string& property);

}  // namespace negzero::properties
