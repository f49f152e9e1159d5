// Frames on a socket between two processes: a kind, a length and bytes, all little-endian.
//
//   "nz" version kind     length            body
//   2 bytes   u8   u8     u32, limited      `length` bytes

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace negzero::protocol {

/// Of the frames between processes of one build: a process of another version is refused at its first one. Frames of
/// workers have a version of their own (worker_wire.hpp).
inline constexpr std::uint8_t kFrameVersion = 7;
inline constexpr std::size_t kFrameHeaderBytes = 8;
/// Longest body (1 GiB): the one limit of what goes to another process through a socket, from which the limits of
/// messages follow (campaign/wire.hpp). It is below the limit of a file (files/input_file.hpp): a case between the two
/// runs in-process only.
inline constexpr std::uint32_t kMostFrameBytes = std::uint32_t{1} << 30;

struct Frame {
  std::uint8_t kind = 0;
  std::string body;
};

/// One end of a socket. Not owned.
class FrameSocket {
 public:
  FrameSocket() = default;
  /// Frames of any other `version` than this one are Garbage.
  explicit FrameSocket(int socket, std::uint8_t version = kFrameVersion) : socket_(socket), version_(version) {}

  /// Sends all of it; false once the other end is closed, or does not read within the socket's time limit. Sends a copy
  /// of `descriptor` with it, unless it is -1. A body longer than `most`, which take() would call garbage, is not sent
  /// at all: false.
  [[nodiscard]] bool send(std::uint8_t kind, std::string_view body, int descriptor = -1,
                          std::uint32_t most = kMostFrameBytes) const;
  /// Waits for the next frame; nothing at the end of the stream, or where it is none. `descriptor`, where one is asked
  /// for: what came since the last frame, the caller's to close; -1: none. Requires an end that sends one only when all
  /// before it has been received. What is not asked for is not taken: a process that trusts the other end with nothing
  /// takes none.
  [[nodiscard]] std::optional<Frame> receive(int* descriptor = nullptr);

  /// Reads what has come without waiting. False once the other end is closed.
  [[nodiscard]] bool pump();
  enum class State : std::uint8_t { Incomplete, Complete, Garbage };
  /// Takes the next frame out of what has come. A body longer than `most` is Garbage.
  [[nodiscard]] State take(Frame& frame, std::uint32_t most = kMostFrameBytes);
  /// The version of what has come, where take() calls it Garbage for that alone; nothing else.
  [[nodiscard]] std::optional<std::uint8_t> other_version() const;
  /// Whether nothing has come that was not taken.
  [[nodiscard]] bool is_empty() const { return inbox_.size() == taken_; }

 private:
  int socket_ = -1;
  std::uint8_t version_ = kFrameVersion;
  std::string inbox_;
  std::size_t taken_ = 0;
};

}  // namespace negzero::protocol
