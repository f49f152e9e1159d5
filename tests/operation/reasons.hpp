// What limits say of an operation, and what is wrong with limits, as one text each.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::operation {

using Layouts = std::map<std::string, tensor::Layout>;

inline std::string reason(const Limits& limits, const Operation& operation, const Layouts& layouts = {}) {
  return outside(limits, operation, layouts).value_or("inside");
}

inline std::string mistake(const Limits& limits, std::string_view operation) {
  const base::Status status = validate(limits, operation);
  return status.ok() ? "none" : status.error().message;
}

}  // namespace negzero::operation
