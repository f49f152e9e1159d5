// Inline PTX that is one conversion, as a call.

#pragma once

#include <span>
#include <string_view>

#include <negzero/source/edit.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

/// Returns the edits that make the conversion that quantizing kernels spell in PTX, as C++ has none that saturates,
/// an assignment:
///
///     asm volatile("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(d) : "f"(x));
///     (d) = ::negzero::cvt_rni_sat_s8_f32(x);
///
/// Other assembly, and one that goes over several lines, stays.
[[nodiscard]] Prepared conversion_edits(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source
