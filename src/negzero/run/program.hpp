// How a program that holds kernels is started: by itself, or by the interpreter that its first line names.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::run {

struct Program {
  std::vector<std::string> command{};   ///< what is executed, and its first arguments
  std::vector<std::string> readable{};  ///< what it reads besides libraries of the system: files and folders
};

/// A program is the path of an executable file and its arguments; none: this program. Where the file is a script (`#!
/// INTERPRETER [ARGUMENT]`, `#!/usr/bin/env NAME`, `#!/usr/bin/env -S NAME ARGUMENTS`) its interpreter is executed, as
/// a confined process may not execute another. It may read the script's folder, and lib, lib64, share and pyvenv.cfg of
/// the interpreter's prefix: of PREFIX for PREFIX/bin/NAME, at each link on the way to it.
///
/// Infrastructure errors: a script that may not be executed, or whose interpreter is not there or a script itself (as
/// the shims of pyenv are). A file that cannot be read is no script.
[[nodiscard]] base::Result<Program> program_to_start(const std::vector<std::string>& program);

}  // namespace negzero::run
