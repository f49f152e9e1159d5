// Runs functions that this program does not have: each launch is a call back to who has them.

#pragma once

#include <cfenv>
#include <cstddef>
#include <functional>
#include <string>

#include <negzero/run/executor.hpp>

namespace negzero::run {

/// What the caller made of a launch.
struct Called {
  enum class How : unsigned char {
    Done,     ///< the image has what it wrote
    Raised,   ///< the function raised an exception: rule run.raised
    Refused,  ///< it refused the case, though its limits allow it: rule run.refused
    Changed,  ///< it changed an input of which it had a copy: rule run.guard
    Stopped,  ///< nothing was launched, and nothing more is to be
  };
  How how = How::Done;
  std::string message{};  ///< of Raised, Refused and Changed: one line
};

/// In this thread and process: what a function does to its process it does to this one. Launches go one after the
/// other.
class CallerExecutor final : public Executor {
 public:
  /// Launches one plan, which was made of `job`, on the image that begins at `image`.
  using Launch = std::function<Called(const Job& job, const protocol::LaunchPlan& plan, std::byte* image)>;
  /// Memory for images, page-aligned, of that size at least; nullptr: there is none. It belongs to the caller, who may
  /// go on reading it for ever: a function may keep the arrays that it was given.
  using Memory = std::function<std::byte*(std::size_t size_bytes)>;

  /// `environment`: that of the thread while a launch runs.
  CallerExecutor(Launch launch, Memory memory, const std::fenv_t& environment);
  [[nodiscard]] kernel::Place place() const noexcept override { return kernel::Place::Host; }
  /// Whether a launch said Stopped. Outcomes from there on are errors.
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  /// How many times the caller launched.
  [[nodiscard]] std::int64_t launches() const { return launches_; }

 protected:
  [[nodiscard]] std::byte* memory(std::size_t size_bytes) override;
  [[nodiscard]] Launched launch(std::span<const protocol::LaunchPlan> plans, const kernel::Kernel& kernel) override;
  /// What a function returns is copied into the outputs.
  [[nodiscard]] bool copies_results(const kernel::Kernel&) const override { return true; }

 private:
  Launch launch_;
  Memory memory_;
  std::fenv_t environment_;
  std::byte* image_ = nullptr;
  std::size_t size_bytes_ = 0;
  std::int64_t launches_ = 0;
  bool is_stopped_ = false;
};

}  // namespace negzero::run
