// Kernels by the names that a person types: what is not there is an error that suggests what is.

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/campaign/kernel_names.hpp>

namespace negzero::campaign {

namespace {

std::string suggestion(const std::string& name, kernel::Executor executor) {
  const std::vector<std::string> closest = kernel::registry().closest(name, executor);
  if (closest.empty()) return "`negzero list kernels` shows them";
  return fmt::format("the closest {} {}", closest.size() == 1 ? "is" : "are", fmt::join(closest, ", "));
}

}  // namespace

base::Result<const kernel::Kernel*> kernel_named(const std::string& name, kernel::Executor executor) {
  const kernel::Kernel* const kernel = kernel::registry().find(name, executor);
  if (kernel != nullptr) return kernel;
  if (kernel::registry().find(name, kernel::Executor::Host) != nullptr) {
    return base::usage_error(
        fmt::format("kernel '{}' has no build for the {} executor; use --executor host", name, kernel::name(executor)));
  }
  return base::usage_error(fmt::format("kernel '{}' is not known; {}", name, suggestion(name, executor)));
}

base::Result<std::vector<const kernel::Kernel*>> kernels_matching(const std::vector<std::string>& globs,
                                                                  kernel::Executor executor) {
  for (const std::string& glob : globs) {
    if (!kernel::registry().match(std::span(&glob, 1), executor).empty()) continue;
    if (!kernel::registry().match(std::span(&glob, 1), kernel::Executor::Host).empty()) {
      return base::undecided_error(
          fmt::format("no kernel that matches '{}' has a build for the {} executor; use --executor host", glob,
                      kernel::name(executor)));
    }
    return base::undecided_error(fmt::format("no kernel matches '{}'; {}", glob, suggestion(glob, executor)));
  }
  auto kernels = kernel::registry().match(globs, executor);
  if (kernels.empty()) return base::undecided_error("this program has no kernels");
  return kernels;
}

std::vector<std::string> kernels_without_build(const std::vector<std::string>& globs, kernel::Executor executor) {
  std::vector<std::string> result;
  for (const kernel::Kernel* kernel : kernel::registry().match(globs, kernel::Executor::Host)) {
    if (kernel::registry().find(kernel->name, executor) == nullptr) result.push_back(kernel->name);
  }
  return result;
}

}  // namespace negzero::campaign
