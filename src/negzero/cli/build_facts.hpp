// What this program was built of and how, for `negzero --version` and `negzero doctor`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace negzero::cli {

/// Compiled code of others in this program and in its workers. python/licenses/THIRD_PARTY.md has the texts of what is
/// in libnegzero.so, by the same names.
struct Licence {
  std::string_view what;
  std::string_view licence;  ///< as in that file, or an identifier of SPDX
};

struct BuildFacts {
  std::string version;
  std::string compiler;
  bool has_watched = false;  ///< kernels are compiled for the watched host executor too
  bool has_cuda = false;
  bool has_fma = false;  ///< host kernels are compiled with FMA instructions
  std::string program;   ///< the path of this program
  std::vector<Licence> licences;
};

[[nodiscard]] BuildFacts build_facts();

/// "negzero 0.1.0" and a line for each fact.
[[nodiscard]] std::string version_text(const BuildFacts& facts);
/// The same as a document.
[[nodiscard]] std::string version_json(const BuildFacts& facts);

}  // namespace negzero::cli
