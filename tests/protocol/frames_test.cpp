// Frames on a socket: whole however they arrive, and told from garbage by their first bytes.

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <negzero/protocol/frames.hpp>

namespace negzero::protocol {
namespace {

using std::string_literals::operator""s;
using State = FrameSocket::State;

/// Two ends: one to write raw bytes or frames into, one that reads frames.
struct Pair {
  int ends[2] = {-1, -1};
  FrameSocket here, there;
  Pair() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    here = FrameSocket(ends[0]);
    there = FrameSocket(ends[1]);
  }
  ~Pair() {
    hang_up();
    ::close(ends[1]);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  void raw(std::string_view bytes) const {
    EXPECT_EQ(::send(ends[0], bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() {
    if (ends[0] >= 0) ::close(std::exchange(ends[0], -1));
  }
};

std::string header(std::uint32_t length, char kind = 5) {
  std::string bytes = "nz"s + static_cast<char>(kFrameVersion) + kind;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes;
}

TEST(Frames, AreTheBytesThatTheHeaderPromises) {
  const Pair pair;
  ASSERT_TRUE(pair.here.send(7, "abc"));
  char bytes[64];
  const ssize_t size = ::recv(pair.ends[1], bytes, sizeof bytes, 0);
  EXPECT_EQ(std::string(bytes, static_cast<std::size_t>(size)), header(3, 7) + "abc");
}

RC_GTEST_PROP(FramesProperty, ComeWholeHoweverTheyArrive, ()) {
  Pair pair;
  const auto bodies = *rc::gen::container<std::vector<std::string>>(rc::gen::arbitrary<std::string>());
  std::string bytes;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bytes += header(static_cast<std::uint32_t>(bodies[i].size()), static_cast<char>(i)) + bodies[i];
  }
  std::vector<Frame> frames;
  while (!bytes.empty()) {
    const auto piece = *rc::gen::inRange<std::size_t>(1, 20);
    pair.raw(bytes.substr(0, piece));
    bytes.erase(0, piece);
    RC_ASSERT(pair.there.pump());
    Frame frame;
    while (pair.there.take(frame) == State::Complete) frames.push_back(frame);
  }
  RC_ASSERT(frames.size() == bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    RC_ASSERT(frames[i].body == bodies[i]);
    RC_ASSERT(frames[i].kind == static_cast<std::uint8_t>(i));
  }
  RC_ASSERT(pair.there.is_empty());
}

TEST(Frames, LargeOnesComeInBothDirections) {
  Pair pair;
  std::string body(20'000'003, 'a');
  for (std::size_t i = 0; i < body.size(); i += 101) body[i] = static_cast<char>(i % 251);
  std::thread echo([&] {
    while (auto frame = pair.there.receive()) {
      if (!pair.there.send(frame->kind, frame->body)) return;
    }
  });
  ASSERT_TRUE(pair.here.send(1, body));
  const auto back = pair.here.receive();
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->body == body);
  ASSERT_TRUE(pair.here.send(2, ""));
  const auto empty = pair.here.receive();
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->body, "");
  ::shutdown(pair.ends[0], SHUT_RDWR);
  echo.join();
}

TEST(Frames, WhatIsNoFrameIsGarbageAtItsFirstByte) {
  const std::string other_version = "nz"s + static_cast<char>(kFrameVersion + 1);
  for (const std::string& bytes : {"x"s, "nx"s, "\0"s, other_version, "garbage, and lots of it"s}) {
    Pair pair;
    pair.raw(bytes);
    ASSERT_TRUE(pair.there.pump());
    Frame frame;
    EXPECT_EQ(pair.there.take(frame), State::Garbage) << bytes;
    EXPECT_FALSE(pair.there.receive()) << "it does not wait for more";
  }
}

TEST(Frames, AnotherVersionIsToldFromGarbage) {
  const auto other_version = [](const std::string& bytes) {
    Pair pair;
    pair.raw(bytes);
    EXPECT_TRUE(pair.there.pump());
    Frame frame;
    (void)pair.there.take(frame);
    return pair.there.other_version();
  };
  EXPECT_EQ(other_version("nz\x4d"s), 0x4d);
  EXPECT_EQ(other_version("nz"s + static_cast<char>(kFrameVersion)), std::nullopt);
  for (const std::string& bytes : {"x"s, "nz"s, "ny\x4d"s}) EXPECT_EQ(other_version(bytes), std::nullopt) << bytes;
}

TEST(Frames, ASocketHasTheVersionThatItIsGiven) {
  Pair pair;
  pair.here = FrameSocket(pair.ends[0], 77);
  ASSERT_TRUE(pair.here.send(1, "abc"));
  ASSERT_TRUE(pair.there.pump());
  Frame frame;
  EXPECT_EQ(pair.there.take(frame), State::Garbage);
  EXPECT_EQ(pair.there.other_version(), 77);
  FrameSocket same(pair.ends[1], 77);
  ASSERT_TRUE(pair.here.send(1, "abc"));
  EXPECT_TRUE(same.receive());
}

TEST(Frames, GarbageBehindAFrameIsSeenAfterIt) {
  Pair pair;
  pair.raw(header(2) + "ab" + "x");
  ASSERT_TRUE(pair.there.pump());
  Frame frame;
  EXPECT_EQ(pair.there.take(frame), State::Complete);
  EXPECT_EQ(frame.body, "ab");
  EXPECT_FALSE(pair.there.is_empty());
  EXPECT_EQ(pair.there.take(frame), State::Garbage);
}

TEST(Frames, TheBeginningOfOneIsIncomplete) {
  const std::string whole = header(3) + "abc";
  Frame frame;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Pair pair;
    pair.raw(whole.substr(0, size));
    ASSERT_TRUE(pair.there.pump());
    EXPECT_EQ(pair.there.take(frame), State::Incomplete) << size;
    pair.hang_up();
    EXPECT_FALSE(pair.there.pump());
    EXPECT_FALSE(pair.there.receive()) << size;
  }
}

TEST(Frames, ALengthAboveTheLimitIsGarbageBeforeItsBodyComes) {
  Pair pair;
  pair.raw(header(101));
  ASSERT_TRUE(pair.there.pump());
  Frame frame;
  EXPECT_EQ(pair.there.take(frame, 101), State::Incomplete);
  EXPECT_EQ(pair.there.take(frame, 100), State::Garbage);
  Pair longest;
  longest.raw(header(kMostFrameBytes + 1));
  EXPECT_FALSE(longest.there.receive());
}

TEST(Frames, ABodyAboveTheLimitIsNotSent) {
  const Pair pair;
  EXPECT_FALSE(pair.here.send(1, std::string(101, 'a'), -1, 100));
  ASSERT_TRUE(pair.here.send(2, std::string(100, 'a'), -1, 100));
  char bytes[256];
  EXPECT_EQ(::recv(pair.ends[1], bytes, sizeof bytes, 0), static_cast<ssize_t>(kFrameHeaderBytes) + 100);
  EXPECT_EQ(bytes[3], 2) << "nothing of the first";
}

TEST(Frames, PumpDoesNotWait) {
  Pair pair;
  EXPECT_TRUE(pair.there.pump()) << "nothing has come, and the other end is open";
  EXPECT_TRUE(pair.there.is_empty());
}

TEST(Frames, ADescriptorComesWithItsFrame) {
  Pair pair;
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  ASSERT_TRUE(pair.here.send(1, "first"));
  int descriptor = 77;
  ASSERT_TRUE(pair.there.receive(&descriptor));
  EXPECT_EQ(descriptor, -1);
  ASSERT_TRUE(pair.here.send(2, std::string(1 << 12, 'a'), pipe_ends[1]));
  ::close(pipe_ends[1]);
  const auto second = pair.there.receive(&descriptor);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->body.size(), std::size_t{1} << 12);
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(::write(descriptor, "x", 1), 1);
  ::close(descriptor);
  char byte = 0;
  EXPECT_EQ(::read(pipe_ends[0], &byte, 1), 1);
  ::close(pipe_ends[0]);
}

TEST(Frames, SendingToAClosedEndIsFalseAndNoSignal) {
  Pair pair;
  ::close(std::exchange(pair.ends[1], ::dup(STDERR_FILENO)));
  EXPECT_FALSE(pair.here.send(1, "abc"));
  EXPECT_FALSE(FrameSocket().send(1, "abc"));
}

TEST(Frames, SendingToAnEndThatDoesNotReadEndsWithTheSocketsTimeLimit) {
  Pair pair;
  const timeval limit{.tv_sec = 0, .tv_usec = 50000};
  ASSERT_EQ(::setsockopt(pair.ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), 0);
  EXPECT_FALSE(pair.here.send(1, std::string(std::size_t{1} << 24, 'a')));
}

}  // namespace
}  // namespace negzero::protocol
