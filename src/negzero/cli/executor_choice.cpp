// Which executor a run uses: what --executor says, held against what this machine and this program have.

#include <fmt/format.h>

#include <negzero/cli/executor_choice.hpp>

namespace negzero::cli {

base::Result<ExecutorChoice> choose_executor(const std::string& word, const device::Probe& probe) {
  if (word == "host") return ExecutorChoice{};
  const std::string all = "*";
  const bool has_kernels = !kernel::registry().match(std::span(&all, 1), kernel::Place::Device).empty();
  if (probe.usable() && has_kernels) return ExecutorChoice{kernel::Place::Device, probe.usable_gpus()};
  if (word == "auto") return ExecutorChoice{};
  if (probe.usable() && probe.has_cuda) {
    return base::Error{base::ErrorKind::Unavailable,
                       "--executor cuda: no kernel of this program has a build for it; use --executor host"};
  }
  const std::string why = probe.usable() ? "this program was built without CUDA" : probe.why_not;
  return base::Error{base::ErrorKind::Unavailable,
                     fmt::format("--executor cuda: {}; {}, or use --executor host", why, probe.cure)};
}

base::Result<ExecutorChoice> choose_executor(const std::string& word) {
  return choose_executor(word, word == "host" ? device::Probe{} : device::probe());
}

}  // namespace negzero::cli
