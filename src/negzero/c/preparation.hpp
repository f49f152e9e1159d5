// A function of another language that changes drawn inputs before anything runs on them: each case is a call back.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <negzero/c/negzero.h>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::c {

class Preparation {
 public:
  /// `function` must outlive it. One whose `launch` is NULL changes nothing.
  Preparation(const negzero_function& function, const operation::Limits& limits)
      : function_(function), limits_(limits) {}

  [[nodiscard]] bool exists() const { return function_.launch != nullptr; }
  /// Replaces the elements of the inputs by those that the function makes of them. Returns false, and leaves the case
  /// as it was, where the function ends the check, or gives what is no case within the limits.
  [[nodiscard]] bool prepare(operation::Case& value);
  /// Whether a case is what the function makes of it.
  [[nodiscard]] bool leaves(const operation::Case& value);
  /// Whether the function has ended the check.
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  /// Why the last case that it gave is none; empty where all were.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  const negzero_function& function_;
  const operation::Limits& limits_;
  std::byte* memory_ = nullptr;
  std::size_t size_bytes_ = 0;
  bool is_stopped_ = false;
  std::string problem_{};
};

}  // namespace negzero::c
