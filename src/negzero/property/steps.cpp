// The launches of a history as steps, and steps as launches of an executor.

#include <utility>

#include <negzero/operation/limited_values.hpp>
#include <negzero/property/steps.hpp>

namespace negzero::property {

using operation::Case;
using operation::EarlierLaunches;
using operation::History;

Case case_of(const Case& value, const EarlierLaunches& launch, const kernel::Kernel& kernel) {
  Case earlier = operation::earlier_case(value, launch, 0);
  operation::fold_values(earlier, kernel.limits);
  return earlier;
}

std::vector<Step> steps_of(const Case& value, const History& history, const kernel::Kernel& kernel) {
  std::vector<Step> steps;
  for (const EarlierLaunches& launches : history) {
    for (std::uint32_t i = 0; i < launches.times; ++i) {
      EarlierLaunches launch = launches;
      launch.times = 1;
      launch.seed = launch.is_case() ? 0 : launch.seed + i;
      Case earlier = case_of(value, launch, kernel);
      if (kernel.takes(earlier)) steps.push_back({std::move(earlier), launch});
    }
  }
  return steps;
}

History history_of(std::span<const Step> steps) {
  History history;
  for (const Step& step : steps) {
    EarlierLaunches next = step.launch;
    if (!history.empty()) {
      next.times = history.back().times;
      if (!next.is_case()) next.seed -= next.times;
      if (next == history.back()) {
        ++history.back().times;
        continue;
      }
    }
    history.push_back(step.launch);
  }
  return history;
}

run::Turn turn_of(const Step& step, const contract::Contract& contract, std::uint8_t chain) {
  return {{&step.value, &contract}, {!step.launch.same_storage, !step.launch.same_stream}, chain};
}

std::vector<run::Outcome> run_steps(std::span<const Step> steps, const contract::Contract& contract,
                                    const kernel::Kernel& kernel, run::Executor& executor) {
  std::vector<run::Turn> turns;
  for (const Step& step : steps) turns.push_back(turn_of(step, contract));
  return executor.run_in_turn(turns, kernel);
}

}  // namespace negzero::property
