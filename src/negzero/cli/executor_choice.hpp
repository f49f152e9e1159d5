// Which executor a run uses: what --executor says, held against what this machine and this program have.

#pragma once

#include <string>

#include <negzero/base/result.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::cli {

/// An executor, and the numbers of the GPUs of Cuda.
struct ExecutorChoice {
  kernel::Place place = kernel::Place::Host;
  std::vector<int> gpus{};
};

/// "auto" is cuda where there is a GPU and a build of some kernel for it, else host; "host" asks no driver. "cuda"
/// without a GPU is Unavailable, with the reason and the cure.
[[nodiscard]] base::Result<ExecutorChoice> choose_executor(const std::string& word);

/// The same for a machine that has been probed.
[[nodiscard]] base::Result<ExecutorChoice> choose_executor(const std::string& word, const device::Probe& probe);

}  // namespace negzero::cli
