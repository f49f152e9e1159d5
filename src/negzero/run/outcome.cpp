// Outcomes without an output: failures that need no oracle, and our own troubles.

#include <utility>

#include <negzero/run/outcome.hpp>

namespace negzero::run {

Outcome failed(protocol::Fault fault, std::string message) {
  Outcome outcome;
  outcome.status = Outcome::Status::Failed;
  outcome.failure = verdict::Failure{.kind = row(fault).kind, .rule = row(fault).rule, .message = std::move(message)};
  return outcome;
}

Outcome error(std::string reason) {
  Outcome outcome;
  outcome.status = Outcome::Status::Error;
  outcome.reason = std::move(reason);
  return outcome;
}

}  // namespace negzero::run
