// A value or the error that kept us from it.

#pragma once

#include <string>
#include <utility>
#include <variant>

namespace negzero::base {

/// What went wrong with us (never with a kernel: that is a Verdict). Decides the exit code.
enum class ErrorKind : unsigned char {
  Usage,           ///< the user's words: unknown kernel, bad flag, malformed file (exit code 2)
  Infrastructure,  ///< the machine: disk full, fork failed, file unreadable (exit code 3)
  Unavailable,     ///< cannot run here: no GPU (exit code 77)
  Undecided,       ///< there was nothing to decide: no kernel matched, no case was there (exit code 4)
  Interrupted,     ///< Ctrl-C came before there was anything to show (exit code 130)
};

/// `message` is one line that names the thing, the value and the cure.
struct Error {
  ErrorKind kind = ErrorKind::Infrastructure;
  std::string message;
  friend bool operator==(const Error&, const Error&) = default;
};

[[nodiscard]] inline Error usage_error(std::string message) { return {ErrorKind::Usage, std::move(message)}; }
[[nodiscard]] inline Error infrastructure_error(std::string message) {
  return {ErrorKind::Infrastructure, std::move(message)};
}
[[nodiscard]] inline Error undecided_error(std::string message) { return {ErrorKind::Undecided, std::move(message)}; }

/// A T or an Error. Reading the value of a failed result terminates, so look first.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }  // without it, *std::move(result) is a copy
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
struct Ok {};
using Status = Result<Ok>;

}  // namespace negzero::base
