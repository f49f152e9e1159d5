// What cases are wanted, as JSON.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/c/options.hpp>
#include <negzero/generate/generate.hpp>

namespace negzero::c {

/// The keys of options that say which cases are wanted (negzero_draw in negzero.h).
[[nodiscard]] std::span<const std::string_view> request_keys();

struct Wanted {
  generate::Request request;
  std::uint64_t seed = 1;
  bool has_contract = false;  ///< one was given
  std::string assumed{};      ///< where none was: judgement::Assumed::text
};

/// Reads those keys of options; others are left alone. Usage errors name the key, the value and what is valid, and say
/// that no case fits.
[[nodiscard]] base::Result<Wanted> wanted(const Json& options);

}  // namespace negzero::c
