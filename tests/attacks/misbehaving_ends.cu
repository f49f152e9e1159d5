// Misbehaviour by threads, by output and by the way a launch ends.

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "misbehaving.cuh"

namespace negzero::attacks {
namespace {

void leave_sleeping_thread() {
  std::thread([] { ::pause(); }).detach();
}
void leave_spinning_thread() {
  static const bool done = [] {
    std::thread([] {
      for (volatile unsigned turns = 0;; static_cast<void>(turns)) {
      }
    }).detach();
    return true;
  }();
  (void)done;
}
void leave_writing_thread() {
  static const bool done = [] {
    std::thread([] {
      for (;; ::usleep(100)) (void)!::write(STDERR_FILENO, "still here\r\033[1A", 16);
    }).detach();
    return true;
  }();
  (void)done;
}
void leave_allocating_thread() {
  static const bool done = [] {
    std::thread([] {
      for (;; ::usleep(50)) delete[] new char[1000];
    }).detach();
    return true;
  }();
  (void)done;
}
void start_many_threads() {
  for (int i = 0; i < 20; ++i) std::thread([] { ::usleep(100); }).detach();
}
void drop_joinable_thread() {
  const std::thread dropped([] {});
}
void crash_in_a_thread() {
  std::thread([] { ::abort(); }).join();
}
void throw_in_a_thread() {
  std::thread([] { throw 1; }).join();
}
void hold_a_lock() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  ::pthread_mutex_lock(&mutex);
  ::pthread_mutex_lock(&mutex);
}
void lock_stdout() { ::flockfile(stdout); }
void lock_stdout_elsewhere() {
  static const bool done = [] {
    std::thread([] {
      ::flockfile(stdout);
      ::pause();
    }).detach();
    ::usleep(5000);
    return true;
  }();
  (void)done;
}
void cancel_itself() {
  ::pthread_cancel(::pthread_self());
  ::pthread_testcancel();
}

constexpr char kEscapes[] =
    "\x1b[2J\x1b]0;title\a\0\x01\x7f\xff\xfe\x9b"
    "31m\r\n\v\b";
void print_escapes() {
  (void)!::write(STDOUT_FILENO, kEscapes, sizeof kEscapes);
  (void)!::write(STDERR_FILENO, kEscapes, sizeof kEscapes);
}
void print_nothing_but_nul() {
  const std::string zeros(4096, '\0');
  (void)!::write(STDERR_FILENO, zeros.data(), zeros.size());
}
void print_much() {
  const std::string line(1 << 20, '\a');
  for (int i = 0; i < 8; ++i) std::fwrite(line.data(), 1, line.size(), i % 2 == 0 ? stdout : stderr);
  std::fflush(nullptr);
}
void print_percent() { std::fputs("%s%n {} {0} \\u001b \"},{\"name\": \"forged\"\n", stdout); }
void print_for_ever() {
  for (const std::string line(1 << 16, '\a');;) (void)!::write(STDOUT_FILENO, line.data(), line.size());
}
void print_then_die() {
  std::printf("last words \x1b[31m");
  ::raise(SIGABRT);
}
void close_stdio() {
  std::fclose(stdout);
  std::fclose(stderr);
}

struct Odd {};
void throw_odd() { throw Odd{}; }
void throw_null_text() { throw static_cast<const char*>(nullptr); }
void throw_escapes() { throw std::runtime_error("\x1b[2J\x1b]0;title\a no \n lines \x7f"); }
void throw_long() { throw std::runtime_error(std::string(1 << 20, 'x')); }
void throw_pointer() { throw std::make_shared<int>(3); }
struct Throwing : std::exception {
  [[nodiscard]] const char* what() const noexcept override { ::abort(); }
};
void throw_what_aborts() { throw Throwing(); }
void throw_what_is_null() {
  struct Null : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
  };
  throw Null();
}
void throw_inside() { throw 7; }
void terminate() { std::terminate(); }

void exit_0() { std::exit(0); }
void exit_77() { std::exit(77); }
void exit_raw() { ::_exit(0); }
void exit_thread() { ::syscall(SYS_exit, 0); }
void exit_pthread() { ::pthread_exit(nullptr); }
void quick_exit_0() { std::quick_exit(0); }
void abort_now() { std::abort(); }
void builtin_trap() { __builtin_trap(); }
void undefined_instruction() { asm volatile("ud2"); }
void breakpoint() { asm volatile("int3"); }
void privileged() { asm volatile("hlt"); }
void floating_point_error() {
  volatile int zero = 0, one = 1;  // A known 1 is divided by comparisons.
  volatile int result = one / zero;
  (void)result;
}
template <int kSignal>
void raise_it() {
  ::signal(kSignal, SIG_DFL);
  ::raise(kSignal);
}

