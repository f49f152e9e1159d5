// An executor whose kernel is a function of the test.

#pragma once

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <negzero/run/caller_executor.hpp>

namespace negzero::property {

/// Runs `launch` on memory of its own.
template <class Launch>
class Caller {
 public:
  explicit Caller(Launch launch)
      : executor_(
            std::move(launch),
            [this](std::size_t size) {
              bytes_.resize(size + kPage);
              return bytes_.data() + (kPage - reinterpret_cast<std::uintptr_t>(bytes_.data()) % kPage) % kPage;
            },
            current()) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  [[nodiscard]] run::CallerExecutor& executor() noexcept { return executor_; }

 private:
  static constexpr std::size_t kPage = 4096;

  static std::fenv_t current() {
    std::fenv_t environment;
    std::fegetenv(&environment);
    return environment;
  }

  std::vector<std::byte> bytes_{};
  run::CallerExecutor executor_;
};

}  // namespace negzero::property
