// Matrices as tables whose cells are coloured by what they hold.

#pragma once

#include <string>

#include <negzero/campaign/observation.hpp>

namespace negzero::report {

// Each is a <figure> with a caption and a table; every cell holds its value in words, so that nothing depends on
// colours. Classes of cells are those of html_style.hpp: n1 to n5 and p1 to p5 (negative and positive, the darker the
// larger), zero, special (NaN, infinities), e0 to e5 (errors), yes, no, none.

/// Values: negative and positive numbers in two colours, by magnitude on a logarithmic scale between the least and the
/// greatest of the grid. Small grids show hexadecimal bits too.
[[nodiscard]] std::string value_map(const std::string& caption, const campaign::Grid& grid);

/// The exact results, rounded to the output's format; "-" where there is none. Requires an observation with an output,
/// as the next two.
[[nodiscard]] std::string exact_map(const campaign::Observation& observation);

/// How far the output is from the exact results, in representable steps. A lost sign of zero is "sign", a NaN or a
/// number in the place of the other "NaN".
[[nodiscard]] std::string error_map(const campaign::Observation& observation);

/// Which elements are permitted: "yes", or "no" with the permitted set under the table for the first ones.
[[nodiscard]] std::string permitted_map(const campaign::Observation& observation);

/// "x F32[4, 1000]", and which part of it is drawn where that is not all.
[[nodiscard]] std::string grid_name(const campaign::Grid& grid);

}  // namespace negzero::report
