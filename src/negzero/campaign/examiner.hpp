// The process that examines cases for a campaign: it makes or reads them, has them run by a worker, and judges them.
//
//   campaign ── requests ──> examiner ── plans, images ──> worker (one kernel, not trusted)
//            <── replies ───          <── what it did ────
//
// Examiners hold no kernel's code in a program whose kernels are elsewhere; what a worker does cannot reach one.

#pragma once

#include <optional>

namespace negzero::campaign {

/// The first argument of a program that is to be an examiner.
inline constexpr const char* kExaminerFlag = "--negzero-examiner";

/// For main() of every program that runs campaigns, first: serves where the arguments ask for an examiner or a worker
/// (worker::worker_if_called), and returns the exit status. Nothing where they do not.
[[nodiscard]] std::optional<int> serve_if_called(int argc, char** argv);

}  // namespace negzero::campaign
