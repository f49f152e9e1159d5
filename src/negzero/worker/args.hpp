// The arguments of a launch wrapper, from a plan.

#pragma once

#include <cstddef>

#include <negzero/kernel/args.hpp>
#include <negzero/operation/configuration.hpp>
#include <negzero/protocol/launch_plan.hpp>

namespace negzero::worker {

/// What the launch wrapper receives, for an image that the kernel sees at `image`. `options` are the kernel's, which
/// must outlive the arguments; one that the plan does not name has its default.
[[nodiscard]] kernel::Args args_of(const protocol::LaunchPlan& plan, std::byte* image,
                                   const operation::Options& options = {});

}  // namespace negzero::worker
