// The options of a judgement as JSON.

#pragma once

#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/judgement/judgement.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::c {

/// What a caller asks for.
struct Asked {
  judgement::Options options{};
  contract::Contract contract{};
  std::string assumed{};  ///< judgement::Assumed::text where the contract was to be the default one
};

/// Which keys an entry knows.
enum class Keys : unsigned char { OfJudge, OfPermitted };

/// Reads options (negzero.h); no bytes are {}. Usage errors name the key, the value and what is valid, a case without a
/// contract where none is given, and a contract that cannot be read.
[[nodiscard]] base::Result<Asked> asked(std::string_view json, Keys keys, const operation::Case& value);

}  // namespace negzero::c
