// Fuzzes the readers of what processes send each other: frames, and the messages of campaigns and workers.
//
// The first byte of an input says which reader gets the rest. Now and then the mutator starts again from a message that
// is one, so that what the readers say to most bytes (no) is not all that is tried.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include <negzero/base/random.hpp>
#include <negzero/campaign/wire.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/protocol/frames.hpp>
#include <negzero/protocol/launch_plan.hpp>

#include "require.hpp"

namespace negzero::fuzz {
namespace {

/// A message of the campaign that is one is written as the bytes that it was read from.
template <typename Read>
void round_trip(Read read, std::string_view bytes) {
  if (const auto message = read(bytes)) require(campaign::to_bytes(*message) == bytes, "a message has one form");
}

void read_request(std::string_view bytes) {
  round_trip(campaign::read_request, bytes);
  const auto request = campaign::read_request(bytes);
  if (!request) return;
  const std::uint64_t cases = campaign::count(*request);
  if (const auto* const files = std::get_if<campaign::WholeCases>(&request->source)) {
    require(cases == files->size(), "a request has the cases that it holds");
  }
}

/// Plans that are read lie in their image, each buffer and its guards.
void read_plans(std::string_view bytes) {
  base::ByteReader from(bytes);
  const std::uint64_t image_bytes = from.at_most(from.u64(), std::uint64_t{1} << 40);
  if (!from.ok()) return;
  while (const auto plan = protocol::read_plan(from, image_bytes)) {
    for (const protocol::PlannedBuffer& buffer : plan->buffers) {
      require(buffer.at <= image_bytes && buffer.size_bytes() <= image_bytes - buffer.at, "a buffer is in its image");
    }
    base::ByteWriter once, twice;
    protocol::write(once, *plan);
    base::ByteReader written(once.bytes());
    const auto again = protocol::read_plan(written, image_bytes);
    require(again && written.is_complete(), "what is written is a plan");
    protocol::write(twice, *again);
    require(once.bytes() == twice.bytes(), "what is written reads as the same plan");
  }
}

void read_outcomes(std::string_view bytes) {
  base::ByteReader from(bytes);
  while (from.ok() && !from.is_complete()) (void)protocol::read_outcome(from);
}

/// Frames come in pieces; each that is taken is as long as it says, and nothing follows garbage.
void read_frames(std::string_view bytes) {
  constexpr std::size_t kMostInSocket = std::size_t{1} << 15;
  constexpr std::uint32_t kMostBody = 4096;
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there is a socket");
  const std::size_t size = std::min(bytes.size(), kMostInSocket);
  require(::send(ends[0], bytes.data(), size, 0) == static_cast<ssize_t>(size), "the socket holds the input");
  ::close(ends[0]);
  protocol::FrameSocket frames(ends[1]);
  while (frames.pump()) {
  }
  protocol::Frame frame;
  std::size_t taken = 0;
  while (frames.take(frame, kMostBody) == protocol::FrameSocket::State::Complete) {
    taken += protocol::kFrameHeaderBytes + frame.body.size();
    require(frame.body.size() <= kMostBody && taken <= size, "a frame is made of bytes that came");
  }
  ::close(ends[1]);
}

void read_declarations(std::string_view bytes) {
  kernel::Registry registry;
  if (const auto known = kernel::declare({.declarations = std::string(bytes)}, registry); !known) return;
  const std::string once = kernel::declarations(registry);
  kernel::Registry again;
  require(static_cast<bool>(kernel::declare({.declarations = once}, again)), "what is written declares kernels");
  require(kernel::declarations(again) == once, "what is written declares the same kernels");
}

generate::Request some_request(base::Random& random) {
  constexpr const char* kOperations[] = {"gemm", "reduce.sum", "reduce.argmax", "scatter.add"};
  return {.operation = kOperations[random.below(std::size(kOperations))]};
}

campaign::Request a_request(base::Random& random) {
  campaign::Request request{.kernel = "a.kernel"};
  const campaign::GeneratedRange range{random.next(), 3, 7, {.weights = {{"normal", 0.5}}}};
  request.source = range;
  const std::uint64_t kind = random.below(3);
  if (kind == 0) return request;
  const auto bytes = case_file::write(generate::make_case(some_request(random), 1, random.below(1000)));
  const std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (kind == 1) request.source = campaign::WholeCases{file};
  if (kind == 2) request.source = campaign::ChangedRange{range, {file}};
  return request;
}

std::vector<campaign::Reply> some_replies(base::Random& random) {
  campaign::Reply reply{.index = random.next(), .strategy = "normal", .watched = true, .verdict = {}};
  reply.verdict.kind = verdict::VerdictKind::Fail;
  reply.verdict.failure = verdict::Failure{.coordinates = {1, 2}, .permitted_under = {{"compensated true"}}};
  reply.configuration = {{"algorithm", 7}};
  reply.history = {{.times = 3}};
  reply.features = {1, 2};
  return {reply, campaign::Reply{.index = 1, .strategy = "", .watched = false, .verdict = {}}};
}

std::string a_plan(base::Random& random) {
  const generate::Plan drawn = generate::draw(some_request(random), 1, random.below(1000));
  protocol::LaunchPlan plan{.operation = drawn.operation, .poison = drawn.poison, .schedule = drawn.schedule};
  std::uint64_t end = 4096;
  for (const auto& [name, layout] : drawn.layouts) {
    protocol::PlannedBuffer buffer{.name = name, .layout = layout, .at = end};
    end += (buffer.size_bytes() + 8191) / 4096 * 4096;
    plan.buffers.push_back(std::move(buffer));
  }
  base::ByteWriter to;
  to.u64(end);
  protocol::write(to, plan);
  return to.take();
}

std::string an_outcome() {
  base::ByteWriter to;
  protocol::write(to, protocol::LaunchOutcome::failed(protocol::Fault::Crash, "it ended"));
  return to.take();
}

std::string a_frame() {
  // Spelled out, so that the reader is not held to its own writer: a frame of kind 3 with a body of 2 bytes.
  return {'n', 'z', 1, 3, 2, 0, 0, 0, 'h', 'i'};
}

std::string declarations(base::Random& random) {
  kernel::Registry registry;
  registry.declare({.name = "a.kernel", .operation = some_request(random).operation});
  return kernel::declarations(registry);
}

/// A reader of bytes that come from another process, and an example of what it should take.
struct Reader {
  void (*read)(std::string_view bytes);
  std::string (*example)(base::Random& random);
};
constexpr Reader kReaders[] = {
    {[](std::string_view bytes) { round_trip(campaign::read_setup, bytes); },
     [](base::Random& random) {
       return campaign::to_bytes(
           campaign::Setup{.sources = {{.program = {"/bin/worker"}, .declarations = declarations(random)}}});
     }},
    {read_request, [](base::Random& random) { return campaign::to_bytes(a_request(random)); }},
    {[](std::string_view bytes) { round_trip(campaign::read_replies, bytes); },
     [](base::Random& random) { return campaign::to_bytes(some_replies(random)); }},
    {read_plans, a_plan},
    {read_outcomes, [](base::Random&) { return an_outcome(); }},
    {read_frames, [](base::Random&) { return a_frame(); }},
    {read_declarations, declarations},
};

}  // namespace
}  // namespace negzero::fuzz

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  using namespace negzero;
  constexpr std::uint64_t kStartsAgain = 64;
  base::Random random(seed);
  if (size > 1 && random.below(kStartsAgain) != 0) return LLVMFuzzerMutate(data, size, most);
  const std::uint64_t which = random.below(std::size(fuzz::kReaders));
  const std::string example = fuzz::kReaders[which].example(random);
  if (example.size() >= most) return LLVMFuzzerMutate(data, size, most);
  data[0] = static_cast<std::uint8_t>(which);
  std::memcpy(data + 1, example.data(), example.size());
  return example.size() + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace negzero;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  fuzz::kReaders[data[0] % std::size(fuzz::kReaders)].read(rest);
  return 0;
}
