// The kit that lies beside the program: how a stranger's file is compiled and linked (cmake/kit.cmake writes it).

#pragma once

#include <functional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::source {

struct Kit {
  std::string folder{};    ///< of kit.json
  std::string preludes{};  ///< of plain.hpp and watched.hpp, which every compilation reads first
  std::string compiler{};
  std::vector<std::string> flags{};     ///< of every compilation, on this CPU
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

/// Reads kit.json of a folder, where "@kit@" means that folder. Its compilers are looked for as a shell does, that
/// of GPUs also where CUDA is installed; NEGZERO_CXX names another for the host. Infrastructure error: the file is not
/// there, or is none; a compiler for the host is missing.
[[nodiscard]] base::Result<Kit> read_kit(const std::string& folder);

/// Compiles the preludes of a kit that has none compiled (an installed one) into a folder of `cache`, once for each
/// compiler. `say` hears a line before that. Infrastructure error: they cannot be written, or do not compile.
[[nodiscard]] base::Status prepare_preludes(Kit& kit, const std::string& cache,
                                            const std::function<void(const std::string&)>& say);

}  // namespace negzero::source
