// Which kernels a case file is replayed on, and what is expected of each.

#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/replay_jobs.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::campaign {

namespace {

using operation::Expectation;

/// Why an expectation is none of this run: nothing where it is.
std::string why_skipped(const Expectation& expected, kernel::Place place) {
  if (!is_expected_at(expected, place)) {
    const std::string needs = expected.needs.empty() ? "" : "; needs " + expected.needs;
    return fmt::format("expects the {} executor, this is {}{}", expected.executor, kernel::name(place), needs);
  }
  const kernel::Registry& registry = kernel::registry();
  if (!expected.needs.empty() && registry.find_anywhere(expected.kernel) == nullptr) {
    return fmt::format("no kernel of that name here; needs {}", expected.needs);
  }
  // The sanitizers' preset has no watched kernels. An unknown kernel is reported elsewhere.
  const bool known = registry.find(expected.kernel, place) != nullptr;
  const bool has_watched = registry.find(expected.kernel, {place, true}) != nullptr;
  if (expected.executor == "watched" && known && !has_watched) return "expects a watched run, this build has none";
  return "";
}

/// Adds the jobs of a file that was read, or says why it has none.
void add_jobs(ReplayFile& file, const ReplayOptions& options, const std::vector<const kernel::Kernel*>& chosen) {
  const kernel::Place place = options.evaluation.place;
  const operation::Case& value = file.value;
  const std::string operation = operation::name(value.operation);
  const auto add = [&](std::string kernel, std::optional<Expectation> expected = {}, std::string skipped = "") {
    ReplayItem& item = file.jobs.emplace_back().item;
    item.path = file.path;
    item.operation = operation;
    item.kernel = std::move(kernel);
    item.expected = std::move(expected);
    item.skipped = std::move(skipped);
  };
  if (!options.kernels.empty()) {
    for (const kernel::Kernel* kernel : chosen) {
      if (operation::is_of(value.operation, kernel->operation)) add(kernel->name);
    }
    if (file.jobs.empty()) {
      add("", std::nullopt,
          fmt::format("none of the kernels asked for implements {}", value.operation.signature().identity()));
    }
    return;
  }
  if (!value.expect.empty()) {
    for (const Expectation& expected : value.expect) add(expected.kernel, expected, why_skipped(expected, place));
    return;
  }
  if (value.kernel.empty()) {
    file.problem =
        base::usage_error(fmt::format("{}: the case names no kernel; say which with --kernel GLOB", file.path));
    return;
  }
  const auto kernels = kernels_matching({value.kernel}, place);
  if (!kernels) {
    file.problem = kernels.error();
    file.names_unknown = true;
    return;
  }
  for (const kernel::Kernel* kernel : *kernels) {
    if (operation::is_of(value.operation, kernel->operation)) add(kernel->name);
  }
  if (file.jobs.empty() && kernels->size() == 1) {
    file.problem = base::usage_error(
        fmt::format("{}: the case is {}, which kernel {} implements; say which is meant with --kernel GLOB", file.path,
                    operation::unlike(value.operation, kernels->front()->operation), kernels->front()->name));
  } else if (file.jobs.empty()) {
    file.problem = base::usage_error(
        fmt::format("{}: the case is a {}, which none of the kernels that match its metadata kernel = {} implements; "
                    "say which with --kernel GLOB",
                    file.path, operation, value.kernel));
  }
}

}  // namespace

bool is_expected_at(const Expectation& expected, kernel::Place place) {
  const auto where = kernel::where_named(expected.executor);
  return expected.executor == "*" || (where && where->place == place);
}

ReplayFile read_jobs(const std::string& path, const ReplayOptions& options,
                     const std::vector<const kernel::Kernel*>& chosen) {
  ReplayFile file{.path = path};
  auto value = load_case(path);
  if (!value) {
    file.problem = value.error();
    return file;
  }
  file.value = *std::move(value);
  // Kernels that are asked for are judged by what they declare now: the mend may have been one of the contract.
  if (!options.kernels.empty()) file.value.contract.clear();
  add_jobs(file, options, chosen);
  for (ReplayJob& job : file.jobs) {
    if (!job.item.skipped.empty()) continue;
    const auto kernel = kernel_named(job.item.kernel, options.evaluation.place);
    if (kernel) {
      job.kernel = *kernel;
    } else {
      job.unknown = kernel.error().message;
    }
  }
  return file;
}

}  // namespace negzero::campaign
