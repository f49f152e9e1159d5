// The program that holds the kernels: where it is, and what it declares.

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/worker.hpp>

namespace negzero::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> program;

bool has_kernels() {
  const std::string all = "*";
  return !kernel::registry().match(std::span(&all, 1), kernel::Executor::Host).empty() ||
         !kernel::registry().errors().empty();
}

std::string beside_this_program(const std::string& name) {
  std::error_code code;
  return (fs::read_symlink("/proc/self/exe", code).parent_path() / name).string();
}

}  // namespace

base::Status know_kernels(const std::string& named) {
  if (named.empty() && has_kernels()) return base::Ok{};
  std::error_code code;
  const std::string path = named.empty() ? beside_this_program("negzero-worker") : fs::absolute(named, code).string();
  program = {path};
  const auto declared = run::describe_kernels(program);
  if (!declared) return declared.error();
  return kernel::declare(*declared, kernel::registry());
}

const std::vector<std::string>& kernel_program() { return program; }

base::Status hold_kernels(char** argv) {
  if (has_kernels()) return base::Ok{};
  const std::string path = beside_this_program("negzero-in-process");
  give_back_standard_output();
  ::execv(path.c_str(), argv);
  return base::infrastructure_error(
      fmt::format("--in-process needs {}: {}; build or install all of negzero", path, std::strerror(errno)));
}

}  // namespace negzero::cli
