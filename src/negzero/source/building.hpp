// One build of a stranger's file: its copies, its objects, the program.

#pragma once

#include <string>

#include <negzero/base/result.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/source/flags.hpp>
#include <negzero/source/kit.hpp>
#include <negzero/source/manifest.hpp>
#include <negzero/source/program.hpp>

namespace negzero::source {

/// Builds the program in a folder of its own. Errors as those of program_of().
[[nodiscard]] base::Result<Manifest> build_program(const ProgramRequest& request, const Kit& kit,
                                                   const HostFlags& flags, const std::string& folder,
                                                   const std::string& declared_in, const Declarations& declared);

}  // namespace negzero::source
