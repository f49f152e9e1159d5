// The process that examines cases for a campaign: it makes or reads them, has them run by a worker, and judges them.

#include <cstdlib>
#include <string>
#include <string_view>

#include <malloc.h>
#include <sys/resource.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/campaign/examination.hpp>
#include <negzero/campaign/examiner.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/worker/worker_program.hpp>

namespace negzero::campaign {

namespace {

int serve() {
  // A library that was loaded before may have changed how this process rounds.
  base::FloatEnvironment::cuda_default().set();
  // A limit on the length of files (`ulimit -f`) is meant for findings, which are not written here; the memory that is
  // shared with workers counts as a file.
  rlimit longest_file{};
  ::getrlimit(RLIMIT_FSIZE, &longest_file);
  longest_file.rlim_cur = longest_file.rlim_max;
  ::setrlimit(RLIMIT_FSIZE, &longest_file);
  // Memory of one case goes to the next, not back to the system in between.
  ::mallopt(M_TRIM_THRESHOLD, 1 << 26);
  ::mallopt(M_MMAP_THRESHOLD, 1 << 26);
  ::mallopt(M_TOP_PAD, 1 << 20);
  protocol::FrameSocket frames(protocol::kChildSocket);
  const auto send = [&](CampaignFrame kind, std::string_view body) {
    return frames.send(static_cast<std::uint8_t>(kind), body);
  };
  const auto was_sent = [&](const char* what) {
    (void)send(
        CampaignFrame::Problem,
        std::string("the process that examines cases was sent ") + what +
            ": an error of negzero's own, or the program was replaced while it ran; build it anew, and start again");
    return EXIT_FAILURE;
  };
  // The end of the stream is the end of the campaign; what is left in front of it is no frame.
  const auto ended = [&] { return frames.is_empty() ? EXIT_SUCCESS : was_sent("what is no frame"); };
  const auto first = frames.receive();
  if (!first) return ended();
  const bool is_setup = first->kind == static_cast<std::uint8_t>(CampaignFrame::Setup);
  const auto setup = is_setup ? read_setup(first->body) : std::nullopt;
  if (!setup) return was_sent("what is no setup");
  for (const kernel::KernelSource& source : setup->sources) {
    const auto known = kernel::declare(source, kernel::registry());
    if (known) continue;
    (void)send(CampaignFrame::Problem, known.error().message);
    return EXIT_FAILURE;
  }
  Examination examination(*setup, false);
  while (const auto frame = frames.receive()) {
    const bool is_request = frame->kind == static_cast<std::uint8_t>(CampaignFrame::Request);
    const auto request = is_request ? read_request(frame->body) : std::nullopt;
    if (!request) return was_sent("what is no request");
    bool open = true;
    examination.examine(*request, [&](const std::vector<Reply>& replies) {
      return open = send(CampaignFrame::Replies, to_bytes(replies));
    });
    if (!open) return EXIT_SUCCESS;
    if (const auto lost = examination.lost()) {
      (void)send(CampaignFrame::Problem, *lost);
      return EXIT_FAILURE;
    }
  }
  return ended();
}

}  // namespace

std::optional<int> serve_if_called(int argc, char** argv) {
  if (const auto status = worker::worker_if_called(argc, argv)) return status;
  if (argc != 2 || std::string_view(argv[1]) != kExaminerFlag) return std::nullopt;
  return serve();
}

}  // namespace negzero::campaign
