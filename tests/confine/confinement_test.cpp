// A program in the confinement tries everything: what it must not do is refused, what it needs works, for root and for
// an ordinary user.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/confine/confinement.hpp>
#include <negzero/confine/confinement_report.hpp>
#if defined(NEGZERO_HAS_SECCOMP)
#include <negzero/confine/seccomp_library.hpp>
#endif

namespace negzero::confine {
namespace {

using ::testing::HasSubstr;

char secret[8] = "secret";
constexpr int kNoSuchUser = 65534;

struct Probed {
  int status = 0;
  std::map<std::string, int> results;
  std::string shared;  ///< what it wrote into the shared memory
};

class ConfinementTest : public ::testing::Test {
 protected:
  ConfinementTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "negzero-confined-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    ::chmod(folder_.c_str(), 0777);
    std::ofstream(folder_ + "/old") << "old";
    ::chmod((folder_ + "/old").c_str(), 0666);
    std::filesystem::create_directory(folder_ + "/own");
    std::ofstream(folder_ + "/own/a") << "a";
    std::filesystem::copy_file("/bin/true", folder_ + "/program");
  }
  ~ConfinementTest() override { std::filesystem::remove_all(folder_); }

  /// Starts the probe as the executor would: socket at 3, shared memory at 4, a pipe for what it prints.
  Probed probe(Profile profile, const char* what = "all", bool as_user = false) {
    Confinement confinement({.profile = profile, .program = NEGZERO_PROBE});
    int sockets[2], output[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    EXPECT_EQ(::pipe2(output, O_CLOEXEC), 0);
    const int memory = ::memfd_create("shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_EQ(::ftruncate(memory, 8192), 0);
    EXPECT_EQ(::write(sockets[0], "y", 1), 1);
    char address[32];
    std::snprintf(address, sizeof address, "%lx", reinterpret_cast<unsigned long>(&secret));
    const engine::RuntimeKey runtime = confinement.calls().runtime_key();
    char place[32], key[32];
    std::snprintf(place, sizeof place, "%lx", runtime.place);
    std::snprintf(key, sizeof key, "%lx", runtime.key);
    std::string words[] = {"probe", what, folder_, address, place, key};
    char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                    words[4].data(), words[5].data(), nullptr};
    std::vector<landlock::Rule> more;
    if (makes_processes(profile)) more.push_back({folder_ + "/own", landlock::kOwn});
    const pid_t pid = ::fork();
    if (pid == 0) {
      // Above all numbers that dup2 is to take.
      const int socket = ::fcntl(sockets[1], F_DUPFD_CLOEXEC, 100), shared = ::fcntl(memory, F_DUPFD_CLOEXEC, 100);
      ::dup2(output[1], STDOUT_FILENO);
      ::dup2(socket, 3);
      ::dup2(shared, 4);
      if (as_user && (::setgid(kNoSuchUser) != 0 || ::setuid(kNoSuchUser) != 0)) ::_exit(126);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const InForce in_force = confinement.apply(more);
      if (profile != Profile::Off && !in_force.all()) ::_exit(125);
      confinement.exec(argv, environ);
      ::_exit(127);
    }
    for (const int descriptor : {sockets[1], output[1]}) ::close(descriptor);
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::read(output[0], buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(got));
    Probed probed;
    ::waitpid(pid, &probed.status, 0);
    char shared[8]{};
    EXPECT_GE(::pread(memory, shared, 7, 0), 0);
    probed.shared = shared;
    for (const int descriptor : {sockets[0], output[0], memory}) ::close(descriptor);
    std::istringstream lines(text);
    std::string name;
    for (int reason; lines >> name >> reason;) probed.results[name] = reason;
    return probed;
  }

  std::string folder_;
};

const std::set<std::string> kEveryday = {"threads",
                                         "thread_name",
                                         "thread_stack",
                                         "cores",
                                         "own_affinity",
                                         "exceptions",
                                         "memory",
                                         "big_allocation",
                                         "random",
                                         "clock_and_sleep",
                                         "yield",
                                         "local_time",
                                         "signals",
                                         "interval_timer",
                                         "fault_handler_asked",
                                         "library",
                                         "own_program",
                                         "own_maps",
                                         "pipe",
                                         "descriptors",
                                         "eventfd",
                                         "terminal_question",
                                         "limit_question",
                                         "socket_there",
                                         "shared_memory",
                                         "end",
                                         "runtime_closes",
                                         "runtime_opens",
                                         "runtime_advises",
                                         "runtime_handles_faults",
                                         "runtime_unmaps"};
const std::set<std::string> kUnknown = {"clone3", "openat2"};
const std::set<std::string> kCudaToo = {
    "socket_unix", "socketpair", "memfd_create", "write_null", "shared_for_writing", "shared_shorter", "shared_seal",
    // Its driver maps, handles and patches as it likes.
    "fault_handler", "own_memory", "own_memory_by_task", "shared_elsewhere", "write_and_run", "run_what_was_written",
    "run_what_is_shared", "run_more_of_the_program"};

/// No runtime of ours has to be kept from it.
const std::set<std::string> kStrangersToo = {"fault_handler",        "shared_elsewhere",   "write_and_run",
                                             "run_what_was_written", "run_what_is_shared", "run_more_of_the_program"};

/// It makes processes, and files of its own.
const std::set<std::string> kPythonToo = {
    "fork", "clone_process", "clone_shared_files", "system", "exec", "exec_itself", "kill_child", "kill_group",
    // Linux answers so, and none is asked.
    "kill_all", "socketpair", "memfd_create", "write_null", "shared_for_writing", "shared_shorter", "shared_seal",
    "fault_handler", "shared_elsewhere", "write_and_run", "run_what_was_written", "run_what_is_shared",
    "run_more_of_the_program", "own_write", "own_read", "own_mkdir", "own_rename", "own_link", "own_list", "own_unlink",
    // These do nothing and say that they did.
    "chmod", "utimes", "setsid"};

bool system_confines() {
  const Trial trial = try_confinement(Profile::Host);
  return trial.in_force.all();
}

/// What libcuda is told not to find.
const std::set<std::string> kNotThereCuda = {"symlink", "unlink", "own_unlink"};

void expect_refused(const Probed& probed, const std::set<std::string>& permitted,
                    const std::set<std::string>& not_there = {}) {
  ASSERT_TRUE(WIFEXITED(probed.status)) << "signal " << WTERMSIG(probed.status);
  ASSERT_EQ(WEXITSTATUS(probed.status), 0);
  ASSERT_GE(probed.results.size(), 110u);
  EXPECT_EQ(probed.results.count("end"), 1u);
  for (const auto& [name, reason] : probed.results) {
    if (permitted.count(name) != 0 || kEveryday.count(name) != 0) {
      EXPECT_EQ(reason, 0) << name << ": " << std::strerror(reason);
    } else if (kUnknown.count(name) != 0) {
      EXPECT_EQ(reason, ENOSYS) << name << ": " << std::strerror(reason);
    } else if (not_there.count(name) != 0) {
      EXPECT_EQ(reason, ENOENT) << name << ": " << std::strerror(reason);
    } else {
      EXPECT_TRUE(reason == EPERM || reason == EACCES) << name << ": " << std::strerror(reason);
    }
  }
  EXPECT_STREQ(secret, "secret");
  EXPECT_EQ(probed.shared, "outcome");
}

TEST_F(ConfinementTest, AHostKernelMayComputeAndNothingElse) {
  if (!system_confines()) GTEST_SKIP() << "this system does not confine";
  expect_refused(probe(Profile::Host), {});
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/old"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/old"), 3u);
}

