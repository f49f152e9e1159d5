// The bodies of the frames between a worker and its parent.

#include <utility>

#include <negzero/base/bytes.hpp>
#include <negzero/protocol/worker_wire.hpp>

namespace negzero::protocol {

std::string launch_body(std::span<const LaunchPlan> plans, bool watched) {
  base::ByteWriter body;
  body.u32(static_cast<std::uint32_t>(plans.size()));
  for (const LaunchPlan& plan : plans) {
    base::ByteWriter bytes;
    write(bytes, plan);
    body.text(bytes.bytes());
  }
  body.u8(watched ? 1 : 0);
  return body.take();
}

std::optional<LaunchRequest> read_launch(std::string_view body, std::uint64_t image_bytes) {
  base::ByteReader from(body);
  LaunchRequest request;
  const std::uint64_t count = from.at_most(from.u32(), kMostPlans);
  for (std::uint64_t i = 0; i < count; ++i) {
    base::ByteReader bytes(from.text(kMostPlanBytes));
    auto plan = read_plan(bytes, image_bytes);
    if (!plan || !bytes.is_complete()) return std::nullopt;
    request.plans.push_back(*std::move(plan));
  }
  request.watched = from.at_most(from.u8(), 1) != 0;
  return from.is_complete() ? std::optional(std::move(request)) : std::nullopt;
}

std::string launched_body(std::span<const LaunchOutcome> outcomes) {
  base::ByteWriter body;
  body.u32(static_cast<std::uint32_t>(outcomes.size()));
  for (const LaunchOutcome& outcome : outcomes) {
    base::ByteWriter bytes;
    write(bytes, outcome);
    body.text(bytes.bytes());
  }
  return body.take();
}

std::optional<std::vector<LaunchOutcome>> read_launched(std::string_view body, std::size_t plans) {
  base::ByteReader from(body);
  std::vector<LaunchOutcome> outcomes;
  const std::uint64_t count = from.at_most(from.u32(), plans);
  for (std::uint64_t i = 0; i < count; ++i) {
    base::ByteReader bytes(from.text(kMostWorkerFrameBytes));
    outcomes.push_back(read_outcome(bytes));
    if (!bytes.is_complete()) return std::nullopt;
  }
  return from.is_complete() ? std::optional(std::move(outcomes)) : std::nullopt;
}

std::string other_version_text(std::uint8_t version) {
  return "it speaks version " + std::to_string(version) + " of the worker protocol, and this negzero version " +
         std::to_string(kWorkerVersion) + ": build or write it for version " + std::to_string(kWorkerVersion) +
         " (docs/reference/worker_protocol.md)";
}

}  // namespace negzero::protocol
