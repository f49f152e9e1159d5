// The program `negzero`, which is also what its examiners run.

#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

#include <negzero/campaign/examiner.hpp>
#include <negzero/cli/app.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/run/orphans.hpp>

namespace {

/// Below it the command line, the processes that this program starts and their loaders may find no room: at 64 KiB they
/// end by signal 11, at 96 KiB they do not.
constexpr rlim_t kLeastStackBytes = 256 * 1024, kUsualStackBytes = 8192 * 1024;

bool has_stack() {
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kLeastStackBytes) return true;
  stack.rlim_cur = std::min(stack.rlim_max, kUsualStackBytes);  // It grows as far from now on.
  return stack.rlim_cur >= kLeastStackBytes && ::setrlimit(RLIMIT_STACK, &stack) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (!has_stack()) {
    constexpr char kWhy[] = "negzero: the stack is limited to less than 256 KiB; raise it, as by `ulimit -s 8192`\n";
    (void)!::write(STDERR_FILENO, kWhy, sizeof kWhy - 1);
    return negzero::cli::kInfrastructure;
  }
  if (const auto status = negzero::campaign::serve_if_called(argc, argv)) return *status;
  const negzero::run::Orphans orphans;
  return negzero::cli::run(argc, argv);
}