std::jmp_buf returned;
void arm() { (void)!setjmp(returned); }
void jump_back() {
  arm();
  std::longjmp(returned, 1);
}
void sleep_for_ever() {
  for (;;) ::sleep(1000);
}
void spin_for_ever() {
  for (volatile unsigned turns = 0;; static_cast<void>(turns)) {
  }
}
void sleep_a_little() { ::usleep(1000); }
void burn_a_little() {
  for (volatile unsigned turns = 0; turns < 100000;) turns = turns + 1;
}
void forge_reply() { (void)!::write(3, "nz\1\4\4\0\0\0\0\0\0\0", 12); }

const bool registered[] = {
    add_before<leave_sleeping_thread>("quiet.thread_asleep"),
    add_before<leave_spinning_thread>("quiet.thread_awake"),
    add_before<leave_writing_thread>("quiet.thread_prints"),
    add_before<leave_allocating_thread>("quiet.thread_allocates"),
    add_before<start_many_threads>("quiet.threads"),
    add_before<drop_joinable_thread>("fatal.thread_dropped"),
    add_before<crash_in_a_thread>("fatal.thread_aborts"),
    add_before<throw_in_a_thread>("fatal.thread_throws"),
    add_before<hold_a_lock>("fatal.deadlock"),
    add_before<lock_stdout>("quiet.stdout_locked"),
    add_before<lock_stdout_elsewhere>("either.stdout_locked_elsewhere"),
    add_before<cancel_itself>("fatal.cancelled"),
    add_before<print_escapes>("quiet.prints_escapes"),
    add_inside<print_escapes>("quiet.prints_escapes_inside"),
    add_before<print_nothing_but_nul>("quiet.prints_nul"),
    add_before<print_much>("quiet.prints_much"),
    add_before<print_percent>("quiet.prints_percent"),
    add_before<print_for_ever>("fatal.prints_for_ever"),
    add_before<print_then_die>("fatal.prints_and_dies"),
    add_before<close_stdio>("quiet.stdio_closed"),
    add_before<throw_odd>("fatal.throws_odd"),
    add_before<throw_null_text>("fatal.throws_null"),
    add_before<throw_escapes>("fatal.throws_escapes"),
    add_before<throw_long>("fatal.throws_long"),
    add_before<throw_pointer>("fatal.throws_pointer"),
    add_before<throw_what_aborts>("fatal.throws_abort"),
    add_before<throw_what_is_null>("fatal.throws_null_what"),
    add_inside<throw_inside>("fatal.throws_inside"),
    add_before<terminate>("fatal.terminate"),
    add_before<exit_0>("fatal.exit_0"),
    add_before<exit_77>("fatal.exit_77"),
    add_inside<exit_0>("fatal.exit_inside"),
    add_after<exit_raw>("fatal.exit_raw"),
    add_before<exit_thread>("fatal.exit_thread"),
    add_before<exit_pthread>("fatal.exit_pthread"),
    add_before<quick_exit_0>("fatal.quick_exit"),
    add_before<abort_now>("fatal.abort"),
    add_before<builtin_trap>("fatal.trap"),
    add_inside<undefined_instruction>("fatal.ud2"),
    add_before<breakpoint>("fatal.breakpoint"),
    add_before<privileged>("fatal.privileged"),
    add_before<floating_point_error>("fatal.sigfpe"),
    add_before<raise_it<SIGSYS>>("fatal.sigsys"),
    add_before<raise_it<SIGPIPE>>("fatal.sigpipe"),
    add_before<raise_it<SIGTERM>>("fatal.sigterm"),
    add_before<raise_it<SIGXCPU>>("fatal.sigxcpu"),
    add_before<raise_it<SIGUSR2>>("fatal.sigusr2"),
    add_before<raise_it<SIGTSTP>>("fatal.stops"),
    add_before<raise_it<SIGKILL>>("quiet.kills_itself"),
    add_before<jump_back>("either.jumps_back"),
    add_before<sleep_for_ever>("fatal.sleeps"),
    add_before<spin_for_ever>("fatal.spins"),
    add_inside<spin_for_ever>("fatal.spins_inside"),
    add_before<sleep_a_little>("quiet.sleeps"),
    add_before<burn_a_little>("quiet.burns"),
    add_before<forge_reply>("fatal.forged_reply"),
};

}  // namespace
}  // namespace negzero::attacks
