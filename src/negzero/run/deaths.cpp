// Verdicts on cases that ended their worker.

#include <utility>

#include <negzero/device/error.hpp>
#include <negzero/run/deaths.hpp>

namespace negzero::run {

using operation::FailureClass;
using operation::Verdict;
using operation::VerdictKind;

Verdict verdict_of_death(const Death& death) {
  const bool told_hang = death.kind == Death::Kind::Told && death.code == device::kLaunchTimeout;
  const bool hang = death.kind == Death::Kind::Hang || told_hang;
  if (hang && !death.in_kernel) {
    return operation::error_verdict(
        "making or judging the case took longer than the time limit; try a larger --timeout");
  }
  operation::Failure failure{.kind = hang ? FailureClass::Hang : FailureClass::Crash,
                             .rule = hang ? "run.hang" : "run.crash",
                             .message = death.to_string()};
  // A kernel that wrote where it should not may bring down what runs after it.
  failure.message += death.in_kernel ? " while the kernel ran" : " outside the kernel's launch";
  if (death.kind == Death::Kind::Hang) {
    failure.message +=
        " (on the host a loop that waits for another thread needs an atomic, a fence, __nanosleep or a volatile access in "
        "a file of kernels/: nothing else lets others run)";
  }
  return Verdict{.kind = VerdictKind::Fail, .failure = std::move(failure), .reason = {}};
}

Verdict verdict_of_batch_death(const Death& death) {
  return operation::error_verdict(death.to_string() +
                                  " while several cases ran together, and none of them alone does that");
}

}  // namespace negzero::run
