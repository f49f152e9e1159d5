// The arguments of a launch wrapper, from a plan.

#pragma once

#include <cstddef>
#include <span>

#include <negzero/kernel/args.hpp>
#include <negzero/operation/configuration.hpp>
#include <negzero/protocol/launch_plan.hpp>

namespace negzero::worker {

/// What the launch wrapper receives, for an image that the kernel sees at `image`. `options` are the kernel's, which
/// must outlive the arguments; one that the plan does not name has its default. `bases`: of each buffer that lies
/// elsewhere, its address 0, as distant ones do; null of others, empty where there are none.
[[nodiscard]] kernel::Args args_of(const protocol::LaunchPlan& plan, std::byte* image,
                                   const operation::Options& options = {}, std::span<std::byte* const> bases = {});

}  // namespace negzero::worker
