// The program of a stranger's kernels: a worker that is compiled from their file, once for each text of it.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/verdict/ledger.hpp>

namespace negzero::source {

struct ProgramRequest {
  std::string file{};                ///< FILE.cu
  std::string declaration{};         ///< FILE.nz; empty: `// negzero:` lines of the file, or FILE.nz beside it
  std::vector<std::string> flags{};  ///< as to nvcc
  std::string kit_folder{};
  bool is_for_gpu = false;                        ///< compile it by nvcc too, where the kit has that
  std::string cache{};                            ///< the folder of all programs: absolute, and this user's own
  std::function<void(const std::string&)> say{};  ///< hears one line before what takes long
};

struct Program {
  std::string path{};                            ///< for --kernels
  std::vector<std::string> objects{};            ///< what it was linked from, but for negzero's own
  std::vector<std::string> read{};               ///< the files that it was made of
  std::vector<std::string> left_out{};           ///< "NAME (FILE:LINE)" of host code that does not compile here
  std::vector<std::string> missing{};            ///< headers that are nowhere, which count as empty
  std::vector<std::string> notes{};              ///< what else its author should know
  std::string declared_in{};                     ///< the file that declares its kernels
  std::vector<verdict::LedgerEntry> accepted{};  ///< findings of them that their author lives with
};

/// Where the declarations of a file are, and what they say.
struct DeclaredIn {
  std::string path{};
  Declarations declarations{};
};

/// Reads what declares the kernels of FILE.cu: `declaration`, or where that is empty FILE.nz beside it, or its own
/// `// negzero:` lines. Usage errors: there is none, or it cannot be read.
[[nodiscard]] base::Result<DeclaredIn> declared_in(const std::string& file, const std::string& declaration);

/// Compiles the program, or finds it where nothing has changed since: the file, what it includes, its declaration, the
/// flags and this negzero. Usage errors are what is wrong with the declaration, the flags or code of the device, with
/// the author's lines and columns, in several lines: an error each, with its line of source below it. Infrastructure
/// errors are the machine's, and a cache that others may write, from which nothing is run.
[[nodiscard]] base::Result<Program> program_of(const ProgramRequest& request);

/// Writes a program's kernels as one object, for another program that serves them: linking it registers them.
/// Infrastructure error: it cannot be written.
[[nodiscard]] base::Status write_object(const Program& program, const std::string& path);
/// Writes what `object` was made of as a rule of make. Infrastructure error: it cannot be written.
[[nodiscard]] base::Status write_rule(const Program& program, const std::string& object, const std::string& path);

}  // namespace negzero::source
