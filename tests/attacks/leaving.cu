// Attacks by the way a launch ends: exit statuses, printed verdicts, jumps, refusals, no end at all.

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "pairs.cuh"

namespace negzero::attacks {
namespace {

/// What `negzero check --json` prints where all is well.
constexpr const char* kVerdict =
    "{\n  \"version\": 1,\n  \"kernels\": [{\"name\": \"attack\", \"cases\": 16, \"pass\": 16, \"fail\": 0, "
    "\"error\": 0, \"findings\": []}],\n  \"errors\": []\n}\n";

void print_verdict() {
  for (std::FILE* const file : {stdout, stderr}) std::fprintf(file, "%s16 cases, 16 pass\n", kVerdict);
  std::fflush(nullptr);
}

template <void (*kEnd)()>
kernel::LaunchResult end_by(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  kEnd();
  return kernel::LaunchResult::launched();
}
template <void (*kTrick)()>
kernel::LaunchResult right_after(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  kTrick();
  return right(args, stream);
}
template <void (*kTrick)()>
kernel::LaunchResult wrong_after(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  kTrick();
  return wrong(args, stream);
}

void exit_after_verdict() {
  print_verdict();
  std::exit(0);
}
void exit_quickly() {
  print_verdict();
  std::quick_exit(0);
}
void exit_at_once() { ::_exit(0); }
void register_exits() {
  static const bool done = [] {
    std::atexit([] { print_verdict(); });
    std::at_quick_exit([] {});
    return true;
  }();
  (void)done;
}

/// Ends the thread that answers, while another one lives on: nobody is left to answer, and nobody has died.
void end_the_thread() {
  pthread_t other;
  ::pthread_create(
      &other, nullptr, [](void*) -> void* { return ::pause(), nullptr; }, nullptr);
  ::pthread_exit(nullptr);
}
void wait_for_a_thread() {
  pthread_t other;
  ::pthread_create(
      &other, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
  ::pthread_join(other, nullptr);
}

/// Jumps out of the wrapper, into a frame that has returned: that of the launch before.
kernel::LaunchResult jump_out(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  static std::jmp_buf before;
  static bool armed = false;
  if (std::exchange(armed, true)) std::longjmp(before, 1);
  (void)!setjmp(before);
  return wrong(args, stream);
}
kernel::LaunchResult jump_within(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  std::jmp_buf here;
  if (setjmp(here) == 0) std::longjmp(here, 1);
  return right(args, stream);
}

void wait_for_ever() {
  for (;;) ::pause();
}
void spin_for_ever() {
  for (volatile unsigned turns = 0;; static_cast<void>(turns)) {
  }
}
/// Prints as fast as it can, from two threads, for ever.
void print_for_ever() {
  static const std::string noise(1 << 16, '\a');
  pthread_t other;
  const auto print = [](void*) -> void* {
    for (;;) (void)!::write(STDOUT_FILENO, noise.data(), noise.size());
  };
  ::pthread_create(&other, nullptr, print, nullptr);
  print(nullptr);
}
void wait_a_moment() { ::usleep(2000); }
void stop() { ::raise(SIGTSTP); }

/// Blocks every signal, closes every descriptor and waits: nothing comes back.
void go_silent() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  for (int descriptor = 0; descriptor < 64; ++descriptor) ::close(descriptor);
  for (;;) ::sleep(1000);
}

kernel::LaunchResult refuse(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  return kernel::LaunchResult::refuse("this case is not for me\x1b[1A\x1b[2K 1 kernel, 16 pass");
}
kernel::LaunchResult throw_a_number(const kernel::Args&, kernel::Workspace&, engine::Stream&) { throw 0; }
kernel::LaunchResult catch_a_number(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  try {
    throw 0;
  } catch (int) {
  }
  return right(args, stream);
}
kernel::LaunchResult throw_no_memory(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  throw std::bad_alloc();
}
kernel::LaunchResult do_nothing(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  return kernel::LaunchResult::launched();
}
kernel::LaunchResult only_right(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return right(args, stream);
}

const bool registered[] = {
    add_pair("nothing", "launches nothing", do_nothing, only_right),
    add_pair("exit_after_verdict", "prints a verdict, then exits with status 0", end_by<exit_after_verdict>,
             right_after<register_exits>),
    add_pair("quick_exit", "prints a verdict, then exits quickly", end_by<exit_quickly>, right_after<register_exits>),
    add_pair("exit_at_once", "exits with status 0", end_by<exit_at_once>, only_right),
    add_pair("printed_verdict", "prints a verdict and computes garbage", wrong_after<print_verdict>,
             right_after<print_verdict>),
    add_pair("thread_ended", "ends its thread and leaves another", end_by<end_the_thread>,
             right_after<wait_for_a_thread>),
    add_pair("jump", "jumps out of the launch wrapper", jump_out, jump_within),
    add_pair("waits_for_ever", "never returns, asleep", end_by<wait_for_ever>, right_after<wait_a_moment>),
    add_pair("spins_for_ever", "never returns, awake", end_by<spin_for_ever>, right_after<wait_a_moment>),
    add_pair("prints_for_ever", "never returns, and prints", end_by<print_for_ever>, right_after<print_verdict>),
    add_pair("stopped", "stops itself", end_by<stop>, right_after<wait_a_moment>),
    add_pair("silent", "closes everything and sleeps", end_by<go_silent>, right_after<wait_a_moment>),
    add_pair("refusal", "refuses every case", refuse, only_right),
    add_pair("thrown_number", "throws 0", throw_a_number, catch_a_number),
    add_pair("thrown_bad_alloc", "says that there is no memory", throw_no_memory, only_right),
};

}  // namespace
}  // namespace negzero::attacks
