// Launches a kernel's CUDA build on the cases of an image, which are copied there and back, and waits once.
//
//   image, before   [g|a|g][g|b|g][g|c|g][g|d|g]  [g|a|g] ...      case after case, poisoned and filled by an Image
//   GPU             the same bytes                                 the launches work on these
//   image, after    the same bytes once more                       compared with what they were
//
// A batch is one upload, launches on some streams, and one download. Launches in turn (protocol::LaunchPlan::moved)
// have the same place on the GPU: what each has in the image is copied there before its launch and back behind it.

#pragma once

#include <memory>

#include <negzero/base/result.hpp>
#include <negzero/worker/launcher.hpp>

namespace negzero::worker {

struct CudaOptions {
  int gpu = 0;  ///< its number
};

/// Launches on one GPU; used from one thread.
///
/// A sticky CUDA error ends what this process can do with the GPU. Of a batch of one it is the kernel's
/// (protocol::Fault::Crash, with the error's name) or Lost; of several there is no outcome at all, since no single case
/// can be blamed. Too little GPU memory is an Error of the cases that need it. A kernel that does not end holds
/// launch() for ever.
class CudaLauncher final : public Launcher {
 public:
  /// Errors: Unavailable without CUDA in this build, infrastructure errors of a GPU that cannot be used. The process
  /// must not fork afterwards.
  [[nodiscard]] static base::Result<std::unique_ptr<CudaLauncher>> make(const CudaOptions& options);
  ~CudaLauncher() override;

  [[nodiscard]] std::vector<protocol::LaunchOutcome> launch(std::span<const protocol::LaunchPlan> plans,
                                                            const kernel::Kernel& kernel, std::byte* image) override;
  void use_memory(std::span<std::byte> memory) override;

 private:
  struct State;
  explicit CudaLauncher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace negzero::worker
