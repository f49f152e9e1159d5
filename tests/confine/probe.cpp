// Tries what a kernel might try, and prints "name errno" for each attempt: 0 where it succeeded.
//
// Arguments: what to do ("all", or how to end), a folder that it would like to write, the address of a secret in its
// parent's memory, the place of device memory and the runtime's key. Descriptor 3 is a socket, descriptor 4 shared
// memory.

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::string folder;
std::uintptr_t secret = 0, place = 0;
std::uint64_t key = 0;
pid_t parent = 0;
sigjmp_buf back;

void attempt(const char* name, const std::function<long()>& what) {
  errno = 0;
  const long result = what();
  const int reason = result < 0 ? (errno != 0 ? errno : EINVAL) : 0;
  const std::string line = std::string(name) + " " + std::to_string(reason) + "\n";
  (void)!::write(STDOUT_FILENO, line.data(), line.size());
}

long closing(int descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  return descriptor;
}
long refused_if(bool refused) {
  errno = EPERM;
  return refused ? -1 : 0;
}
long leaving(pid_t pid) {
  if (pid == 0) ::_exit(0);
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  return pid;
}
long opened(const std::string& path, int flags) { return closing(::open(path.c_str(), flags | O_CLOEXEC, 0600)); }

void processes() {
  attempt("fork", [] { return leaving(::fork()); });
  attempt("clone_process", [] { return leaving(static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))); });
  attempt("clone_shared_files",
          [] { return leaving(static_cast<pid_t>(::syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0))); });
  attempt("clone3", [] {
    unsigned long arguments[8] = {0, 0, 0, 0, SIGCHLD, 0, 0, 0};
    return leaving(static_cast<pid_t>(::syscall(435, arguments, sizeof arguments)));
  });
  attempt("system", [] { return ::system("true") == 0 ? 0L : -1L; });
  attempt("kill_parent", [] { return ::kill(parent, 0); });
  attempt("kill_group", [] { return ::kill(0, 0); });
  attempt("kill_all", [] { return ::kill(-1, 0); });
  attempt("kill_child", [] {
    const pid_t pid = ::fork();
    if (pid < 0) return -1L;
    if (pid == 0) {
      for (;;) ::pause();
    }
    const long killed = ::kill(pid, SIGKILL);
    if (killed != 0) return killed;  // It ends with the test.
    ::waitpid(pid, nullptr, 0);
    return 0L;
  });
  attempt("tgkill_parent", [] { return ::syscall(SYS_tgkill, parent, parent, 0); });
  attempt("tkill_parent", [] { return ::syscall(SYS_tkill, parent, 0); });
  attempt("pidfd_open", [] { return closing(static_cast<int>(::syscall(434, parent, 0))); });
  attempt("read_parent", [] {
    char bytes[8];
    const iovec here{bytes, sizeof bytes}, there{reinterpret_cast<void*>(secret), sizeof bytes};
    return ::process_vm_readv(parent, &here, 1, &there, 1, 0);
  });
  attempt("write_parent", [] {
    char bytes[8] = "forged";
    const iovec here{bytes, sizeof bytes}, there{reinterpret_cast<void*>(secret), sizeof bytes};
    return ::process_vm_writev(parent, &here, 1, &there, 1, 0);
  });
  const std::string proc = "/proc/" + std::to_string(parent);
  attempt("parent_memory", [&] { return opened(proc + "/mem", O_RDONLY); });
  attempt("parent_maps", [&] { return opened(proc + "/maps", O_RDONLY); });
  attempt("parent_words", [&] { return opened(proc + "/cmdline", O_RDONLY); });
  attempt("parent_descriptors", [&] { return opened(proc + "/fd", O_RDONLY); });
  attempt("parent_by_self", [&] { return opened("/proc/self/root" + proc + "/cmdline", O_RDONLY); });
  attempt("affinity_of_parent", [] {
    cpu_set_t all;
    ::sched_getaffinity(parent, sizeof all, &all);
    return ::sched_setaffinity(parent, sizeof all, &all);
  });
  attempt("limit_of_parent", [] {
    rlimit limit;
    return ::prlimit(parent, RLIMIT_CORE, nullptr, &limit);
  });
  attempt("setsid", [] { return ::setpgid(0, 0) == 0 ? 0L : -1L; });
  attempt("owner_of_descriptor", [] { return ::fcntl(3, F_SETOWN, parent); });
  attempt("signal_of_descriptor", [] { return ::fcntl(3, F_SETSIG, SIGUSR1); });
  attempt("owner_by_ioctl", [] { return ::ioctl(3, FIOSETOWN, &parent); });
  attempt("death_signal", [] { return ::prctl(PR_SET_PDEATHSIG, 0); });
  attempt("dumpable", [] { return ::prctl(PR_SET_DUMPABLE, 1); });
  attempt("limit_lower", [] {
    rlimit limit;
    ::getrlimit(RLIMIT_CPU, &limit);
    return ::setrlimit(RLIMIT_CPU, &limit);
  });
  attempt("priority", [] { return ::setpriority(PRIO_PROCESS, 0, 0); });
  attempt("scheduler", [] {
    const sched_param none{};
    return ::sched_setscheduler(0, SCHED_OTHER, &none);
  });
  attempt("timer_create", [] {
    timer_t timer;
    return ::timer_create(CLOCK_MONOTONIC, nullptr, &timer);
  });
  attempt("new_rights_by_exec", [] { return refused_if(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1); });
  attempt("rights_of_root", [] {
    std::ifstream status("/proc/self/status");
    std::string word;
    std::uint64_t rights = 0;
    while (status >> word && word != "CapEff:") {
    }
    status >> std::hex >> rights;
    constexpr std::uint64_t kMayRead = 1u << 2;  // CAP_DAC_READ_SEARCH
    return refused_if((rights & ~kMayRead) == 0);
  });
  attempt("setuid", [] { return ::setuid(::getuid()); });
}

