// Misbehaviour with what belongs to the process: descriptors, signals, timers, the floating-point environment, locale,
// limits, files, other processes.

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <locale>

#include <fcntl.h>
#include <pmmintrin.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misbehaving.cuh"

namespace negzero::attacks {
namespace {

void close_socket() { ::close(3); }
void close_memory() { ::close(4); }
void close_output() {
  ::close(1);
  ::close(2);
}
void replace_socket() { ::dup2(1, 3); }
void replace_memory() { ::dup2(3, 4); }
void copy_descriptors() {
  for (int i = 0; i < 100; ++i) (void)!::dup(i % 5);
}
void take_all_descriptors() {
  while (::dup(1) >= 0) {
  }
}
void unblock_socket() { ::fcntl(3, F_SETFL, O_NONBLOCK); }
void write_to_socket() { (void)!::write(3, "hello\033[2J", 9); }
void read_from_socket() {
  char bytes[4096];
  (void)!::recv(3, bytes, sizeof bytes, MSG_DONTWAIT);
}
void shut_socket() { ::shutdown(3, SHUT_RDWR); }

void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}
void ignore_signals() {
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
}
void handle_signals() {
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, [](int) {});
}
void take_signal_stack() {
  static char stack[64];
  stack_t mine{};
  mine.ss_sp = stack;
  mine.ss_size = sizeof stack;
  ::sigaltstack(&mine, nullptr);
  mine.ss_flags = SS_DISABLE;
  ::sigaltstack(&mine, nullptr);
}
void arm_timer() {
  const itimerval soon{{0, 1000}, {0, 1000}};
  ::signal(SIGALRM, [](int) {});
  ::setitimer(ITIMER_REAL, &soon, nullptr);
}
void arm_deadly_timer() {
  const itimerval soon{{0, 0}, {0, 20000}};
  ::signal(SIGALRM, SIG_DFL);
  ::setitimer(ITIMER_REAL, &soon, nullptr);
  ::usleep(40000);
}
void arm_profiler() {
  const itimerval soon{{0, 1000}, {0, 1000}};
  ::signal(SIGPROF, [](int) {});
  ::setitimer(ITIMER_PROF, &soon, nullptr);
}
void set_alarm() { ::alarm(1); }

void round_up() { std::fesetround(FE_UPWARD); }
void round_up_and_back() {
  std::fesetround(FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}
void flush() { _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON); }
void denormals_are_zero() { _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON); }
void trap() { ::feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); }
void raise_flags() { std::feraiseexcept(FE_ALL_EXCEPT); }
void x87_precision() {
  unsigned short control = 0;
  asm volatile("fnstcw %0" : "=m"(control));
  control = static_cast<unsigned short>(control & ~0x300);
  asm volatile("fldcw %0" ::"m"(control));
}
void x87_stack() { asm volatile("fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1"); }
void direction_flag() { asm volatile("std"); }

void set_locale() {
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8", "tr_TR.UTF-8", "C"}) std::setlocale(LC_ALL, name);
}
void set_cpp_locale() {
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
  };
  std::locale::global(std::locale(std::locale(), new Commas));
}
void change_folder() { (void)!::chdir("/tmp"); }
void change_root() { (void)!::chroot("/tmp"); }
void change_environment() {
  ::setenv("LD_PRELOAD", "/tmp/evil.so", 1);
  ::setenv("PATH", "", 1);
  ::clearenv();
}
void change_mask() { ::umask(0777); }
void be_nice() { (void)!::nice(19); }
void be_greedy() {
  ::setpriority(PRIO_PROCESS, 0, -20);
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), 19);
  const sched_param most{.sched_priority = 99};
  ::sched_setscheduler(0, SCHED_FIFO, &most);
}
void pin() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  ::sched_setaffinity(0, sizeof one, &one);
  ::sched_setaffinity(::getppid(), sizeof one, &one);
}
void limit() {
  const rlimit none{0, 0};
  for (const auto what : {RLIMIT_NOFILE, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_FSIZE}) ::setrlimit(what, &none);
}
void set_terminate() {
  std::set_terminate([] { ::_exit(0); });
}
void register_exits() {
  static const bool done = [] {
    std::atexit([] {
      for (;;) ::pause();
    });
    return ::on_exit([](int, void*) { ::_exit(0); }, nullptr) == 0;
  }();
  (void)done;
}

