// The process that examines cases for a campaign: it makes or reads them, has them run by a worker, and judges them.

#include <cstdlib>
#include <string_view>

#include <malloc.h>
#include <sys/resource.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/campaign/examination.hpp>
#include <negzero/campaign/examiner.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/run/worker_program.hpp>

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
  run::FrameSocket frames(run::kChildSocket);
  const auto send = [&](CampaignFrame kind, std::string_view body) {
    return frames.send(static_cast<std::uint8_t>(kind), body);
  };
  const auto first = frames.receive();
  if (!first || first->kind != static_cast<std::uint8_t>(CampaignFrame::Setup)) return EXIT_FAILURE;
  const auto setup = read_setup(first->body);
  if (!setup) return EXIT_FAILURE;
  for (const kernel::KernelSource& source : setup->sources) {
    const auto known = kernel::declare(source, kernel::registry());
    if (known) continue;
    (void)send(CampaignFrame::Problem, known.error().message);
    return EXIT_FAILURE;
  }
  Examination examination(*setup, false);
  while (const auto frame = frames.receive()) {
    if (frame->kind != static_cast<std::uint8_t>(CampaignFrame::Request)) return EXIT_FAILURE;
    const auto request = read_request(frame->body);
    if (!request) return EXIT_FAILURE;
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
  return EXIT_SUCCESS;
}

}  // namespace

std::optional<int> serve_if_called(int argc, char** argv) {
  if (const auto status = run::worker_if_called(argc, argv)) return status;
  if (argc != 2 || std::string_view(argv[1]) != kExaminerFlag) return std::nullopt;
  return serve();
}

}  // namespace negzero::campaign
