// Parts of the plans that functions of another language are given, as JSON (negzero.h).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <negzero/number/format.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::c {

/// An entry of "buffers": "a":{"use":"input", ...}. `at`: the byte of its element 0.
[[nodiscard]] std::string buffer_text(std::string_view name, const char* use, const number::Format& format,
                                      const tensor::Layout& layout, std::uint64_t at);
/// ,"extents":{"o":3,"stride":2} of an operation with parameters, extents that no tensor has, or with elements of 4
/// bits; else nothing.
[[nodiscard]] std::string extents_text(const operation::Operation& operation);
/// "scalars", an object: {"alpha":["F32","0x3f800000"]}.
[[nodiscard]] std::string scalars_text(const operation::Operation& operation);

}  // namespace negzero::c
