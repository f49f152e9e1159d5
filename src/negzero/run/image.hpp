// The memory of a batch of cases, laid out, poisoned and guarded before the launches, and everything checked after
// them: the half of running that the process of a kernel has no part in.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/run/outcome.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::run {

/// A case and the contract that says what a kernel may read of it. Neither is owned.
struct Job {
  const operation::Case* value = nullptr;
  const contract::Contract* contract = nullptr;
};

/// A launch of a chain. Those of a chain go one after the other in the same memory, or behind where all of them lie, on
/// one of two streams; another chain has other memory and other streams.
struct Turn {
  Job job;
  struct {
    bool storage = false, stream = false;
  } other{};
  std::uint8_t chain = 0;  ///< below protocol::kChains
};

/// Where cases are launched.
struct Spot {
  std::size_t at = 0;        ///< byte of the image at which the first case begins
  std::uint8_t stream = 0;   ///< of all cases
  std::uint8_t streams = 1;  ///< where there are more, the first so many share the cases, by their elements
};

/// Which poison the output of a case holds before the launch: the case's own, or the other one.
enum class OutputPoison : unsigned char { Own, Other };

/// The plan of a case whose buffers are appended to an image of `end` bytes. It has no configuration: that is the
/// kernel's (Image::configure).
[[nodiscard]] protocol::LaunchPlan plan_of(const Job& job, std::size_t& end);
/// The elements that a buffer holds before the launch, of which those that do not count (operation/counted.hpp) are
/// poison in memory; null: poison alone.
[[nodiscard]] const tensor::Tensor* elements_of(const operation::Case& value, const protocol::PlannedBuffer& buffer);
/// Whether a tensor of the case is distant (tensor/islands.hpp).
[[nodiscard]] bool is_distant(const Job& job);
/// Bytes of the image of one case, or a little more.
[[nodiscard]] std::size_t image_bytes(const Job& job);
/// Those of the largest of them.
[[nodiscard]] std::size_t most_image_bytes(std::span<const Turn> turns);
/// Where the parts of launches in turn begin in their image, with so much room for a launch.
[[nodiscard]] std::size_t parts_at(std::span<const Turn> turns, std::size_t room_bytes);

/// Cases [begin, end) of a run share one image. Holds for its own use what memory held before the launches.
class Image {
 public:
  /// Lays out the cases; forgets those before. Inputs that the contract says are not read (C at beta = 0, A and B at
  /// alpha = 0) hold poison instead of their elements, as elements that do not count do; the output of a scatter holds
  /// its initial values.
  void lay_out(std::span<const Job> jobs, OutputPoison output, const Spot& place = {});
  /// Lays out launches that share memory, two times room_bytes for each chain; each has a part of the image of its own
  /// (protocol::LaunchPlan::moved). Requires image_bytes() of none of them to be more than that.
  void lay_out_in_turn(std::span<const Turn> turns, std::size_t room_bytes);
  /// Gives each plan the whole configuration of the kernel that it is for: what its case says, and else the defaults.
  void configure(const operation::Options& options);
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] std::span<const protocol::LaunchPlan> plans() const { return plans_; }
  /// What plan i was made of.
  [[nodiscard]] const Job& job(std::size_t i) const { return jobs_[i]; }
  /// Writes poison, guard zones and elements to memory of size_bytes(), page-aligned.
  void fill(std::byte* memory, std::size_t threads);
  /// Whether elements of an output that the line does not write must stay as they were; they must at first.
  void look_at_the_rest(bool looks) noexcept { looks_at_the_rest_ = looks; }
  /// What case i did: its output, packed, or the first thing that went wrong. Elements of the output that do not count
  /// are +0, whatever the kernel left there. Memory outside its output elements must be as fill() left it (rule
  /// run.guard). Reads the output once, and overwrites it in `memory`. Several threads may ask for different cases.
  [[nodiscard]] Outcome outcome(std::size_t i, protocol::LaunchOutcome launched, std::byte* memory) const;

 private:
  void start(OutputPoison output, std::size_t at);
  protocol::LaunchPlan& add(const Job& job);

  std::vector<Job> jobs_;
  std::vector<protocol::LaunchPlan> plans_;
  bool looks_at_the_rest_ = true;
  OutputPoison output_ = OutputPoison::Own;
  std::size_t size_bytes_ = 0;
  std::vector<std::byte> before_;  ///< data of all buffers, one after the other
  std::size_t before_bytes_ = 0;
  std::vector<std::size_t> before_at_{};  ///< where those of a case begin in it
};

/// Refused, when the case lies outside the kernel's limits.
[[nodiscard]] std::optional<Outcome> outside_limits(const operation::Case& value, const kernel::Kernel& kernel);

}  // namespace negzero::run
