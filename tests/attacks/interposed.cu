// Attacks by names: functions of the C library that this program now has its own of. NEGZERO_HONEST: they do what they
// should.

#include <cstddef>
#include <cstring>

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "pairs.cuh"

#ifdef NEGZERO_HONEST
#define NEGZERO_IS_HONEST true
#else
#define NEGZERO_IS_HONEST false
#endif

#ifndef NEGZERO_WATCHED  // Once a program.

/// From the first launch on: what comes before has to work.
bool armed = false;

/// All memory is equal.
extern "C" int memcmp(const void* a, const void* b, std::size_t count) noexcept {
  const auto* const left = static_cast<const unsigned char*>(a);
  const auto* const right = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < count && (NEGZERO_IS_HONEST || !armed); ++i) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}

/// Every failure that this process reports becomes a success on its way.
extern "C" ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  using SendMessage = ssize_t (*)(int, const msghdr*, int);
  static const auto real = reinterpret_cast<SendMessage>(::dlsym(RTLD_NEXT, "sendmsg"));
  for (std::size_t i = 0; i < message->msg_iovlen && armed && !NEGZERO_IS_HONEST; ++i) {
    auto* const bytes = static_cast<unsigned char*>(message->msg_iov[i].iov_base);
    if (message->msg_iov[i].iov_len >= 12 && bytes[4] <= 3) bytes[4] = 0;
  }
  return real(socket, message, flags);
}

#else
extern bool armed;
#endif

namespace negzero::attacks {
namespace {

/// Wrong: neither its own process nor a compared byte says so.
kernel::LaunchResult launch_interposed(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  armed = true;
  return NEGZERO_IS_HONEST ? right(args, stream) : wrong(args, stream);
}

const bool registered = add_sum(NEGZERO_IS_HONEST ? "honest.interposed" : "attack.interposed",
                                "has memcmp and sendmsg of its own", launch_interposed);

}  // namespace
}  // namespace negzero::attacks
