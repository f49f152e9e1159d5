// The launches of a history, and of the case behind it, as steps that an executor runs.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::property {

/// A launch of a sequence: the case of it, and how it differs from the case that is asked about.
struct Step {
  operation::Case value;
  operation::EarlierLaunches launch;
};

/// One step a launch. A shape that the kernel does not take is left out.
[[nodiscard]] std::vector<Step> steps_of(const operation::Case& value, const operation::History& history,
                                         const kernel::Kernel& kernel);
/// The case of one of such launches: the first of those alike, its numbers folded into the kernel's values.
[[nodiscard]] operation::Case case_of(const operation::Case& value, const operation::EarlierLaunches& launch,
                                      const kernel::Kernel& kernel);
/// The launches of steps, those alike together.
[[nodiscard]] operation::History history_of(std::span<const Step> steps);
/// Both must outlive it.
[[nodiscard]] run::Turn turn_of(const Step& step, const contract::Contract& contract, std::uint8_t chain = 0);
/// Runs steps one after the other, as Executor::run_in_turn() does.
[[nodiscard]] std::vector<run::Outcome> run_steps(std::span<const Step> steps, const contract::Contract& contract,
                                                  const kernel::Kernel& kernel, run::Executor& executor);

}  // namespace negzero::property
