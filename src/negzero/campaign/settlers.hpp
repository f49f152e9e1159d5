// Threads that settle failures while a campaign goes on: one a kernel at a time, as many as its examiners can serve.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <negzero/campaign/loop.hpp>
#include <negzero/campaign/settle.hpp>

namespace negzero::campaign {

/// All of it is called from the campaign's thread.
class Settlers {
 public:
  /// Examines cases by the loop's desk, and writes into `files`.
  Settlers(const EvaluationOptions& options, Loop& loop, FindingFiles& files);
  /// Cuts short what is under way.
  ~Settlers();

  [[nodiscard]] bool is_busy() const { return !strands_.empty(); }
  [[nodiscard]] bool is_busy(std::size_t kernel) const;
  [[nodiscard]] bool has_room() const { return strands_.size() < loop_.most_users(); }
  [[nodiscard]] BeingShrunk under_way() const;

  /// Begins to settle a failure of the kernel with that number, which is not busy. What is referred to must stay.
  void begin(std::size_t kernel, Met met, std::set<Cause> told, const kernel::Kernel& which,
             const Accepting& accepting);
  /// One that is done, with its kernel's number; nothing where none is after `longest`.
  [[nodiscard]] std::optional<std::pair<std::size_t, Settled>> take(std::chrono::milliseconds longest = {});
  /// Cuts short what is under way and what begins.
  void stop() { stop_ = true; }

 private:
  struct Strand {
    std::size_t kernel = 0;
    const kernel::Kernel* which = nullptr;
    std::chrono::steady_clock::time_point began{};
    std::future<Settled> settled{};
    std::jthread thread{};
  };

  EvaluationOptions options_;
  Loop& loop_;
  FindingFiles& files_;
  std::atomic<bool> stop_{false};
  std::list<Strand> strands_;
};

}  // namespace negzero::campaign