void channels() {
  attempt("socket_inet", [] { return closing(::socket(AF_INET, SOCK_STREAM, 0)); });
  attempt("socket_inet6", [] { return closing(::socket(AF_INET6, SOCK_DGRAM, 0)); });
  attempt("socket_netlink", [] { return closing(::socket(AF_NETLINK, SOCK_RAW, 0)); });
  attempt("socket_unix", [] { return closing(::socket(AF_UNIX, SOCK_STREAM, 0)); });
  attempt("socket_unix_datagram", [] { return closing(::socket(AF_UNIX, SOCK_DGRAM, 0)); });
  attempt("socketpair", [] {
    int ends[2];
    return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  });
  attempt("shmget", [] { return ::shmctl(::shmget(IPC_PRIVATE, 4096, 0600), IPC_RMID, nullptr); });
  attempt("msgget", [] { return ::msgctl(::msgget(IPC_PRIVATE, 0600), IPC_RMID, nullptr); });
  attempt("semget", [] { return ::semctl(::semget(IPC_PRIVATE, 1, 0600), 0, IPC_RMID); });
  attempt("memfd_create", [] { return closing(::memfd_create("x", MFD_CLOEXEC)); });
  attempt("inotify", [] { return closing(::inotify_init()); });
  attempt("shared_for_writing", [] { return opened("/proc/self/fd/4", O_RDWR); });
  attempt("shared_shorter", [] { return ::ftruncate(4, 4096); });
  attempt("shared_seal", [] { return ::fcntl(4, F_ADD_SEALS, F_SEAL_GROW); });
}

