// Kernels by the names that a person types: what is not there is an error that suggests what is.

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/campaign/kernel_names.hpp>

namespace negzero::campaign {

namespace {

std::string suggestion(const std::string& name, kernel::Where where) {
  const std::vector<std::string> closest = kernel::registry().closest(name, where);
  if (closest.empty()) {
    const std::string absent = absent_kernels();
    const std::string more = absent.empty() ? "" : "; " + absent;
    // Of a file or two all are said.
    constexpr std::size_t kFew = 8;
    const std::string all = "*";
    std::vector<std::string> known;
    for (const kernel::Kernel* each : kernel::registry().match(std::span(&all, 1), where)) known.push_back(each->name);
    if (!known.empty() && known.size() <= kFew) {
      return fmt::format("there {} {}; --kernels, which may be repeated, names the program or file that has it{}",
                         known.size() == 1 ? "is" : "are", fmt::join(known, ", "), more);
    }
    return "`negzero list kernels` shows them" + more;
  }
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
  if (kernels.empty()) {
    if (const auto other = executor_of("*")) {
      return base::undecided_error(fmt::format("no kernel here has a build for the {} executor; use --executor {}",
                                               kernel::name(where), *other));
    }
    if (const auto& errors = kernel::registry().errors(); !errors.empty()) {
      return base::infrastructure_error("no kernel is left: " + errors.front());
    }
    const std::string absent = absent_kernels();
    return base::undecided_error("this program has no kernels" + (absent.empty() ? "" : "; " + absent));
  }
  return kernels;
}

void leave_out_lost() {
  const auto is_lost = [](const kernel::Kernel* kernel) {
    return kernel->reference.exists() && !reference_of(*kernel).ok();
  };
  // What is left out may be another kernel's reference, so that all are looked at again.
  for (;;) {
    const std::vector<const kernel::Kernel*> all = kernel::registry().all();
    const auto lost = std::ranges::find_if(all, is_lost);
    if (lost == all.end()) return;
    kernel::registry().leave_out(std::string((*lost)->name), reference_of(**lost).error().message);
  }
}

base::Result<const kernel::Kernel*> reference_of(const kernel::Kernel& kernel) {
  const std::string& name = kernel.reference.kernel;
  const kernel::Kernel* reference = kernel::registry().find(name, kernel::Place::Host);
  if (reference == nullptr) reference = kernel::registry().find_anywhere(name);
  if (reference == nullptr) {
    return base::usage_error(
        fmt::format("its reference '{}' is no kernel here; {}", name, suggestion(name, kernel::Place::Host)));
  }
  const base::Status fits = kernel::validate_line(kernel.reference, *operation::find_signature(kernel.operation),
                                                  *operation::find_signature(reference->operation));
  if (!fits) return fits.error();
  return reference;
}

base::Result<std::vector<const kernel::Kernel*>> kernels_anywhere(const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    if (!executor_of(glob)) {
      return base::undecided_error(
          fmt::format("no kernel matches '{}'; {}", glob, suggestion(glob, kernel::Place::Host)));
    }
  }
  std::map<std::string_view, const kernel::Kernel*> by_name;
  for (const kernel::Place place : kernel::kPlaces) {
    for (const kernel::Kernel* kernel : kernel::registry().match(globs, place)) by_name.emplace(kernel->name, kernel);
  }
  std::vector<const kernel::Kernel*> result;
  for (const auto& [name, kernel] : by_name) result.push_back(kernel);
  return result;
}

std::string absent_kernels() {
  std::vector<std::pair<std::string, std::vector<std::string>>> files_by_why;
  for (const auto& [file, why] : kernel::registry().absent()) {
    auto at = std::ranges::find(files_by_why, why, [](const auto& each) { return each.first; });
    if (at == files_by_why.end()) at = files_by_why.insert(at, {why, {}});
    at->second.push_back(file);
  }
  std::vector<std::string> clauses;
  for (const auto& [why, files] : files_by_why) {
    clauses.push_back(fmt::format("{} ({})", fmt::join(files, ", "), why));
  }
  return clauses.empty() ? "" : fmt::format("not in this build: {}", fmt::join(clauses, ", "));
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
