// What goes through the socket between a worker and its parent: see worker_process.hpp for the picture.

#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <sys/socket.h>

namespace negzero::run {

// "0zgn" and the like: they tell our frames from what a kernel wrote to a stray descriptor.
inline constexpr std::uint32_t kMagic = 0x6e677a30;
inline constexpr std::uint32_t kReadyMagic = 0x6e677a31;
inline constexpr std::uint32_t kLastWordsMagic = 0x6e677a32;
inline constexpr std::uint32_t kLastReplyMagic = 0x6e677a33;
inline constexpr std::uint32_t kMaxReply = 1u << 28;

/// The page that both sides see.
struct SharedPage {
  unsigned kernels;        ///< how many run in the child: mark_kernel()
  std::uint64_t progress;  ///< progress_counter()
};

struct TaskHeader {
  std::uint64_t begin, end, request_bytes, singly;
};
struct ReplyHeader {
  std::uint32_t magic, bytes;
  std::uint64_t index;
};

/// Sends all of it; false once the other end is closed, or does not read within the socket's time limit.
inline bool write_all(int socket, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace negzero::run
