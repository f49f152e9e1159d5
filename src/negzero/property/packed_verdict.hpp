// A verdict as bytes for the pipe between a worker and its parent.

#pragma once

#include <string>
#include <string_view>

#include <negzero/operation/verdict.hpp>

namespace negzero::property {

/// unpack() of anything that pack() did not make gives an Error verdict.
[[nodiscard]] std::string pack(const operation::Verdict& verdict);
[[nodiscard]] operation::Verdict unpack(std::string_view bytes);

}  // namespace negzero::property
