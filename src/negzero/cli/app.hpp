// The command line: flags in, a command run, an exit code out.

#pragma once

namespace negzero::cli {

/// Parses the command line and runs its command. Returns the process's exit code (exit_code.hpp). Called once, first
/// thing in main(): it takes standard output for itself.
int run(int argc, char** argv);

}  // namespace negzero::cli
