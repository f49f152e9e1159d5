// Frames on a socket between two processes: a kind, a length and bytes, all little-endian.

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <negzero/base/bytes.hpp>
#include <negzero/protocol/frames.hpp>

namespace negzero::protocol {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;

/// Room for one descriptor beside the bytes of a message.
struct Beside {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int))] = {};

  void attach_to(msghdr& message) {
    message.msg_control = bytes;
    message.msg_controllen = sizeof bytes;
  }
  void put(int descriptor) {
    auto* const header = reinterpret_cast<cmsghdr*>(bytes);
    *header = {CMSG_LEN(sizeof descriptor), SOL_SOCKET, SCM_RIGHTS};
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
};

/// recv() that takes a descriptor too, in place of one that came before.
ssize_t receive_with(int socket, char* buffer, std::size_t size, int& descriptor) {
  Beside beside;
  iovec piece{buffer, size};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  beside.attach_to(message);
  const ssize_t done = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* const header = done >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    if (descriptor >= 0) ::close(descriptor);
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  }
  return done;
}

}  // namespace

bool FrameSocket::send(std::uint8_t kind, std::string_view body, int descriptor, std::uint32_t most) const {
  if (body.size() > most) return false;
  base::ByteWriter header;
  header.u8('n');
  header.u8('z');
  header.u8(version_);
  header.u8(kind);
  header.u32(static_cast<std::uint32_t>(body.size()));
  std::string_view parts[] = {header.bytes(), body};
  for (std::size_t at = 0; at < 2;) {
    iovec pieces[2];
    for (std::size_t i = at; i < 2; ++i) pieces[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
    msghdr message{};
    message.msg_iov = pieces + at;
    message.msg_iovlen = 2 - at;
    Beside beside;
    if (descriptor >= 0) {
      beside.put(descriptor);
      beside.attach_to(message);
    }
    const ssize_t done = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    descriptor = -1;  // It has gone with the first bytes.
    for (auto rest = static_cast<std::size_t>(done); at < 2; ++at) {
      const std::size_t here = std::min(rest, parts[at].size());
      parts[at].remove_prefix(here);
      rest -= here;
      if (!parts[at].empty()) break;
    }
  }
  return true;
}

std::optional<Frame> FrameSocket::receive(int* descriptor) {
  Frame frame;
  if (descriptor != nullptr) *descriptor = -1;
  for (;;) {
    const State state = take(frame);
    if (state == State::Complete) return frame;
    if (state == State::Garbage) return std::nullopt;
    char buffer[kChunkBytes];
    const ssize_t done = descriptor != nullptr ? receive_with(socket_, buffer, sizeof buffer, *descriptor)
                                               : ::recv(socket_, buffer, sizeof buffer, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return std::nullopt;
    inbox_.append(buffer, static_cast<std::size_t>(done));
  }
}

bool FrameSocket::pump() {
  char buffer[kChunkBytes];
  const ssize_t done = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (done > 0) inbox_.append(buffer, static_cast<std::size_t>(done));
  return done > 0 || (done < 0 && (errno == EAGAIN || errno == EINTR));
}

FrameSocket::State FrameSocket::take(Frame& frame, std::uint32_t most) {
  const std::string_view rest = std::string_view(inbox_).substr(taken_);
  // The shortest garbage is told from the beginning of a frame by its first bytes.
  const char start[] = {'n', 'z', static_cast<char>(version_)};
  const std::size_t seen = std::min(rest.size(), sizeof start);
  if (rest.substr(0, seen) != std::string_view(start, seen)) return State::Garbage;
  if (rest.size() >= kFrameHeaderBytes) {
    base::ByteReader header(rest.substr(sizeof start));
    frame.kind = header.u8();
    const std::uint32_t length = header.u32();
    if (length > most) return State::Garbage;
    if (rest.size() - kFrameHeaderBytes >= length) {
      frame.body.assign(rest.substr(kFrameHeaderBytes, length));
      taken_ += kFrameHeaderBytes + length;
      return State::Complete;
    }
  }
  inbox_.erase(0, taken_);
  taken_ = 0;
  return State::Incomplete;
}

std::optional<std::uint8_t> FrameSocket::other_version() const {
  const std::string_view rest = std::string_view(inbox_).substr(taken_);
  if (rest.size() < 3 || !rest.starts_with("nz")) return std::nullopt;
  const auto version = static_cast<std::uint8_t>(rest[2]);
  return version == version_ ? std::nullopt : std::optional(version);
}

}  // namespace negzero::protocol
