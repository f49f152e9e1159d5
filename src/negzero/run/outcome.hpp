// What a kernel did with a case.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/protocol/fault.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>
#include <negzero/watch/coverage.hpp>

namespace negzero::run {

/// How the warning of a run begins whose process ended, or hung, and did not when the case ran again alone.
inline constexpr std::string_view kCameOnce = "its process ended once and not again when the case ran alone: ";

/// The reason of a case that was left because one before it in its batch hung alone (Batch::until_hang).
inline constexpr std::string_view kLeft = "not run: a case before it in its batch hung";

/// Completed has outputs for the oracle to judge; Failed has a failure that needs no oracle (rules `run.*`).
struct Outcome {
  enum class Status : unsigned char {
    Completed,
    Failed,   ///< `failure` says what was seen: guard zone, unwritten output, divergent barrier, hang, crash
    Refused,  ///< the launch wrapper refused; `reason` is its own
    Error,    ///< ours: `reason` says what
  };
  Status status = Status::Error;
  std::vector<tensor::Tensor> outputs{};      ///< packed, when Completed, in the operation's order
  std::optional<verdict::Failure> failure{};  ///< when Failed
  std::string reason{};
  std::vector<std::string> warnings{};         ///< notes of the executor (an exited thread at a barrier ...)
  std::uint32_t took_us = 0;                   ///< protocol::LaunchOutcome::took_us, as the kernel's process has it
  std::vector<watch::CoveredBlock> covered{};  ///< protocol::LaunchOutcome::covered, as the kernel's process has it
  bool alone = false;                          ///< no other case shared the launch, or its memory
};

/// A failure by one of the rows of fault.hpp.
[[nodiscard]] Outcome failed(protocol::Fault fault, std::string message);
/// Whether a warning of the host executor says that a shuffle, or another warp operation, gave a lane poison: it is not
/// in its own mask, or the lane that it reads takes no part.
[[nodiscard]] bool is_of_lost_lane(std::string_view warning) noexcept;
/// Whether a warning of a watched run says that a race is ordered by a shuffle's value only (watch::kByValue).
[[nodiscard]] bool is_by_value(std::string_view warning) noexcept;
/// Ours.
[[nodiscard]] Outcome error(std::string reason);

}  // namespace negzero::run
