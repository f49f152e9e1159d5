// Modules of Python that register kernels, and the Python that runs them.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/run/program.hpp>
#include <negzero/run/scratch.hpp>

namespace negzero::run {

/// Whether that file is a module of kernels: its name ends in ".py", and it is no program of its own, which an
/// executable script (`#!`) is that does not import negzero itself.
[[nodiscard]] bool is_python_module(const std::string& path);

/// How the workers of a module are started: PYTHON -m negzero._worker PATH. PYTHON is what NEGZERO_PYTHON names, else
/// bin/python of VIRTUAL_ENV, else python3 of PATH. It is asked once a process where it lies and what it imports from,
/// unconfined: it is the user's own program. The package is the one of this program's build, else that of PYTHON.
///
/// Infrastructure errors, which name the module and a cure: the module cannot be read, no Python is there or it does
/// not answer, it is older than 3.9, it lacks negzero or what that needs.
[[nodiscard]] base::Result<Program> module_to_start(const std::string& path);

/// What makes Python and the frameworks write where they may: NAME=VALUE.
[[nodiscard]] std::vector<std::string> writable_places(const Scratch& scratch);

}  // namespace negzero::run
