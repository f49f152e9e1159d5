// The arguments of a launch wrapper, from a plan.

#pragma once

#include <cstddef>

#include <negzero/kernel/args.hpp>
#include <negzero/protocol/launch_plan.hpp>

namespace negzero::worker {

/// What the launch wrapper receives, for an image that the kernel sees at `image`.
[[nodiscard]] kernel::Args args_of(const protocol::LaunchPlan& plan, std::byte* image);

}  // namespace negzero::worker
