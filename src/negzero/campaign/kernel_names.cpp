// Kernels by the names that a person types: what is not there is an error that suggests what is.

#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/campaign/kernel_names.hpp>

namespace negzero::campaign {

namespace {

std::string suggestion(const std::string& name, kernel::Where where) {
  const std::vector<std::string> closest = kernel::registry().closest(name, where);
  if (closest.empty()) return "`negzero list kernels` shows them";
  return fmt::format("the closest {} {}", closest.size() == 1 ? "is" : "are", fmt::join(closest, ", "));
}

/// What `--executor` would have to say for a kernel that matches.
std::optional<std::string_view> executor_of(const std::string& glob) {
  for (const kernel::Place place : kernel::kPlaces) {
    if (!kernel::registry().match(std::span(&glob, 1), place).empty()) return kernel::name(place);
  }
  return std::nullopt;
}

}  // namespace

base::Result<const kernel::Kernel*> kernel_named(const std::string& name, kernel::Where where) {
  const kernel::Kernel* const kernel = kernel::registry().find(name, where);
  if (kernel != nullptr) return kernel;
  if (const kernel::Kernel* const other = kernel::registry().find_anywhere(name)) {
    return base::usage_error(fmt::format("kernel '{}' has no build for the {} executor; use --executor {}", name,
                                         kernel::name(where), kernel::name(other->place)));
  }
  return base::usage_error(fmt::format("kernel '{}' is not known; {}", name, suggestion(name, where)));
}

base::Result<std::vector<const kernel::Kernel*>> kernels_matching(const std::vector<std::string>& globs,
                                                                  kernel::Where where) {
  for (const std::string& glob : globs) {
    if (!kernel::registry().match(std::span(&glob, 1), where).empty()) continue;
    if (const auto other = executor_of(glob)) {
      return base::undecided_error(
          fmt::format("no kernel that matches '{}' has a build for the {} executor; use --executor {}", glob,
                      kernel::name(where), *other));
    }
    return base::undecided_error(fmt::format("no kernel matches '{}'; {}", glob, suggestion(glob, where)));
  }
  auto kernels = kernel::registry().match(globs, where);
  if (kernels.empty()) return base::undecided_error("this program has no kernels");
  return kernels;
}

std::vector<std::string> kernels_without_build(const std::vector<std::string>& globs, kernel::Where where) {
  std::vector<std::string> result;
  for (const kernel::Place other : kernel::kPlaces) {
    for (const kernel::Kernel* kernel : kernel::registry().match(globs, other)) {
      if (kernel::registry().find(kernel->name, where) == nullptr) result.push_back(kernel->name);
    }
  }
  return result;
}

}  // namespace negzero::campaign
