// Runs `negzero check ... --json` on a program of kernels, and looks for what it leaves behind.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "../cli/program.hpp"

namespace negzero::attacks_test {

/// What `--cases` is; NEGZERO_ATTACK_CASES for a longer look.
inline std::string cases_text(const char* few) {
  const char* const asked = std::getenv("NEGZERO_ATTACK_CASES");
  return asked != nullptr ? asked : few;
}

struct Checked {
  cli_test::Ran ran;
  nlohmann::json document;
  std::map<std::string, nlohmann::json> kernels;  ///< by name

  [[nodiscard]] std::uint64_t count(const std::string& kernel, const char* what) const {
    const auto found = kernels.find(kernel);
    return found == kernels.end() ? 0 : found->second.at(what).get<std::uint64_t>();
  }
};

/// All processes have this in their environment, for left_over().
inline constexpr const char* kMark = "NEGZERO_ATTACK_MARK";

/// The time limit where kernels hang on purpose; and where none does, on a machine that is busy.
inline constexpr const char* kBriefly = "400ms";
inline constexpr const char* kPatiently = "10s";

inline Checked check(const std::string& program, const std::vector<std::string>& globs, const std::string& cases,
                     const std::vector<std::string>& more = {}, const std::string& timeout = kBriefly) {
  const cli_test::Directory directory;
  ::setenv(kMark, std::to_string(::getpid()).c_str(), 1);
  std::vector<std::string> words{"check"};
  words.insert(words.end(), globs.begin(), globs.end());
  for (const std::string& word : {std::string("--kernels"), program, std::string("--cases"), cases,
                                  std::string("--timeout"), timeout, std::string("--shrink-time"), std::string("0s"),
                                  std::string("--save"), directory / "findings", std::string("--json")}) {
    words.push_back(word);
  }
  words.insert(words.end(), more.begin(), more.end());
  Checked checked{cli_test::run(words, {.time_limit_s = 300}), {}, {}};
  checked.document = checked.ran.json();
  if (checked.document.is_object() && checked.document.contains("kernels")) {
    for (const auto& kernel : checked.document["kernels"]) checked.kernels[kernel["name"]] = kernel;
  }
  return checked;
}

/// Bytes on standard error that move a cursor, ring or end a text: the first one's place, or npos.
inline std::size_t control_byte(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f) return i;
  }
  return std::string::npos;
}

/// Processes that this one's checks have started, by their environment, "PID NAME".
inline std::vector<std::string> marked_processes() {
  const std::string mark = std::string(kMark) + "=" + std::to_string(::getpid());
  std::vector<std::string> found;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos || pid == std::to_string(::getpid())) continue;
    if (cli_test::contents(entry.path() / "environ").find(mark) == std::string::npos) continue;
    found.push_back(pid + " " + cli_test::contents(entry.path() / "comm"));
  }
  return found;
}

/// The same after at most three seconds.
inline std::vector<std::string> left_over() {
  std::vector<std::string> found = marked_processes();
  for (int tries = 0; tries < 30 && !found.empty(); ++tries) {
    ::usleep(100000);
    found = marked_processes();
  }
  return found;
}

}  // namespace negzero::attacks_test
