// The failure that a case file is known for, and the runs that look for it.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// What a kernel did with a case, as its file holds it (Case::found, Case::expect). The executor is "watched" for a
/// failure that only the watch sees.
[[nodiscard]] operation::Expectation seen(const std::string& kernel, kernel::Place place,
                                          const verdict::Verdict& verdict);

/// "fail (data_race) by run.race", "pass".
[[nodiscard]] std::string describe(const operation::Expectation& what);

/// The failure that the case is known for on that kernel and executor: one that it expects, else the one it was found
/// by.
[[nodiscard]] std::optional<operation::Expectation> known_failure(const operation::Case& value,
                                                                  const std::string& kernel, kernel::Place place);

/// The verdict on the case, looking for what is known (watch_for_known()).
[[nodiscard]] base::Result<verdict::Verdict> look_for(const std::optional<operation::Expectation>& known,
                                                      Evaluator& evaluator, const operation::Case& value,
                                                      const kernel::Kernel& kernel, Watch watch,
                                                      const std::function<bool()>& stop);

/// What the verdict of a watched run says about the cause of a failure that a plain run saw too; empty: nothing.
[[nodiscard]] std::string explanation_in(const verdict::Verdict& watched);

/// What a watched run says, with file, line and thread, about the cause of a failure that a plain run on the host saw
/// without them: a stray write, output that was not written, a crash, a hang. Empty where it says nothing, where
/// `asked` wants no watched runs or `stop` is true. Runs the case once.
[[nodiscard]] std::string watched_message(Evaluator& evaluator, const operation::Case& value,
                                          const kernel::Kernel& kernel, const verdict::Failure& failure, Watch asked,
                                          const std::function<bool()>& stop);

}  // namespace negzero::campaign