void files() {
  const std::string old = folder + "/old", made = folder + "/made";
  attempt("read_private", [&] { return opened(old, O_RDONLY); });
  attempt("read_passwd", [] { return opened("/etc/passwd", O_RDONLY); });
  attempt("read_root", [] { return opened("/", O_RDONLY | O_DIRECTORY); });
  attempt("read_folder", [] { return opened(folder, O_RDONLY | O_DIRECTORY); });
  attempt("write", [&] { return opened(old, O_WRONLY); });
  attempt("append", [&] { return opened(old, O_RDWR | O_APPEND); });
  attempt("truncate_by_open", [&] { return opened(old, O_RDONLY | O_TRUNC); });
  attempt("create", [&] { return opened(made, O_WRONLY | O_CREAT); });
  attempt("create_to_read", [&] { return opened(made + "2", O_RDONLY | O_CREAT); });
  attempt("temporary", [] { return opened(folder, O_RDWR | O_TMPFILE); });
  attempt("write_null", [] { return opened("/dev/null", O_WRONLY); });
  attempt("openat2", [&] {
    const std::uint64_t how[3] = {O_RDONLY, 0, 0};
    return closing(static_cast<int>(::syscall(437, AT_FDCWD, old.c_str(), how, sizeof how)));
  });
  attempt("mkdir", [&] { return ::mkdir((folder + "/d").c_str(), 0700); });
  attempt("symlink", [&] { return ::symlink("old", (folder + "/s").c_str()); });
  attempt("link", [&] { return ::link(old.c_str(), (folder + "/l").c_str()); });
  attempt("mkfifo", [&] { return ::mkfifo((folder + "/f").c_str(), 0600); });
  attempt("chmod", [&] { return ::chmod(old.c_str(), 0640); });
  attempt("chown", [&] { return ::chown(old.c_str(), ::getuid(), ::getgid()); });
  attempt("truncate", [&] { return ::truncate(old.c_str(), 0); });
  attempt("utimes", [&] { return ::utimes(old.c_str(), nullptr); });
  attempt("rename", [&] { return ::rename(old.c_str(), (folder + "/new").c_str()); });
  attempt("unlink", [&] {
    const std::string renamed = folder + "/new";
    return ::unlink((::access(renamed.c_str(), F_OK) == 0 ? renamed : old).c_str());
  });
}

/// What a process does in a folder of its own, where it has one.
void own_files() {
  const std::string own = folder + "/own/";
  attempt("own_write", [&] { return opened(own + "a", O_WRONLY | O_CREAT | O_TRUNC); });
  attempt("own_read", [&] { return opened(own + "a", O_RDONLY); });
  attempt("own_mkdir", [&] { return ::mkdir((own + "d").c_str(), 0700); });
  attempt("own_rename", [&] { return ::rename((own + "a").c_str(), (own + "d/b").c_str()); });
  attempt("own_link", [&] { return ::link((own + "d/b").c_str(), (own + "d/c").c_str()); });
  attempt("own_list", [&] { return opened(own, O_RDONLY | O_DIRECTORY); });
  attempt("own_unlink", [&] { return ::unlink((own + "d/b").c_str()); });
  attempt("own_device", [&] { return ::mknod((own + "n").c_str(), S_IFCHR | 0600, 0x103); });
  attempt("own_moved_out", [&] { return ::rename((own + "d/c").c_str(), (folder + "/moved").c_str()); });
  attempt("own_socket", [&] {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%ss", own.c_str());
    return ::bind(3, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  });
}

/// Starts a program, in a new process where one can be made. Fails where it is not started.
long executed(const char* path) {
  char name[] = "program";
  char* words[] = {name, nullptr};
  constexpr int kNotStarted = 126;
  const pid_t pid = ::fork();
  if (pid < 0) return ::execv(path, words);
  if (pid == 0) {
    ::execv(path, words);
    ::_exit(kNotStarted);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return refused_if(WIFEXITED(status) && WEXITSTATUS(status) == kNotStarted);
}

/// Never tried without confinement: they would change the machine, or stop the test.
void dangerous() {
  attempt("ptrace", [] { return ::ptrace(PTRACE_SEIZE, parent, nullptr, nullptr); });
  attempt("mount", [] { return ::mount("none", folder.c_str(), "tmpfs", 0, nullptr); });
  attempt("chroot", [] { return ::chroot("/proc/self"); });
  attempt("unshare", [] { return ::unshare(CLONE_NEWUSER); });
  attempt("poison_page", [] {
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return ::madvise(page, 0, 100);  // Of no byte: it harms nothing even where it is permitted.
  });
  attempt("reboot", [] { return ::syscall(SYS_reboot, 0, 0, 0, 0); });
  attempt("clock", [] {
    const timespec then{};
    return ::clock_settime(CLOCK_REALTIME, &then);
  });
  attempt("sethostname", [] { return ::sethostname("x", 1); });
  attempt("io_uring", [] { return ::syscall(425, 1, nullptr); });
  attempt("bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); });
  attempt("perf_event_open", [] { return ::syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0); });
  attempt("keyctl", [] { return ::syscall(SYS_keyctl, 0, 0, 0, 0, 0); });
  attempt("userfaultfd", [] { return ::syscall(SYS_userfaultfd, 0); });
  attempt("seccomp_strict", [] { return ::prctl(PR_SET_SECCOMP, 1); });
  attempt("type_into_terminal", [] { return ::ioctl(STDIN_FILENO, TIOCSTI, "x"); });
  attempt("kill_itself", [] { return ::kill(::getpid(), SIGKILL); });
  attempt("stop_itself", [] { return ::raise(SIGSTOP); });
  // The kernel reads 32 bits of the signal.
  attempt("kill_itself_high_bits", [] { return ::syscall(SYS_kill, ::getpid(), (1L << 32) + SIGKILL); });
  attempt("queue_kill", [] { return ::sigqueue(::getpid(), SIGKILL, {}); });
  attempt("exec", [] { return executed("/bin/true"); });
  attempt("exec_itself", [] { return executed("/proc/self/exe"); });
  attempt("exec_private", [] { return executed((folder + "/program").c_str()); });
  attempt("kill_group_for_good", [] { return ::kill(0, SIGKILL); });
  attempt("kill_group_by_number", [] { return ::kill(-::getpid(), SIGKILL); });
  attempt("kill_all_for_good", [] { return ::kill(-1, SIGKILL); });
  attempt("kill_by_child", [] {
    const pid_t own = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(::kill(own, SIGKILL) == 0 ? 0 : 1);
    int status = 0;
    if (pid > 0) ::waitpid(pid, &status, 0);
    return refused_if(pid < 0 || status != 0);
  });
  attempt("kill_by_end_of_child",
          [] { return leaving(static_cast<pid_t>(::syscall(SYS_clone, SIGKILL, 0, 0, 0, 0))); });
  attempt("child_of_parent",
          [] { return leaving(static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0))); });
  attempt("new_names",
          [] { return leaving(static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0))); });
