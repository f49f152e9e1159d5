// Which executor a run uses: what --executor says, held against what this machine and this program have.

#include <fmt/format.h>

#include <negzero/cli/executor_choice.hpp>
#include <negzero/cli/session.hpp>

namespace negzero::cli {

base::Result<ExecutorChoice> choose_executor(const std::string& word, const device::Probe& probe) {
  if (word == "host") return ExecutorChoice{};
  const std::string all = "*";
  const bool has_kernels = !kernel::registry().match(std::span(&all, 1), kernel::Place::Device).empty();
  if (probe.usable() && has_kernels) return ExecutorChoice{kernel::Place::Device, probe.usable_gpus()};
  if (word == "auto") return ExecutorChoice{};
  if (probe.usable()) {
    return base::Error{base::ErrorKind::Unavailable,
                       probe.has_cuda
                           ? "--executor cuda: no kernel of this program has a build for it; use --executor host"
                           : "--executor cuda: this program was built without CUDA, and runs on a GPU what is in "
                             "Python alone; build with -DNEGZERO_CUDA=ON, or use --executor host"};
  }
  return base::Error{base::ErrorKind::Unavailable,
                     fmt::format("--executor cuda: {}; {}, or use --executor host", probe.why_not, probe.cure)};
}

base::Result<ExecutorChoice> choose_executor(const std::string& word) {
  const auto say_so = [] { tell("negzero: the driver of the GPUs does not answer yet; it is given 30 s\n"); };
  return choose_executor(word, word == "host" ? device::Probe{} : device::probe(say_so));
}

}  // namespace negzero::cli
