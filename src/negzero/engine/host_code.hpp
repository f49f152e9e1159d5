// What host code of a launch wrapper has to leave alone: the floating-point environment, and device memory.

#pragma once

#include <string>

#include <negzero/base/float_environment.hpp>
#include <negzero/engine/stream.hpp>

namespace negzero::engine {

/// Gives the calling thread the floating-point environment of a GPU for its lifetime, then the one it had before.
///
/// Device threads share the environment of their host thread: one that changes it does so for others. What is changed
/// and changed back in between is not seen.
class EnvironmentGuard {
 public:
  explicit EnvironmentGuard(const base::FloatEnvironment& wanted) noexcept
      : before_(base::FloatEnvironment::current()), wanted_(wanted) {
    if (before_ != wanted_) wanted_.set();
  }
  ~EnvironmentGuard() {
    if (base::FloatEnvironment::current() != before_) before_.set();
  }
  EnvironmentGuard(const EnvironmentGuard&) = delete;
  EnvironmentGuard& operator=(const EnvironmentGuard&) = delete;

  /// "flush-to-zero was switched on"; empty where nothing was changed since the beginning.
  [[nodiscard]] std::string changes() const { return changes_from(wanted_); }
  /// The same since `wanted` was set.
  [[nodiscard]] static std::string changes_from(const base::FloatEnvironment& wanted) {
    const base::FloatEnvironment now = base::FloatEnvironment::current();
    return now == wanted ? std::string() : now.changes_since(wanted);
  }

 private:
  base::FloatEnvironment before_, wanted_;
};

/// Around the call of a launch wrapper: closes Settings::device_memory, and gives the thread the environment of a GPU.
///
/// What the wrapper does to either fails the stream, at its next launch or in end(): HostAccess or EnvironmentChanged.
class HostCode {
 public:
  explicit HostCode(Stream& stream);
  ~HostCode() { end(); }
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  /// Opens the memory, restores the caller's environment, and fails the stream where that is due. A second call does
  /// nothing.
  void end();

  /// Fails `stream` for what host code has done since the wrapper began; returns whether the stream is ok. Does nothing
  /// outside a HostCode.
  static bool check(Stream& stream, const char* when);

 private:
  Stream* stream_;
  base::FloatEnvironment before_;
};

/// Copies between host and device, either way or within one: what cudaMemcpyAsync does. Opens Settings::device_memory.
/// Does nothing after a failure. Requires a stream of the host executor.
void copy_on_host(Stream& stream, void* to, const void* from, std::size_t size_bytes);
/// Sets bytes of device memory: what cudaMemsetAsync does.
void fill_on_host(Stream& stream, void* to, int byte, std::size_t size_bytes);

}  // namespace negzero::engine
