// A function of another language: each launch of it is a call back.

#pragma once

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <negzero/c/negzero.h>
#include <negzero/contract/contract.hpp>
#include <negzero/run/caller_executor.hpp>

namespace negzero::c {

/// The function, and the executor that runs cases on it. It stays where it was made.
class Caller {
 public:
  /// `function` must outlive it; `environment`: that of the function.
  Caller(const negzero_function& function, const std::fenv_t& environment);
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  [[nodiscard]] run::CallerExecutor& executor() { return executor_; }
  /// Which case of the search launches are of from here on; and that they are of smaller cases.
  void is_at(std::uint64_t index);
  void shrinks() { is_shrinking_ = true; }

 private:
  run::Called launch(const run::Job& job, const protocol::LaunchPlan& plan, std::byte* image);
  std::byte* memory(std::size_t size_bytes);
  std::vector<std::byte> file_of(const run::Job& job);

  const negzero_function& function_;
  run::CallerExecutor executor_;
  std::optional<contract::Contract> contract_;
  std::string contract_text_;  ///< of contract_
  std::uint64_t index_ = 0;
  std::size_t size_bytes_ = 0;
  bool is_shrinking_ = false;
};

}  // namespace negzero::c
