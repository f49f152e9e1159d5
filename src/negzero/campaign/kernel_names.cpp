// Kernels by the names that a person types: what is not there is an error that suggests what is.

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/campaign/kernel_names.hpp>

namespace negzero::campaign {

namespace {

std::string suggestion(const std::string& name) {
  const std::vector<std::string> closest = kernel::registry().closest(name, kernel::Executor::Host);
  if (closest.empty()) return "`negzero list kernels` shows them";
  return fmt::format("the closest {} {}", closest.size() == 1 ? "is" : "are", fmt::join(closest, ", "));
}

}  // namespace

base::Result<const kernel::Kernel*> kernel_named(const std::string& name) {
  const kernel::Kernel* const kernel = kernel::registry().find(name, kernel::Executor::Host);
  if (kernel != nullptr) return kernel;
  return base::usage_error(fmt::format("kernel '{}' is not known; {}", name, suggestion(name)));
}

base::Result<std::vector<const kernel::Kernel*>> kernels_matching(const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    if (!kernel::registry().match(std::span(&glob, 1), kernel::Executor::Host).empty()) continue;
    return base::undecided_error(fmt::format("no kernel matches '{}'; {}", glob, suggestion(glob)));
  }
  auto kernels = kernel::registry().match(globs, kernel::Executor::Host);
  if (kernels.empty()) return base::undecided_error("this program has no kernels");
  return kernels;
}

}  // namespace negzero::campaign
