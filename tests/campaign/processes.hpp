// The processes that a test has started, as /proc shows them.

#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include <negzero/campaign/examiner.hpp>

namespace negzero::campaign_test {

/// The text of a file; empty where it cannot be read. A process that ends between the opening of its file and the
/// reading makes the reading fail, which an iterator over the file would throw.
inline std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Examiners that are children of this process, and not dead.
inline std::vector<pid_t> examiners() {
  std::vector<pid_t> result;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // "PID (name) state parent ...": names may hold anything, also brackets.
    const std::string stat = file_text(entry.path() / "stat");
    char state = 'Z';
    pid_t parent = 0;
    std::istringstream(stat.substr(std::min(stat.size(), stat.rfind(')') + 1))) >> state >> parent;
    if (parent != ::getpid() || state == 'Z') continue;
    // A child that has not become its program yet has the words of this one.
    if (file_text(entry.path() / "cmdline").find(campaign::kExaminerFlag) == std::string::npos) continue;
    result.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return result;
}

}  // namespace negzero::campaign_test
