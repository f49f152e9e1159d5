// The fields of a contract: one row each says how it is compared, written as JSON and read from it.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>

namespace negzero::contract {

/// One row. `read` is given the name for its errors, which are usage errors that name the field, the value and what is
/// valid.
struct Field {
  std::string_view name;
  std::function<bool(const Contract&, const Contract&)> same;
  std::function<nlohmann::ordered_json(const Contract&)> write;
  std::function<base::Status(const std::string&, const nlohmann::ordered_json&, Contract&)> read;
};

/// All fields, in the order of Contract.
[[nodiscard]] const std::vector<Field>& fields();

}  // namespace negzero::contract
