// What docs/reference/worker_protocol.md says is what is written and read: its bytes, its numbers, its example.

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <negzero/kernel/declaration.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/protocol/frames.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/tensor/layout.hpp>

#include "../run/cases.hpp"

namespace negzero::protocol {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string page() {
  std::ifstream file(NEGZERO_SOURCE_DIR "/docs/reference/worker_protocol.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The first block of that language behind a heading.
std::string block(const std::string& heading, const std::string& language) {
  const std::string text = page(), fence = "```" + language + "\n";
  const std::size_t at = text.find("\n## " + heading + "\n");
  const std::size_t begin = at == std::string::npos ? at : text.find(fence, at);
  if (begin == std::string::npos) return "";
  const std::size_t first = begin + fence.size();
  return text.substr(first, text.find("```", first) - first);
}

/// The bytes of a dump: OFFSET BYTES # WHAT. Each line must begin where the one before it ends.
std::string bytes_of_dump(const std::string& dump) {
  std::string bytes;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    words >> word;
    EXPECT_EQ(std::stoul(word, nullptr, 16), bytes.size()) << line;
    while (words >> word) bytes += static_cast<char>(std::stoul(word, nullptr, 16));
  }
  return bytes;
}

/// A frame as it goes through a socket.
std::string frame(WorkerFrame kind, const std::string& body) {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_TRUE(FrameSocket(ends[0], kWorkerVersion).send(static_cast<std::uint8_t>(kind), body));
  std::string bytes(1 << 12, '\0');
  bytes.resize(static_cast<std::size_t>(::recv(ends[1], bytes.data(), bytes.size(), 0)));
  for (const int end : ends) ::close(end);
  return bytes;
}

LaunchPlan shown_plan() {
  LaunchPlan plan{.operation = run_test::sum_case(2, 3).operation};
  plan.buffers = {{.name = "x", .layout = {{2, 3}, {3, 1}, 0}, .at = 4096},
                  {.name = "y", .layout = {{2}, {1}, 0}, .use = BufferUse::Output, .at = 12544}};
  plan.elements = 6;
  plan.configuration = {{"algorithm", 2}};
  return plan;
}

TEST(Page, ItsRequestIsTheOneThatIsWritten) {
  const LaunchPlan plan = shown_plan();
  const std::string body = launch_body({&plan, 1}, false);
  EXPECT_EQ(bytes_of_dump(block("One request", "text")), frame(WorkerFrame::Launch, body));
  EXPECT_TRUE(read_launch(body, 1 << 20)) << "a worker of ours reads it";
}

TEST(Page, ItsAnswerIsReadAsDone) {
  const std::string bytes = bytes_of_dump(block("One answer", "text"));
  ASSERT_GT(bytes.size(), kFrameHeaderBytes);
  EXPECT_EQ(bytes, frame(WorkerFrame::Launched, bytes.substr(kFrameHeaderBytes)));
  const auto outcomes = read_launched(bytes.substr(kFrameHeaderBytes), 1);
  ASSERT_TRUE(outcomes);
  ASSERT_EQ(outcomes->size(), 1u);
  EXPECT_EQ(outcomes->front().status, LaunchOutcome::Status::Done);
  // What our workers write begins with the same fields.
  const LaunchOutcome done{.status = LaunchOutcome::Status::Done};
  base::ByteWriter ours;
  write(ours, done);
  EXPECT_EQ(ours.bytes().substr(0, 16), bytes.substr(16));
}

TEST(Page, ItsDeclarationDeclaresItsKernels) {
  kernel::Registry registry;
  const base::Status declared = kernel::declare({{"a worker"}, block("Kernels", "json")}, registry);
  ASSERT_TRUE(declared.ok()) << declared.error().message;
  EXPECT_THAT(registry.errors(), IsEmpty());
  const kernel::Kernel* const gemm = registry.find("my.gemm", kernel::Place::Host);
  ASSERT_NE(gemm, nullptr);
  EXPECT_TRUE(gemm->build.values_only);
  EXPECT_EQ(gemm->limits.extents["k"].multiple, 16);
  EXPECT_EQ(operation::describe(gemm->limits, "gemm"),
            "F32 x F32 x F32, F16 x F16 x F32; k a multiple of 16 from 1 up to 4096; m x n up to 1048576; beta 0; "
            "row-major inputs with no shared addresses; column-major b with addresses multiples of 16 bytes, stride 0 "
            "along batch");
  const kernel::Kernel* const sum = registry.find("my.sum", kernel::Place::Host);
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(operation::describe(sum->limits, "reduce.sum"), "algorithm 0 to 2");
}

TEST(Page, ItNamesEveryFieldOfLimits) {
  const std::string text = page();
  const operation::LayoutLimit layout{.order = operation::LayoutOrder::Packed,
                                      .broadcast = false,
                                      .max_offset = 1,
                                      .offset_multiple = 2,
                                      .stride_multiple = 2,
                                      .max_stride = 3,
                                      .max_span = 4,
                                      .alignment = 2,
                                      .shared = {"batch"}};
  const operation::ExtentLimit extent{.min = 1, .max = 2, .multiple = 2, .power_of_two = true, .tiles = {2}};
  const auto json = operation::limits_json({.extents = {{"m", extent}},
                                            .alpha = operation::ScalarLimit::One,
                                            .beta = operation::ScalarLimit::One,
                                            .inputs = layout,
                                            .output = layout,
                                            .tensors = {{"b", layout}},
                                            .products = {{.of = {"m"}, .max = 1}},
                                            .equal = {{"m", "n"}},
                                            .configuration = {{"algorithm", {0, 1, 2}}}});
  std::size_t fields = 0;
  const auto is_named = [&](const std::string& field) {
    ++fields;
    EXPECT_THAT(text, HasSubstr("`" + field + "`"));
  };
  for (const auto& [field, value] : json.items()) is_named(field);
  for (const auto& [field, value] : json["extents"]["m"].items()) is_named(field);
  for (const auto& [field, value] : json["inputs"].items()) is_named(field);
  EXPECT_EQ(fields, 9u + 5u + 9u);
  EXPECT_THAT(text, HasSubstr("a power of two up to " + std::to_string(operation::kMostAlignment) + " |"));
}

TEST(Page, ItsNumbersAreTheOnesThatHold) {
  const std::string text = page();
  const auto has = [&](const std::string& what, auto number) {
    EXPECT_THAT(text, HasSubstr("\n| " + what + " | " + std::to_string(number) + " |\n"));
  };
  has("bytes of a body", kMostWorkerFrameBytes);
  has("plans of a request", kMostPlans);
  has("bytes of a plan", kMostPlanBytes);
  has("bytes of an operation's name", notation::kMostOperationName);
  has("bytes of a line that declares one", notation::kMostLine);
  has("bytes of the name of an extent, a format, a scalar or a buffer", notation::kMostTensorName);
  has("bytes of a word (format, use, status, fault)", kMostWord);
  has("bytes of a message, and of a warning", kMostText);
  has("warnings of an outcome", kMostWarnings);
  has("extents of an operation", notation::kMostExtents);
  has("formats and buffers of an operation, each", notation::kMostTensors);
  has("scalars of an operation", notation::kMostScalars);
  has("options of a kernel", operation::kMostOptions);
  has("values of an option", operation::kMostOptionValues);
  has("bytes of an option's name", operation::kMostOptionName);
  has("rank", tensor::kMaxRank);
  has("bytes of a kernel's name", kernel::kMostKernelName);
  has("bytes of `about`", kernel::kMostAbout);
  has("bytes that no buffer has, before and behind each buffer", kGuardBytes);
  EXPECT_THAT(text, HasSubstr("The version of this page is **" + std::to_string(kWorkerVersion) + "**"));
  EXPECT_THAT(text, HasSubstr("\n| " + std::to_string(kImageAt) + " | the image |\n"));
  EXPECT_THAT(text, HasSubstr("`at` is a multiple of " + std::to_string(kBufferAlignment) + "."));
  EXPECT_THAT(text, HasSubstr(std::string("`WORKER ") + kWorkerFlag + " describe`"));
  const std::pair<WorkerFrame, std::string> kinds[] = {
      {WorkerFrame::Ready, "Ready"},       {WorkerFrame::Failed, "Failed"},   {WorkerFrame::Launch, "Launch"},
      {WorkerFrame::Launched, "Launched"}, {WorkerFrame::Kernels, "Kernels"}, {WorkerFrame::Memory, "Memory"}};
  for (const auto& [kind, name] : kinds) {
    EXPECT_THAT(text, HasSubstr("\n| " + std::to_string(static_cast<int>(kind)) + " | " + name + " | "));
  }
}

TEST(Page, ItsWordsAreKnown) {
  const auto is_outcome = [](const std::string& status, const std::string& fault) {
    base::ByteWriter to;
    for (const std::string& word : {status, fault, std::string("why")}) to.text(word);
    base::ByteReader from(to.bytes());
    (void)read_outcome(from);
    return from.is_complete();
  };
  EXPECT_TRUE(is_outcome("done", ""));
  EXPECT_TRUE(is_outcome("error", ""));
  for (const char* const fault : {"raised", "refused", "bad_launch"}) {
    EXPECT_THAT(page(), HasSubstr(std::string("\n| `") + fault + "` | "));
    EXPECT_TRUE(is_outcome("failed", fault)) << fault;
  }
}

TEST(Page, TheLongestPlanFits) {
  // Longer than any operation's: as many of everything as there may be, with the longest names.
  const std::size_t name = 4 + notation::kMostTensorName, word = 4 + kMostWord;
  const std::size_t buffer = 2 * word + name + 1 + 8 * (2 * tensor::kMaxRank + 2);
  const std::size_t operation = 4 + notation::kMostLine + 4 + notation::kMostExtents * (name + 8) +
                                notation::kMostTensors * (name + word + buffer) +
                                notation::kMostScalars * (name + word + 8);
  const std::size_t options = 1 + operation::kMostOptions * (4 + operation::kMostOptionName + 8);
  EXPECT_LE(operation + 2 * word + 64 + options, kMostPlanBytes);
}

}  // namespace
}  // namespace negzero::protocol
