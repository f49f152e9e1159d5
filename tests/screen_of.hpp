// The screen of a case's first member, for tests.

#pragma once

#include <memory>
#include <utility>

#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>

namespace negzero {

/// A screen, and the oracle that must outlive it.
class KeptScreen final : public oracle::Screen {
 public:
  KeptScreen(oracle::Oracle oracle, std::unique_ptr<oracle::Screen> screen)
      : oracle_(std::move(oracle)), screen_(std::move(screen)) {}
  [[nodiscard]] oracle::Settled settle(std::int64_t element, std::uint64_t word) override {
    return screen_->settle(element, word);
  }
  [[nodiscard]] bool decides(std::int64_t element) override { return screen_->decides(element); }

 private:
  oracle::Oracle oracle_;
  std::unique_ptr<oracle::Screen> screen_;
};

/// nullptr where there is none, or where the contract does not fit. The case must outlive it.
inline std::unique_ptr<oracle::Screen> screen_of(const operation::Case& value, const contract::Contract& contract) {
  auto oracle = oracle::Oracle::make(value, contract);
  if (!oracle.ok()) return nullptr;
  auto screens = oracle->make_screens();
  return screens.empty() ? nullptr : std::make_unique<KeptScreen>(std::move(*oracle), std::move(screens.front()));
}

}  // namespace negzero
