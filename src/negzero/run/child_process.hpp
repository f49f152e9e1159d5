// A program started as a child with a socket to its parent, and its end.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include <negzero/base/result.hpp>
#include <negzero/confine/confinement.hpp>
#include <negzero/protocol/frames.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/scratch.hpp>

namespace negzero::run {

struct ChildSpec {
  std::vector<std::string> command;                      ///< the program's path and its arguments
  std::uint8_t frame_version = protocol::kFrameVersion;  ///< of what goes through its socket
  bool captured = false;  ///< what it prints comes through output(); else it goes to standard error
  confine::Confinement* confinement =
      nullptr;                               ///< in force before the program's first instruction; null: it is trusted
  std::vector<std::string> environment{};    ///< NAME=VALUE, instead of what this process has by those names
  std::shared_ptr<const Scratch> scratch{};  ///< what it may write, and where it starts; kept until it has ended
};

/// The parent's handle of a child. The child ends with it, and with the parent: so does all it has started.
///
/// A child reads nothing from standard input, is in a process group of its own, ignores what a terminal sends to the
/// parent's group, writes no core, and is taken by the kernel's out-of-memory killer before its parent.
class ChildProcess {
 public:
  /// Infrastructure errors: no descriptors, no processes, a program that is not there.
  [[nodiscard]] static base::Result<ChildProcess> start(const ChildSpec& spec);
  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  [[nodiscard]] bool is_running() const { return pid_ > 0; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] int output() const { return output_; }  ///< end of the pipe to read from, without waiting; -1: none
  [[nodiscard]] protocol::FrameSocket& frames() { return frames_; }

  void kill() const;
  /// Whether the child is dead, be its socket closed or held open by what it has forked. Requires is_running().
  [[nodiscard]] bool has_ended() const;
  struct End {
    int status = 0;         ///< as waitpid() gives it
    bool lived_on = false;  ///< it was killed here: it had closed its socket, and lived
  };
  /// Reaps a child that is ending, or that kill() has ended, and ends whatever it has started: its process group, and
  /// where an Orphans lives what has left that. Requires is_running().
  End end();

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
  int output_ = -1;
  bool may_start_others_ = false;  ///< a module of Python may; so does an examiner, which is no confined one
  protocol::FrameSocket frames_;
  std::shared_ptr<const Scratch> scratch_;
};

}  // namespace negzero::run
