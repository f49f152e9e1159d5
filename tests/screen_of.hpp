// The screen of a case's first member, for tests.

#pragma once

#include <memory>
#include <utility>

#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>

namespace negzero {

/// nullptr where there is none, or where the contract does not fit. The case must outlive it.
inline std::unique_ptr<oracle::Screen> screen_of(const operation::Case& value, const contract::Contract& contract) {
  const auto oracle = oracle::Oracle::make(value, contract);
  if (!oracle.ok()) return nullptr;
  auto screens = oracle->make_screens();
  return screens.empty() ? nullptr : std::move(screens.front());
}

}  // namespace negzero