void fork_bomb() {
  if (!is_confined()) return;
  for (int i = 0; i < 16; ++i) (void)::fork();
}
void fork_sleeper() {
  if (!is_confined()) return;
  if (::fork() == 0) {
    ::alarm(20);
    for (;;) ::pause();
  }
}
void daemonise() {
  if (!is_confined()) return;
  (void)!::daemon(0, 0);
}
void new_session() {
  ::setsid();
  ::setpgid(0, 0);
}
void start_shell() {
  if (!is_confined()) return;
  (void)!std::system("echo $$; sleep 20 &");
}
void spawn_shell() {
  char name[] = "sleep", time[] = "20";
  char* words[] = {name, time, nullptr};
  char* none[] = {nullptr};
  pid_t pid = 0;
  if (is_confined()) ::posix_spawn(&pid, "/bin/sleep", nullptr, nullptr, words, none);
}
void replace_program() {
  if (is_confined()) ::execl("/bin/sh", "sh", "-c", "exit 0", nullptr);
}
void open_socket() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const int other = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (socket >= 0) ::close(socket);
  if (other >= 0) ::close(other);
}
void trace_itself() { (void)::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }
void signal_all() {
  if (!is_confined()) return;
  ::kill(-1, SIGUSR1);
  ::kill(0, SIGTERM);
  ::kill(::getppid(), SIGKILL);
}
void write_files() {
  for (const char* path : {"/tmp/negzero-misbehaving", "core", "/dev/full", "/dev/tty"}) {
    const int file = ::open(path, O_WRONLY | O_CREAT, 0600);
    if (file >= 0) ::close(file);
  }
}

const bool registered[] = {
    add_before<close_socket>("fatal.socket_closed"),
    add_after<close_memory>("either.memory_closed"),
    add_before<close_output>("quiet.output_closed"),
    add_before<replace_socket>("fatal.socket_replaced"),
    add_before<replace_memory>("either.memory_replaced"),
    add_before<copy_descriptors>("quiet.descriptors_copied"),
    add_before<take_all_descriptors>("quiet.descriptors_taken"),
    add_before<unblock_socket>("either.socket_unblocked"),
    add_before<write_to_socket>("fatal.socket_written"),
    add_before<read_from_socket>("quiet.socket_read"),
    add_after<shut_socket>("either.socket_shut"),
    add_before<block_signals>("quiet.signals_blocked"),
    add_before<ignore_signals>("quiet.signals_ignored"),
    add_before<handle_signals>("quiet.signals_handled"),
    add_before<take_signal_stack>("quiet.signal_stack"),
    add_before<arm_timer>("quiet.timer"),
    add_before<arm_deadly_timer>("fatal.timer"),
    add_before<arm_profiler>("quiet.profiler"),
    add_before<set_alarm>("quiet.alarm"),
    add_before<round_up>("fatal.rounding"),
    add_after<round_up>("fatal.rounding_after"),
    add_inside<round_up>("fatal.rounding_inside"),
    add_before<round_up_and_back>("quiet.rounding_restored"),
    add_before<flush>("fatal.flush_to_zero"),
    add_inside<flush>("fatal.flush_to_zero_inside"),
    add_after<denormals_are_zero>("fatal.denormals_are_zero"),
    add_before<trap>("fatal.traps"),
    add_inside<trap>("fatal.traps_inside"),
    add_before<raise_flags>("quiet.flags"),
    add_before<x87_precision>("either.x87_precision"),
    add_before<x87_stack>("either.x87_stack"),
    add_before<direction_flag>("either.direction_flag"),
    add_before<set_locale>("quiet.locale"),
    add_before<set_cpp_locale>("quiet.cpp_locale"),
    add_before<change_folder>("quiet.folder"),
    add_before<change_root>("quiet.root"),
    add_before<change_environment>("quiet.environment"),
    add_before<change_mask>("quiet.umask"),
    add_before<be_nice>("quiet.nice"),
    add_before<be_greedy>("quiet.greedy"),
    add_before<pin>("quiet.pinned"),
    add_before<limit>("quiet.limits"),
    add_before<set_terminate>("quiet.terminate_handler"),
    add_before<register_exits>("quiet.exit_handlers"),
    add_before<fork_bomb>("quiet.fork_bomb"),
    add_before<fork_sleeper>("quiet.fork"),
    add_before<daemonise>("quiet.daemon"),
    add_before<new_session>("quiet.session"),
    add_before<start_shell>("quiet.shell"),
    add_before<spawn_shell>("quiet.spawn"),
    add_before<replace_program>("quiet.exec"),
    add_before<open_socket>("quiet.sockets"),
    add_before<trace_itself>("quiet.ptrace"),
    add_before<signal_all>("either.signals_to_all"),
    add_before<write_files>("quiet.files"),
};

}  // namespace
}  // namespace negzero::attacks
