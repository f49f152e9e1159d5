// What tests that run kernels in workers share: kernels by their names, short limits, what is left of processes.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <negzero/confine/confinement_report.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/run/worker_executor.hpp>

#include "misbehaving.hpp"

namespace negzero::run_test {

inline const kernel::Kernel& named(const std::string& name, kernel::Place place = kernel::Place::Host) {
  return *kernel::registry().find(name, place);
}

/// A time limit in which what hangs is found soon; time without a core does not count, so a busy machine is no matter.
inline run::WorkerOptions soon() { return {.timeout_ms = 400}; }

inline std::vector<run::Outcome> run_all(run::Executor& executor, const std::string& name,
                                         const std::vector<operation::Case>& cases) {
  const kernel::Kernel& kernel = named(name);
  std::vector<run::Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  return executor.run(jobs, kernel);
}

/// Whether the sums of a case came out, and are right.
inline void expect_right(const operation::Case& value, const run::Outcome& outcome, const std::string& what = "") {
  ASSERT_EQ(outcome.status, run::Outcome::Status::Completed)
      << what << ": " << outcome.reason << (outcome.failure ? outcome.failure->message : "");
  run::HostExecutor here;
  EXPECT_EQ(outcome.outputs, here.run(value, named("good.sum"), {}).outputs) << what;
}

/// Processes whose parent is this one.
inline std::vector<pid_t> children() {
  std::vector<pid_t> result;
  DIR* const processes = ::opendir("/proc");
  while (const dirent* entry = ::readdir(processes)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    std::FILE* const file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
    if (file == nullptr) continue;
    int parent = 0;
    if (std::fscanf(file, "%*d (%*[^)]) %*c %d", &parent) == 1 && parent == ::getpid()) result.push_back(pid);
    std::fclose(file);
  }
  ::closedir(processes);
  return result;
}

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) != -1 ? 1 : 0;
  return count;
}

/// Whether workers of this build, on this machine, are confined in full.
inline bool are_confined() {
#ifdef NEGZERO_SANITIZE
  return false;
#else
  static const bool all = confine::try_confinement(confine::Profile::Host).in_force.all();
  return all;
#endif
}

}  // namespace negzero::run_test
