// How a program that holds kernels is started: by itself, or by the interpreter that its first line names.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::run {

struct Program {
  std::vector<std::string> command{};      ///< what is executed, and its first arguments
  std::vector<std::string> readable{};     ///< what it reads besides libraries of the system: files and folders
  std::vector<std::string> environment{};  ///< NAME=VALUE
  /// Of Python, whose libraries compile and start programs and write files: in folders of their own (Scratch).
  bool is_module = false;
};

/// Where a program of that name lies, as a shell would find it; empty: nowhere.
[[nodiscard]] std::string found_in_path(const std::string& name);
/// Whether a file is a script: it begins with `#!`.
[[nodiscard]] bool is_script(const std::string& path);

/// A program is the path of an executable file and its arguments; none: this program. Where the file is a script (`#!
/// INTERPRETER [ARGUMENT]`, `#!/usr/bin/env NAME`, `#!/usr/bin/env -S NAME ARGUMENTS`) its interpreter is executed, as
/// a confined process may not execute another. It may read the script's folder, and lib, lib64, share and pyvenv.cfg of
/// the interpreter's prefix: of PREFIX for PREFIX/bin/NAME, at each link on the way to it.
///
/// A module of Python that registers kernels (python_module.hpp) is started by the package's negzero._worker.
///
/// Infrastructure errors: a script that may not be executed, or whose interpreter is not there or a script itself (as
/// the shims of pyenv are). A file that cannot be read is no script.
[[nodiscard]] base::Result<Program> program_to_start(const std::vector<std::string>& program);

}  // namespace negzero::run