TEST_F(ConfinementTest, AStrangersProgramOwnsItsMemory) {
  if (!system_confines()) GTEST_SKIP() << "this system does not confine";
  expect_refused(probe(Profile::Stranger), kStrangersToo);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/old"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);
}

TEST_F(ConfinementTest, ACudaKernelMayUseDevicesAndLocalSockets) {
  if (!system_confines()) GTEST_SKIP() << "this system does not confine";
  expect_refused(probe(Profile::Cuda), kCudaToo, kNotThereCuda);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/old"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);
}

TEST_F(ConfinementTest, AnOrdinaryUserConfinesAsRootDoes) {
  if (!system_confines()) GTEST_SKIP() << "this system does not confine";
  if (::geteuid() != 0) GTEST_SKIP() << "the other tests are this one";
  const Probed probed = probe(Profile::Host, "all", true);
  if (WIFEXITED(probed.status) && WEXITSTATUS(probed.status) == 127) GTEST_SKIP() << "the probe is not its to start";
  expect_refused(probed, {});
}

TEST_F(ConfinementTest, APythonKernelMayMakeProcessesAndFilesOfItsOwn) {
  const Trial trial = try_confinement(Profile::Python);
  if (!trial.in_force.all()) GTEST_SKIP() << "this system does not confine";
  if (trial.landlock_abi < 6) GTEST_SKIP() << "signals to what it started are refused before Landlock 6";
  const auto written = std::filesystem::last_write_time(folder_ + "/old");
  const auto mode = std::filesystem::status(folder_ + "/old").permissions();
  expect_refused(probe(Profile::Python), kPythonToo);
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/old"), 3u);
  EXPECT_EQ(std::filesystem::last_write_time(folder_ + "/old"), written);
  EXPECT_EQ(std::filesystem::status(folder_ + "/old").permissions(), mode);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3) << "old, own, program";
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/own/d/c"));
}

