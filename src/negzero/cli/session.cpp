// What the commands that run kernels share: the executor, Ctrl-C, errors on standard error, output that is checked.

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <signal.h>

#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/exact/sum.hpp>

namespace negzero::cli {

namespace {

std::atomic<int> interrupts{0};

void on_signal(int) {
  if (interrupts.fetch_add(1) > 0) ::_exit(kInterrupted);
}

}  // namespace

int fail(const base::Error& error) {
  fmt::print(stderr, "negzero: {}\n", error.message);
  return exit_code(error.kind);
}

bool print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return true;
  fmt::print(stderr, "negzero: cannot write to standard output: {}\n", std::strerror(errno));
  return false;
}

base::Result<campaign::EvaluationOptions> evaluation_options(const Running& running) {
  if (running.executor == "cuda") {
    return base::Error{base::ErrorKind::Unavailable,
                       "--executor cuda: this program has no CUDA executor; use --executor host"};
  }
  if (!running.exact.empty()) {
    // An empty window fits every method, so only an unknown name is refused here.
    if (const auto known = exact::choose({}, running.exact); !known) return known.error();
  }
  campaign::EvaluationOptions options;
  options.jobs = running.jobs > 0 ? running.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.timeout_ms = running.timeout_ms;
  options.in_process = running.in_process;
  options.exact = running.exact;
  return options;
}

std::function<bool()> watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  return [] { return interrupts.load() > 0; };
}

}  // namespace negzero::cli
