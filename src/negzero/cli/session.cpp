// What the commands share: standard output that is checked and kept clean, errors on one line, Ctrl-C, the executor.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/cli/color.hpp>
#include <negzero/cli/executor_choice.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/exact/sum.hpp>
#include <negzero/report/json.hpp>
#include <negzero/run/memory_budget.hpp>

namespace negzero::cli {

namespace {

std::string called = "negzero";
int output = STDOUT_FILENO;
bool output_failed = false;
bool output_is_colored = false, errors_are_colored = false;

/// When the first signal came, in milliseconds of the monotonic clock; 0: none did.
std::atomic<std::int64_t> interrupted_ms{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler writes it");

/// Signals that come together are one: `timeout` sends its own to the program and at once to the whole group too.
void on_signal(int) {
  constexpr std::int64_t kTogetherMs = 500;
  timespec time{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000 + 1;
  std::int64_t first = 0;
  if (interrupted_ms.compare_exchange_strong(first, now)) return;
  if (now - first >= kTogetherMs) ::_exit(kInterrupted);
}

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(output, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace

void take_standard_output() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Read-only: what is written there fails as on the closed descriptor.
    if (::fcntl(fd, F_GETFD) == -1) (void)::open("/dev/null", O_RDONLY);
  }
  // A file that may grow no further (`ulimit -f`) is an error of a write, as a full disk is, and not the end.
  ::signal(SIGXFSZ, SIG_IGN);
  output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

void give_back_standard_output() { ::dup2(output, STDOUT_FILENO); }

void set_color(std::string_view word, bool json) {
  output_is_colored = !json && wants_color(word, ::isatty(output) == 1);
  errors_are_colored = !json && wants_color(word, ::isatty(STDERR_FILENO) == 1);
}

void set_command(const std::string& command) { called = campaign::shell_word(command); }

std::string as_called(std::string text) {
  for (const std::string before : {"`", "Usage: ", "Example: "}) {
    const std::string plain = before + "negzero ", typed = before + called + " ";
    for (std::size_t at = 0; (at = text.find(plain, at)) != std::string::npos; at += typed.size()) {
      text.replace(at, plain.size(), typed);
    }
  }
  return text;
}

std::string for_errors(const std::string& line, Style style) { return errors_are_colored ? styled(line, style) : line; }

void tell_line(const std::string& line) {
  const std::string text = base::one_line(line, ' ');
  tell(for_errors(text, style_of(text)) + "\n");
}

void complain(const base::Error& error) { tell_line("negzero: " + as_called(error.message)); }

int fail(const base::Error& error, const Common& common) {
  complain(error);
  if (common.json) (void)print_document(report::error_json({error.kind, as_called(error.message)}));
  return exit_code(error.kind);
}

namespace {

bool print(std::string_view text) {
  if (write_all(text)) return true;
  if (!output_failed) {
    complain(base::infrastructure_error(fmt::format("cannot write to standard output: {}", std::strerror(errno))));
  }
  output_failed = true;
  return false;
}

}  // namespace

bool print_document(std::string_view text) { return print(base::printable_json(text)); }

bool print_text(std::string_view text) {
  const std::string shown = base::printable(as_called(std::string(text)));
  return print(output_is_colored ? colored(shown) : shown);
}

base::Result<campaign::EvaluationOptions> evaluation_options(const Running& running) {
  if (!running.exact.empty()) {
    // An empty window fits every method, so only an unknown name is refused here.
    if (const auto known = exact::choose({}, running.exact); !known) return known.error();
  }
  auto choice = choose_executor(running.executor);
  if (!choice) return choice.error();
  campaign::EvaluationOptions options;
  options.place = choice->place;
  options.gpus = std::move(choice->gpus);
  options.jobs = static_cast<int>(running.jobs > 0 ? running.jobs : std::max(1u, std::thread::hardware_concurrency()));
  // On a device jobs are threads of a few examiners: they take no memory of their own.
  constexpr kernel::AtPlace<std::uint64_t> kJobBytes{.host = run::kWorkerBytes, .device = 0};
  const auto jobs = static_cast<std::uint64_t>(options.jobs);
  const std::uint64_t fit = run::memory_budget().workers_that_fit(jobs, kJobBytes[options.place]);
  if (fit < jobs) tell_line(fmt::format("negzero: {} of {} jobs, because of little memory", fit, jobs));
  options.jobs = static_cast<int>(fit);
  options.timeout_ms = running.timeout_ms;
  options.shrink_time_ms = running.shrink_time_ms;
  options.in_process = running.in_process;
  options.exact = running.exact;
  options.watch = campaign::watch_named(running.watch);
#ifdef NEGZERO_SANITIZE
  if (options.watch == campaign::Watch::Always) {
    return base::Error{base::ErrorKind::Unavailable,
                       "--watch always: a build with sanitizers has no watched kernels; use the default preset"};
  }
#endif
  return options;
}

std::function<bool()> watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return [] { return interrupted_ms.load() != 0; };
}

void tell(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace negzero::cli
