// Attacks on the way between a worker and its parent: forged and repeated replies on descriptor 3, the shared memory,
// and Progress. The twins write the same bytes into a pipe of their own.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pairs.cuh"

namespace negzero::attacks {
namespace {

constexpr int kSocket = 3, kMostDescriptors = 64;
constexpr unsigned char kVersion = 1, kLaunched = 4;                   // protocol::kWorkerVersion, WorkerFrame
enum Status : unsigned char { kDone, kFailed, kError, kLost };         // LaunchOutcome::Status
constexpr const char* kWords[] = {"done", "failed", "error", "lost"};  // of it

std::string number_of(std::uint32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
std::string text_of(const std::string& text) { return number_of(static_cast<std::uint32_t>(text.size())) + text; }

/// A well-formed Launched frame of `count` equal outcomes.
std::string launched_frame(std::uint32_t count, Status status, const std::string& message = "") {
  std::string body = number_of(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    body += text_of(text_of(kWords[status]) + text_of(status == kFailed ? "refused" : "") + text_of(message));
  }
  return std::string{'n', 'z', static_cast<char>(kVersion), static_cast<char>(kLaunched)} + text_of(body);
}

void send_to(int descriptor, const std::string& bytes) { (void)!::write(descriptor, bytes.data(), bytes.size()); }

/// Where the twins send what the attacks send to the parent.
int own_pipe() {
  static int ends[2] = {-1, -1};
  if (ends[1] < 0 && ::pipe2(ends, O_NONBLOCK) != 0) return -1;
  char bytes[65536];
  while (::read(ends[0], bytes, sizeof bytes) > 0) {
  }
  return ends[1];
}

/// Forges `kCount` frames of `kOutcomes` outcomes before the launch. An early reply makes the parent read memory that
/// nobody has written yet.
template <std::uint32_t kOutcomes, Status kStatus, int kFrames>
bool add_forger(const std::string& slug, const std::string& about) {
  static const std::string frame = launched_frame(kOutcomes, kStatus, "no fault of the kernel's\x1b[2J\n{\"pass\":1}");
  return add_pair(
      slug, about,
      [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
        for (int i = 0; i < kFrames; ++i) send_to(kSocket, frame);
        return wrong(args, stream);
      },
      [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
        for (int i = 0; i < kFrames; ++i) send_to(own_pipe(), frame);
        return right(args, stream);
      });
}

kernel::LaunchResult forge_and_exit(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  for (std::uint32_t count = 1; count <= 16; ++count) send_to(kSocket, launched_frame(count, kDone));
  ::_exit(0);
}
kernel::LaunchResult send_to_itself(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  for (std::uint32_t count = 1; count <= 16; ++count) send_to(own_pipe(), launched_frame(count, kDone));
  return right(args, stream);
}

/// A reply that is never whole: a byte now and then.
kernel::LaunchResult drip(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  const std::string frame = launched_frame(1 << 20, kDone);
  send_to(kSocket, frame.substr(0, 8));
  for (std::size_t at = 8; at < frame.size(); ++at, ::usleep(1000)) send_to(kSocket, frame.substr(at, 1));
  ::_exit(0);
}

/// Serves requests itself from here on: each is answered with "done" for as many plans as it asks for.
kernel::LaunchResult serve_requests(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  for (std::uint32_t count = 1;; count = 1) {
    for (; count <= 16; count *= 2) send_to(kSocket, launched_frame(count, kDone));
    std::string request(1 << 16, '\0');
    if (::recv(kSocket, request.data(), request.size(), 0) <= 0) ::_exit(0);
  }
}
kernel::LaunchResult look_for_requests(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  char byte = 0;
  (void)!::recv(kSocket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return right(args, stream);
}

/// A thread that goes on sending replies while the kernel computes garbage.
kernel::LaunchResult forge_for_ever(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  static const bool started = [] {
    std::thread([] {
      for (;; ::usleep(100)) send_to(kSocket, launched_frame(1, kDone));
    }).detach();
    return true;
  }();
  (void)started;
  return wrong(args, stream);
}
kernel::LaunchResult send_from_a_thread(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  std::thread([] { send_to(own_pipe(), launched_frame(1, kDone)); }).join();
  return right(args, stream);
}

/// A thread that writes to the image for ever, whatever case lies there.
kernel::LaunchResult write_after_the_end(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  static const bool started = [] {
    std::thread([] {
      const SharedImage image = shared_image();
      unsigned char* const memory = image.data();
      for (std::size_t at = 4096; memory != nullptr; at = at + 64 < image.size() ? at + 64 : 4096) memory[at] ^= 1;
    }).detach();
    return true;
  }();
  (void)started;
  return wrong(args, stream);
}
kernel::LaunchResult look_where_it_is(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  (void)shared_image();
  return right(args, stream);
}

/// Makes the shared memory smaller, or empty, under the parent's hands.
kernel::LaunchResult shrink_the_memory(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  for (int descriptor = kSocket; descriptor < kMostDescriptors; ++descriptor) {
    (void)!::ftruncate(descriptor, 0);
    (void)!::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20);
  }
  const auto result = wrong(args, stream);
  const SharedImage image = shared_image();
  (void)::madvise(image.data(), image.size(), MADV_REMOVE);
  return result;
}
kernel::LaunchResult try_to_shrink(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  (void)!::ftruncate(kSocket, 0);
  return right(args, stream);
}

/// Says that another plan is being launched, and that it gets on, while it does not.
kernel::LaunchResult lie_about_progress(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  auto* const progress = reinterpret_cast<std::uint64_t*>(shared_image().data());
  for (std::uint64_t beat = 1; progress != nullptr; ++beat) {
    if (beat < 500) progress[0] = beat;  // Half a second: a launch that shows progress has ten times its limit.
    progress[1] = ~std::uint64_t{0} - beat % 2;
    progress[2] = beat;
    ::usleep(1000);
  }
  ::_exit(0);
}
kernel::LaunchResult touch_progress(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  if (auto* const progress = reinterpret_cast<std::uint64_t*>(shared_image().data())) progress[0] += 1;
  return right(args, stream);
}

/// Changes the inputs, so that their sum is what it has written.
__global__ void cleared_kernel(Problem problem) {
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    for (int64_t column = 0; column < problem.columns; ++column) {
      const_cast<float*>(problem.x)[row * problem.row_stride + column * problem.column_stride] = 0.0f;
    }
    problem.y[row * problem.y_stride] = 0.0f;
  }
}
kernel::LaunchResult clear_the_inputs(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return run(cleared_kernel, args, stream);
}
kernel::LaunchResult only_right(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return right(args, stream);
}

/// Puts memory of its own where the image is, so that nobody sees what it writes.
kernel::LaunchResult replace_the_image(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Problem problem = problem_of(args);
  const auto page = reinterpret_cast<std::uintptr_t>(problem.y) / 4096 * 4096;
  ::mmap(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return wrong(args, stream);
}

const bool registered[] = {
    add_forger<1, kDone, 1>("reply_early", "answers before it has launched"),
    add_forger<1, kDone, 2>("reply_twice", "answers twice before it has launched"),
    add_forger<16, kDone, 1>("reply_for_all", "answers for plans that were not launched"),
    add_forger<0, kDone, 1>("reply_for_none", "answers with no outcome"),
    add_forger<1, kFailed, 1>("reply_refused", "answers that the case was refused"),
    add_forger<1, kError, 1>("reply_error", "answers that something of ours went wrong"),
    add_forger<1, kLost, 1>("reply_lost", "answers that the machine is lost"),
    add_forger<4000, kDone, 4>("reply_flood", "answers with more outcomes than were asked for"),
    add_pair("reply_dripped", "answers a byte at a time", drip, send_to_itself),
    add_pair("reply_and_exit", "answers, then exits with status 0", forge_and_exit, send_to_itself),
    add_pair("requests_served", "reads the requests itself and answers them", serve_requests, look_for_requests),
    add_pair("reply_for_ever", "a thread answers all the time", forge_for_ever, send_from_a_thread),
    add_pair("write_after_end", "a thread writes to the image after the launch", write_after_the_end, look_where_it_is),
    add_pair("memory_shrunk", "shrinks the shared memory, and punches holes into it", shrink_the_memory, try_to_shrink),
    add_pair("progress_forged", "shows progress, and another plan, while it waits", lie_about_progress, touch_progress),
    add_pair("inputs_cleared", "clears its inputs and answers 0", clear_the_inputs, only_right),
    add_pair("image_replaced", "computes in memory of its own", replace_the_image, look_where_it_is),
};

}  // namespace
}  // namespace negzero::attacks