#if defined(__x86_64__)
  attempt("call_of_32_bits", [] {
    long number = 20;  // getpid. A kernel without emulation answers by a fault.
    if (::signal(SIGSEGV, [](int) { siglongjmp(back, 1); }) == SIG_ERR) return refused_if(true);  // Not tried.
    if (sigsetjmp(back, 1) != 0) return refused_if(true);
    asm volatile("int $0x80" : "+a"(number) : : "memory");
    return refused_if(number == -EPERM);
  });
  attempt("x32_socket", [] { return ::syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0); });
#endif
}

long check(bool good) { return good ? 0 : -1; }

std::atomic<int> signals{0};

/// What every program may expect.
void everyday() {
  attempt("threads", [] {
    std::mutex mutex;
    std::condition_variable changed;
    int arrived = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        ++arrived;
        changed.notify_all();
        changed.wait(lock, [&] { return arrived == 20; });
      });
    }
    for (std::thread& thread : threads) thread.join();
    return check(arrived == 20);
  });
  attempt("thread_name", [] { return check(::pthread_setname_np(::pthread_self(), "kernel") == 0); });
  attempt("thread_stack", [] {
    pthread_attr_t about;
    return check(::pthread_getattr_np(::pthread_self(), &about) == 0);
  });
  attempt("cores", [] { return check(std::thread::hardware_concurrency() > 0); });
  attempt("own_affinity", [] {
    cpu_set_t all;
    return ::sched_getaffinity(0, sizeof all, &all) < 0 ? -1 : ::sched_setaffinity(0, sizeof all, &all);
  });
  attempt("exceptions", [] {
    try {
      throw std::runtime_error("x");
    } catch (const std::exception&) {
      return 0L;
    }
  });
  attempt("memory", [] {
    void* const pages = ::mmap(nullptr, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return -1;
    std::memset(pages, 1, 1 << 24);
    if (::madvise(pages, 1 << 24, MADV_DONTNEED) != 0 || ::mprotect(pages, 4096, PROT_READ) != 0) return -1;
    return ::munmap(pages, 1 << 24);
  });
  attempt("big_allocation", [] { return check(!std::vector<char>(100 << 20, 'x').empty()); });
  attempt("random", [] { return check(std::random_device()() + 1 != 0); });
  attempt("clock_and_sleep", [] {
    timespec now{};
    const timespec moment{0, 1000};
    return ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0 ? -1 : ::nanosleep(&moment, nullptr);
  });
  attempt("yield", [] { return ::sched_yield(); });
  attempt("local_time", [] {
    const std::time_t now = std::time(nullptr);
    return check(std::localtime(&now) != nullptr);
  });
  attempt("signals", [] {
    ::signal(SIGUSR1, [](int) { ++signals; });
    ::raise(SIGUSR1);
    ::kill(::getpid(), SIGUSR1);
    ::pthread_kill(::pthread_self(), SIGUSR1);
    ::sigqueue(::getpid(), SIGUSR1, {});
    return check(signals == 4);
  });
  attempt("interval_timer", [] {
    ::signal(SIGALRM, [](int) { ++signals; });
    const itimerval soon{{0, 0}, {0, 1000}};
    if (::setitimer(ITIMER_REAL, &soon, nullptr) != 0) return -1;
    while (signals < 5) ::poll(nullptr, 0, 10);
    return 0;
  });
  attempt("library", [] { return check(::dlopen("libm.so.6", RTLD_NOW) != nullptr); });
  attempt("own_program", [] { return opened("/proc/self/exe", O_RDONLY); });
  attempt("own_maps", []() -> long {
    std::string line;
    return check(static_cast<bool>(std::getline(std::ifstream("/proc/self/maps"), line)));
  });
  attempt("pipe", []() -> long {
    int ends[2];
    if (::pipe(ends) != 0) return -1;
    pollfd ready{ends[1], POLLOUT, 0};
    return check(::poll(&ready, 1, 0) == 1 && ::write(ends[1], "x", 1) == 1);
  });
  attempt("descriptors", [] { return closing(::dup(4)) < 0 ? -1 : ::fcntl(4, F_SETFD, FD_CLOEXEC); });
  attempt("eventfd", [] { return closing(::eventfd(0, EFD_CLOEXEC)); });
  attempt("terminal_question", [] { return check(::isatty(STDOUT_FILENO) == 0 && errno == ENOTTY); });
  attempt("limit_question", [] {
    rlimit limit;
    return ::getrlimit(RLIMIT_STACK, &limit);
  });
  attempt("socket_there", []() -> long {
    char byte = 'x';
    if (::send(3, &byte, 1, MSG_NOSIGNAL) != 1 || ::recv(3, &byte, 1, 0) != 1) return -1;
    return check(::write(3, &byte, 1) == 1);
  });
  attempt("shared_memory", []() -> long {
    const int fixed = place != 0 ? MAP_FIXED_NOREPLACE : 0;
    void* const pages = ::mmap(reinterpret_cast<void*>(place), 8192, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, 4, 0);
    if (pages == MAP_FAILED) return -1;
    std::memcpy(pages, "outcome", 8);
    return 0;
  });
}

