// How the process of a worker is started: its command, what confines it, how long it may take.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/confine/system_calls.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/run/printed.hpp>
#include <negzero/run/program.hpp>

namespace negzero::run {

/// 60 s, for loading a program, its static initialisers, and a CUDA context; or what the environment's
/// NEGZERO_START_SECONDS says, a number above 0.
[[nodiscard]] std::uint64_t start_limit_ms();

/// A worker of that program, with what it prints captured. `words`: what follows protocol::kWorkerFlag. What confines
/// it is made once for each program and profile, whichever thread asks first; nothing does where the address sanitizer
/// needs what it refuses. One of a module of Python gets the profile for those, and a Scratch, of whose making it has
/// the infrastructure errors.
[[nodiscard]] base::Result<ChildSpec> worker_spec(Program program, confine::Profile profile,
                                                  std::vector<std::string> words);

/// Waits a moment for what the process sends or prints, and takes it. Returns whether more may come: not once its
/// socket is closed, nor where it has ended and nothing came, though something that it has started may hold its socket.
[[nodiscard]] bool listen(ChildProcess& process, Printed& printed);

}  // namespace negzero::run
