// What a worker process does: it reads plans, launches its one kernel, and answers.

#pragma once

#include <optional>

namespace negzero::worker {

/// For main() of every program that holds kernels, first: where the arguments ask for a worker (protocol::kWorkerFlag),
/// serves until the socket closes, and returns the exit status. Nothing where they do not.
[[nodiscard]] std::optional<int> worker_if_called(int argc, char** argv);

}  // namespace negzero::worker
