// What is asked of a check, read from its options.

#pragma once

#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/c/request.hpp>
#include <negzero/kernel/reference.hpp>
#include <negzero/property/search.hpp>

namespace negzero::c {

/// Beside the cases: the function, what it promises, and the search.
struct CheckRequest {
  Wanted wanted{};
  std::string name = "function";
  Json promises = Json::object();
  kernel::Reference reference{};
  property::SearchOptions search{};
};

/// Reads the options of negzero_check() (negzero.h). Usage errors name the key, the value and what is valid.
[[nodiscard]] base::Result<CheckRequest> check_request(std::string_view options);

}  // namespace negzero::c
