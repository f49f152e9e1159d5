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

base::Status know(const std::string& path, bool is_named) {
  std::error_code code;
  kernel::KernelSource source{.program = {fs::absolute(path, code).lexically_normal().string()}, .is_named = is_named};
  auto declared = run::describe_kernels(source.program);
  if (!declared) return declared.error();
  source.declarations = *std::move(declared);
  return kernel::declare(source, kernel::registry());
}

}  // namespace

base::Status know_kernels(const std::vector<std::string>& named, bool with_shipped) {
  if (named.empty()) return has_kernels() ? base::Ok{} : know(beside_this_program("negzero-worker"), false);
  base::Status first = base::Ok{};
  for (const std::string& path : named) {
    base::Status known = know(path, true);
    if (known) continue;
    kernel::registry().note_error(known.error().message);
    if (first) first = std::move(known);
  }
  if (!first && kernel::registry().programs().empty()) return first;
  const bool are_modules = std::ranges::all_of(named, [](const std::string& path) { return path.ends_with(".py"); });
  return with_shipped && are_modules ? know(beside_this_program("negzero-worker"), false) : base::Ok{};
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
