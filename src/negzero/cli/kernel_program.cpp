// The programs that hold the kernels: where they are, and what they declare.

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/describe.hpp>

namespace negzero::cli {

namespace {

namespace fs = std::filesystem;

bool has_kernels() {
  const kernel::Registry& registry = kernel::registry();
  return !registry.programs().empty() || !registry.errors().empty() || !registry.absent().empty();
}

std::string beside_this_program(const std::string& name) {
  std::error_code code;
  return (fs::read_symlink("/proc/self/exe", code).parent_path() / name).string();
}

}  // namespace

base::Status know_kernels(std::vector<std::string> named) {
  if (named.empty() && has_kernels()) return base::Ok{};
  const bool is_named = !named.empty();
  if (named.empty()) named = {beside_this_program("negzero-worker")};
  for (const std::string& path : named) {
    std::error_code code;
    kernel::KernelSource source{.program = {fs::absolute(path, code).lexically_normal().string()},
                                .is_named = is_named};
    auto declared = run::describe_kernels(source.program);
    if (!declared) return declared.error();
    source.declarations = *std::move(declared);
    if (const auto known = kernel::declare(source, kernel::registry()); !known) return known.error();
  }
  return base::Ok{};
}

base::Status hold_kernels(char** argv) {
  if (has_kernels()) return base::Ok{};
  const std::string path = beside_this_program("negzero-in-process");
  give_back_standard_output();
  ::execv(path.c_str(), argv);
  return base::infrastructure_error(
      fmt::format("--in-process needs {}: {}; build or install all of negzero", path, std::strerror(errno)));
}

}  // namespace negzero::cli