TEST_F(ConfinementTest, APythonKernelOnAGpuMayDoWhatBothMay) {
  const Trial trial = try_confinement(Profile::PythonCuda);
  if (!trial.in_force.all() || trial.landlock_abi < 6) GTEST_SKIP() << "this system does not confine";
  std::set<std::string> permitted = kCudaToo;
  permitted.insert(kPythonToo.begin(), kPythonToo.end());
  // bind() is the driver's, and what it makes is in its own folder.
  expect_refused(probe(Profile::PythonCuda), permitted, {"symlink"});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);
}

// Holds the attempts themselves: what is refused above works where nothing refuses it.
TEST_F(ConfinementTest, WithoutConfinementTheAttemptsSucceed) {
  if (::geteuid() != 0) GTEST_SKIP() << "an ordinary user may not read all of its parent";
  const Probed probed = probe(Profile::Off, "harmless");
  ASSERT_TRUE(WIFEXITED(probed.status));
  int failed = 0;
  for (const auto& [name, reason] : probed.results) {
    if (reason != 0) std::printf("without confinement: %s: %s\n", name.c_str(), std::strerror(reason));
    failed += reason != 0;
  }
  // Some systems refuse one or two by themselves: a container clone3 or openat2, a file system O_TMPFILE.
  EXPECT_LE(failed, 4);
  EXPECT_GE(probed.results.size(), 90u);
  EXPECT_STREQ(secret, "forged");
  std::strcpy(secret, "secret");
}

TEST_F(ConfinementTest, AKernelEndsAsItWould) {
  if (!system_confines()) GTEST_SKIP() << "this system does not confine";
  const Probed aborted = probe(Profile::Host, "abort");
  ASSERT_TRUE(WIFSIGNALED(aborted.status));
  EXPECT_EQ(WTERMSIG(aborted.status), SIGABRT);
  const Probed left = probe(Profile::Host, "exit");
  ASSERT_TRUE(WIFEXITED(left.status));
  EXPECT_EQ(WEXITSTATUS(left.status), 3);
  const Probed faulted = probe(Profile::Host, "fault");
  ASSERT_TRUE(WIFSIGNALED(faulted.status));
  EXPECT_EQ(WTERMSIG(faulted.status), SIGSEGV);
}

TEST_F(ConfinementTest, WhatIsReadableIsNamed) {
  const Confinement confinement({.program = "/some/program", .readable = {"/some/plugin.so"}});
  std::set<std::string> paths;
  for (const landlock::Rule& rule : confinement.file_rules()) {
    paths.insert(rule.path);
    EXPECT_EQ(rule.rights & landlock::kWriteFile, 0u) << rule.path;
    EXPECT_NE(rule.path, "/");
  }
  EXPECT_EQ(paths.count("/some/program"), 1u);
  EXPECT_EQ(paths.count("/some/plugin.so"), 1u);
  Dl_info library{};
  ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&std::strlen), &library), 0);
  EXPECT_EQ(paths.count(library.dli_fname), 1u) << "loaded here, so perhaps there too: " << library.dli_fname;
  EXPECT_EQ(Confinement({.profile = Profile::Off, .program = ""}).file_rules().size(), 0u);
}

#if defined(NEGZERO_HAS_SECCOMP)
TEST(SeccompLibrary, OneThatIsMissingOrIsAnotherIsSaidByItsName) {
  EXPECT_TRUE(SeccompLibrary::load("libseccomp.so.2"));
  const auto missing = SeccompLibrary::load("libseccomp.so.none");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("libseccomp.so.none"));
  const auto another = SeccompLibrary::load("libm.so.6");
  ASSERT_FALSE(another);
  EXPECT_THAT(another.error().message, HasSubstr("seccomp_init"));
}
#endif

TEST(ConfinementReport, SaysWhatIsMissingAndWhatToDo) {
  Trial trial{.in_force = {.privileges = true}, .landlock_abi = 7};
  for (const Ability& ability : describe(trial)) EXPECT_TRUE(ability.there) << ability.name;

  trial.in_force = {.privileges = false, .files = ENOSYS, .calls = EPERM};
  trial.landlock_abi = -ENOSYS;
  for (const Ability& ability : describe(trial)) {
    EXPECT_FALSE(ability.there) << ability.name;
    EXPECT_FALSE(ability.cure.empty()) << ability.name;
  }
  trial.in_force.files = EOPNOTSUPP;
  EXPECT_THAT(describe(trial)[1].cure, HasSubstr("lsm="));
  trial.calls_why_not = "this program was built without libseccomp";
  EXPECT_THAT(describe(trial)[0].cure, HasSubstr("libseccomp-dev"));

  trial = {.in_force = {.privileges = true}, .landlock_abi = 1, .held = false};
  for (const Ability& ability : describe(trial)) EXPECT_FALSE(ability.there) << ability.name;
}

}  // namespace
}  // namespace negzero::confine
