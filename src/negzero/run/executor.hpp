// Runs kernels on cases: memory laid out, poisoned and guarded, launched somewhere, everything checked after it.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/run/death.hpp>
#include <negzero/run/image.hpp>
#include <negzero/run/outcome.hpp>
#include <negzero/run/turn_policy.hpp>

namespace negzero::run {

/// Bytes of an image on a GPU: larger batches are cut, a case that is larger runs alone.
inline constexpr std::size_t kCudaImageBytes = std::size_t{1} << 25;

/// How the cases of a batch run.
struct Batch {
  std::size_t threads = 1;  ///< that lay out their memory and check it
  bool at_once = false;     ///< they run on several streams of a GPU; elsewhere, one after the other all the same
  /// Where launches share memory, cases behind one that hung alone are left, for a batch of the caller's: an Error,
  /// with kLeft. Of several that stood still together each further one would hold up those behind it by its time limit.
  bool until_hang = false;
};

/// Used from one thread at a time.
///
/// What a launch may do wrong besides its values becomes a failure by a row of fault.hpp, or by run.unwritten (an
/// output element still holds poison, whichever poison it was). An end of the process is one where it comes again with
/// the case alone; else the outcome has a warning that begins with kCameOnce. The next hang of a kernel whose hang came
/// again is believed at once.
class Executor {
 public:
  virtual ~Executor() = default;

  [[nodiscard]] virtual kernel::Place place() const noexcept = 0;
  /// Runs `kernel`, one outcome a job, in order. Inputs that a contract says are not read (C at beta = 0, A and B at
  /// alpha = 0) hold poison instead of their elements. A case outside the kernel's limits is Refused without a launch.
  /// Requires valid cases of the kernel's operation, and a kernel of this executor. Cases that share a batch share a
  /// GPU's memory: a failure that is to be believed is one of a batch of one.
  [[nodiscard]] std::vector<Outcome> run(std::span<const Job> jobs, const kernel::Kernel& kernel,
                                         const Batch& batch = {});

  /// The same for one case.
  [[nodiscard]] Outcome run(const operation::Case& value, const kernel::Kernel& kernel,
                            const contract::Contract& contract) {
    const Job job{&value, &contract};
    return std::move(run({&job, 1}, kernel).front());
  }

  /// Runs cases one after the other in one process, which is replaced by no other in between; each at the start of the
  /// same memory, or behind where all of them lie, on one of two streams. One outcome a turn; fewer where the process
  /// ended, the last then says how. All of them run again, in a fresh process, where one was killed from outside.
  /// Chains may run at once, on a GPU, or else one after the other. `threads` lay out their memory and check it, where
  /// many launches are one request. Requires jobs inside the kernel's limits.
  [[nodiscard]] std::vector<Outcome> run_in_turn(std::span<const Turn> turns, const kernel::Kernel& kernel,
                                                 std::size_t threads = 1);
  /// Whether cases of that kernel should run at once: on a GPU, and not after keep_in_turn(). A kernel whose launches
  /// share memory (a counter that is a device variable) is right, and wrong where two of them overlap.
  [[nodiscard]] bool may_run_at_once(const kernel::Kernel& kernel) const {
    return place() == kernel::Place::Device && policy_.may_run_at_once(kernel.name);
  }
  /// Whether each case of a batch runs after the one before it, in memory that was laid out anew.
  [[nodiscard]] bool keeps_cases_apart() const { return place() == kernel::Place::Host; }
  void keep_in_turn(const kernel::Kernel& kernel) { policy_.keep_in_turn(kernel.name); }
  /// Batches at once that ended their process, or stood still, by no doing of others.
  [[nodiscard]] std::uint64_t ended_at_once() const { return policy_.ends_at_once(); }
  /// Lets what runs next run in a fresh process, where there are processes.
  virtual void refresh() {}

  /// What the machine lost for good (a GPU that is gone), after which every outcome is an Error; nothing while it
  /// works.
  [[nodiscard]] const std::optional<std::string>& lost() const { return policy_.lost(); }

 protected:
  /// What became of the plans of one image.
  struct Launched {
    std::vector<protocol::LaunchOutcome> outcomes{};  ///< of the first ones; all of them unless the process had to end
    std::optional<Death> death{};                     ///< it ended without an answer
    std::optional<std::size_t> at{};                  ///< the plan it was at then; nothing where it was at several
    std::optional<std::string> trouble{};             ///< ours: nothing was launched
    bool is_lost = false;                             ///< with trouble: nothing will be launched any more
  };
  /// Memory for an image, page-aligned; what it held is lost. May throw std::bad_alloc.
  [[nodiscard]] virtual std::byte* memory(std::size_t size_bytes) = 0;
  /// Launches on the image in that memory. A process that has ended is replaced by the next call.
  [[nodiscard]] virtual Launched launch(std::span<const protocol::LaunchPlan> plans, const kernel::Kernel& kernel) = 0;
  /// What plan i of those that launch() is given was made of.
  [[nodiscard]] const Job& job(std::size_t i) const { return image_.job(i); }
  /// Whether it is: not where kernels run in this process.
  [[nodiscard]] virtual bool replaces_processes() const { return false; }
  /// Whether whole results are copied into the outputs, where a launch cannot leave out what its line does not write.
  [[nodiscard]] virtual bool copies_results(const kernel::Kernel& kernel) const { return kernel.build.values_only; }

 private:
  std::vector<Outcome> run_all(std::span<const Job> jobs, const kernel::Kernel& kernel, OutputPoison output,
                               const Batch& batch);
  void run_image(std::span<const Job> jobs, const kernel::Kernel& kernel, OutputPoison output, Batch batch,
                 std::span<Outcome> outcomes);
  Outcome run_alone(const Job& job, const kernel::Kernel& kernel, OutputPoison output, std::optional<Death> before,
                    bool among_hung = false);
  /// Many turns in one request, which on a GPU waits once for the launches of other processes. Nothing where that does
  /// not do: for one turn, in this process, where the worker ended or there was too little memory.
  std::optional<std::vector<Outcome>> run_together(std::span<const Turn> turns, const kernel::Kernel& kernel,
                                                   std::size_t threads);
  /// False where the process ended from outside: the last outcome then says so.
  bool run_one_by_one(std::span<const Turn> turns, const kernel::Kernel& kernel, std::vector<Outcome>& outcomes);
  Launched launch_image(std::span<const Job> jobs, const kernel::Kernel& kernel, OutputPoison output,
                        const Batch& batch, std::span<Outcome> outcomes);
  /// Launches what image_ has laid out and filled. Remembers what is lost, which leaves errors.
  Launched launch_now(const kernel::Kernel& kernel);
  /// What the first launches of image_ did. Requires room for them.
  void take_outcomes(Launched& launched, std::size_t threads, std::span<Outcome> outcomes);

  Image image_;
  std::byte* memory_ = nullptr;
  TurnPolicy policy_;
};

}  // namespace negzero::run