long mapped(void* pages) {
  if (pages == MAP_FAILED) return -1;
  ::munmap(pages, 4096);
  return 0;
}
void* own_page() { return ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

/// What was written is not run, and other code does not come into the program's place.
void code() {
  attempt("write_and_run", [] {
    return mapped(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  });
  attempt("run_what_was_written", [] { return ::mprotect(own_page(), 4096, PROT_READ | PROT_EXEC); });
  attempt("run_what_is_shared", [] { return mapped(::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, 4, 0)); });
  attempt("run_more_of_the_program", [] {
    auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&own_page) / 4096 * 4096);
    return ::mprotect(page, 4096, PROT_READ | PROT_EXEC);
  });
}

/// What a kernel must not do with the pages of device memory, and the runtime may: shared_memory has mapped two.
void device_memory() {
  attempt("fault_handler", [] {
    static char stack[65536];
    const stack_t alternative{stack, 0, sizeof stack};
    struct sigaction action {};
    action.sa_handler = [](int) { siglongjmp(back, 1); };
    action.sa_flags = SA_ONSTACK;
    if (::sigaltstack(&alternative, nullptr) != 0 || ::sigaction(SIGSEGV, &action, nullptr) != 0) return -1;
    volatile std::uintptr_t nowhere = 8;
    if (sigsetjmp(back, 1) == 0) *reinterpret_cast<volatile int*>(nowhere) = 1;
    ::signal(SIGSEGV, SIG_DFL);
    return 0;
  });
  attempt("fault_handler_asked", [] { return ::sigaction(SIGSEGV, nullptr, nullptr); });
  attempt("own_memory", [] { return opened("/proc/self/mem", O_RDONLY); });
  attempt("own_memory_by_task", [] { return opened("/proc/thread-self/mem", O_RDONLY); });
  attempt("shared_elsewhere", [] { return mapped(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, 4, 0)); });
  void* const pages = reinterpret_cast<void*>(place);
  if (place == 0) return;
  const auto keyed = [pages](long number, std::size_t bytes, long what) {
    return ::syscall(number, pages, bytes, what, 0L, 0L, key);
  };
  attempt("device_close", [=] { return ::syscall(SYS_mprotect, pages, 4096, PROT_NONE, 0L, 0L, 0L); });
  attempt("device_wrong_key", [=] { return ::syscall(SYS_mprotect, pages, 4096, PROT_NONE, 0L, 0L, key + 1); });
  attempt("device_half_key", [=] { return ::syscall(SYS_mprotect, pages, 4096, PROT_NONE, 0L, 0L, key & ~0u); });
  attempt("device_advise", [=] { return ::syscall(SYS_madvise, pages, 4096, MADV_DONTNEED, 0L, 0L, 0L); });
  attempt("device_unmap", [=] { return ::syscall(SYS_munmap, pages, 4096, 0L, 0L, 0L, 0L); });
  attempt("device_unmap_from_below",
          [] { return ::syscall(SYS_munmap, 1L << 12, (1L << 46) - (1L << 12), 0L, 0L, 0L, 0L); });
  attempt("device_move", [=] { return check(::mremap(pages, 4096, 4096, MREMAP_MAYMOVE) != MAP_FAILED); });
  attempt("device_double", [=] { return check(::mremap(pages, 0, 4096, MREMAP_MAYMOVE) != MAP_FAILED); });
  attempt("device_moved_to",
          [=] { return check(::mremap(own_page(), 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, pages) != MAP_FAILED); });
  attempt("device_replace",
          [=] { return mapped(::mmap(pages, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)); });
  attempt("device_hint", [=] {
    return mapped(::mmap(static_cast<char*>(pages) + (1 << 20), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  });
  attempt("runtime_closes", [&] { return keyed(SYS_mprotect, 4096, PROT_NONE); });
  attempt("runtime_opens", [&] { return keyed(SYS_mprotect, 4096, PROT_READ | PROT_WRITE); });
  attempt("runtime_advises", [&] { return keyed(SYS_madvise, 4096, MADV_NORMAL); });
  attempt("runtime_handles_faults", [] {
    struct {
      void* handler;
      unsigned long flags;
      void* restorer;
      std::uint64_t mask;
    } by_default{};
    return ::syscall(SYS_rt_sigaction, SIGSEGV, &by_default, nullptr, 8L, key, 0L);
  });
  attempt("runtime_unmaps", [&] { return keyed(SYS_munmap, 8192, 0); });
}

/// Runs before main(): a static initialiser of the program is confined too.
const int socket_at_load = [] {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  const int reason = descriptor < 0 ? errno : 0;
  if (descriptor >= 0) ::close(descriptor);
  return reason;
}();

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const std::string what = argv[1];
  folder = argv[2];
  secret = std::strtoull(argv[3], nullptr, 16);
  place = std::strtoull(argv[4], nullptr, 16);
  key = std::strtoull(argv[5], nullptr, 16);
  parent = ::getppid();
  if (what == "abort") std::abort();
  if (what == "exit") std::exit(3);
  if (what == "fault") ::raise(SIGSEGV);
  attempt("socket_at_load", [] {
    errno = socket_at_load;
    return socket_at_load == 0 ? 0L : -1L;
  });
  everyday();
  channels();
  processes();
  files();
  own_files();
  code();
  if (what == "all") dangerous();
  device_memory();
  attempt("end", [] { return 0L; });
  return 0;
}
