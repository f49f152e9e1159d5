// Outcomes without an output: failures that need no oracle, and our own troubles.

#include <utility>

#include <negzero/run/outcome.hpp>
#include <negzero/watch/watch.hpp>

namespace negzero::run {

Outcome failed(protocol::Fault fault, std::string message) {
  Outcome outcome;
  outcome.status = Outcome::Status::Failed;
  outcome.failure = verdict::Failure{.kind = row(fault).kind(), .rule = row(fault).rule, .message = std::move(message)};
  return outcome;
}

Outcome error(std::string reason) {
  Outcome outcome;
  outcome.status = Outcome::Status::Error;
  outcome.reason = std::move(reason);
  return outcome;
}

bool is_of_lost_lane(std::string_view warning) noexcept {
  // The words of engine::Engine::lane_without_value().
  return warning.ends_with(", which takes no part") || warning.ends_with(" is not in its own mask");
}

bool is_by_value(std::string_view warning) noexcept { return warning.find(watch::kByValue) != std::string_view::npos; }

}  // namespace negzero::run
