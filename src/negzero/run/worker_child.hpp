// The life of a worker process: what it sets up, the tasks it takes, and how it ends itself.

#pragma once

#include <negzero/run/worker_process.hpp>

namespace negzero::run {

/// In a child of `parent` that has just been forked: takes tasks from the socket until the parent closes it. `page` is
/// shared with the parent. noexcept, because an exception that went on through the parent's frames would let the
/// child do the parent's work too.
[[noreturn]] void live_as_worker(const WorkerProcess::Duties& duties, pid_t parent, int socket,
                                 SharedPage* page) noexcept;

}  // namespace negzero::run
