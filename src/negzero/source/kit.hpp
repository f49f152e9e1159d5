// The kit that lies beside the program: how a stranger's file is compiled and linked (cmake/kit.cmake writes it).

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::source {

struct Kit {
  std::string folder{};  ///< of kit.json and of the preludes, plain.hpp and watched.hpp
  std::string compiler{};
  std::vector<std::string> flags{};     ///< of every compilation
  std::vector<std::string> includes{};  ///< where negzero's headers are, and what CUDA's are called there
  std::vector<std::string> reported{};  ///< of the plain build besides, where a file says `volatile`
  std::vector<std::string> watched{};   ///< of the watched build besides; empty: this negzero has none
  std::vector<std::string> nvcc{};      ///< the compiler for GPUs with its flags; empty: this negzero has none
  std::vector<std::string> link{};      ///< archives and libraries
  std::vector<std::string> toolkit{};   ///< folders of headers that are called as those of CUDA and of PyTorch are
  std::string identity{};               ///< differs where another kit would make another program

  /// The words that read the prelude of a build, compiled ahead where that is there and has the same flags.
  [[nodiscard]] std::vector<std::string> prelude(bool is_watched, bool is_reported = false) const;
};

/// Reads kit.json of a folder. Infrastructure error: it is not there, or is none.
[[nodiscard]] base::Result<Kit> read_kit(const std::string& folder);

/// What a program that was run has answered.
struct Ran {
  int status = 0;  ///< its exit status; 128 and the signal's number where it was killed
  std::string output{};
  std::string errors{};
};

/// Runs a program to its end. Infrastructure error: it cannot be started.
[[nodiscard]] base::Result<Ran> run_program(const std::vector<std::string>& words);
/// Runs several at once; their answers are in order.
[[nodiscard]] base::Result<std::vector<Ran>> run_programs(const std::vector<std::vector<std::string>>& commands);

}  // namespace negzero::source
