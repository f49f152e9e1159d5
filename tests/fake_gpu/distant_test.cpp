// Tensors whose elements lie far apart, on the GPU that is host memory: memory around islands alone, poison in all of
// its pages, and everything checked that comes back.

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/protocol/guarded_buffer.hpp>

#include "executors.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using testing::HasSubstr;

constexpr std::int64_t kG = std::int64_t{1} << 30;

operation::Case apart(std::int64_t row, std::int64_t offset, std::int64_t out = 1) {
  operation::Case value = sum_case(3, 4);
  value.layouts["x"] = {{3, 4}, {row, 2}, offset};
  value.layouts["y"] = {{3}, {out}, 5};
  EXPECT_TRUE(operation::validate(value).ok());
  return value;
}

kernel::Kernel sum_of_any(const std::function<void(const ReduceArgs&, Workspace&)>& also = {}) {
  kernel::Kernel kernel = sum_kernel(also);
  kernel.limits.inputs.max_stride = kernel.limits.output.max_stride = tensor::kMaxSpan;
  return kernel;
}

TEST_F(CudaExecutorTest, SeesOfDistantTensorsWhatTheHostSees) {
  // The last one has three islands in one page of the GPU.
  const std::vector<operation::Case> cases = {
      apart(kG, 0),   apart(8 * kG - 9, 7, 100000), apart(1 << 20, kG / 2, 2 * kG),
      sum_case(3, 4), apart(4 * kG, 3, 3),          apart(100000, kG)};
  const std::function<void(const ReduceArgs&, Workspace&)> ways[] = {
      {},
      [](const ReduceArgs& a, Workspace&) { flip(a.y.data, -1); },
      [](const ReduceArgs& a, Workspace&) { flip(a.y.as<float>() + 2 * a.y.strides[0], 9); },
      [](const ReduceArgs& a, Workspace&) { flip(a.x.as<float>() + a.x.strides[0], 4100); },
      [](const ReduceArgs& a, Workspace&) {
        a.y.as<float>()[a.y.strides[0]] = a.x.as<float>()[2 * a.x.strides[0] - 500];
      },
  };
  for (const auto& way : ways) {
    const kernel::Kernel kernel = sum_of_any(way);
    HostExecutor host;
    const auto cuda = gpu();
    std::vector<Job> jobs;
    for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
    const std::vector<Outcome> expected = host.run(jobs, kernel), seen = cuda->run(jobs, kernel, {.at_once = true});
    for (std::size_t i = 0; i < jobs.size(); ++i) expect_same(expected[i], seen[i], std::to_string(i));
    EXPECT_EQ(expected[0].status, way && &way != &ways[4] ? Outcome::Status::Failed : Outcome::Status::Completed);
  }
}

TEST_F(CudaExecutorTest, MapsPagesAroundIslandsAndPoisonsAllOfThem) {
  const operation::Case value = apart(kG, 1 << 19);
  std::uint64_t pages = 0;
  bool is_poison = true;
  const kernel::Kernel kernel = sum_of_any([&](const ReduceArgs& a, Workspace&) {
    pages = fake_gpu::mapped_pages();
    // Farther from the elements than any guard zone, in a page of theirs.
    const auto& format = number::format(FormatId::F32);
    const std::uint64_t poison = protocol::input_poison_pattern(operation::Poison::Nan, format);
    for (const std::int64_t at : {100000, 200000}) {
      is_poison = is_poison && std::memcmp(a.x.as<float>() + a.x.strides[0] + at, &poison, 4) == 0;
    }
  });
  const auto cuda = gpu();
  EXPECT_EQ(cuda->run(value, kernel, kernel.contract).status, Outcome::Status::Completed);
  EXPECT_TRUE(is_poison);
  // The first byte of each island begins a page, so that its guard zone lies in the one before.
  EXPECT_EQ(pages, 6u);
  EXPECT_EQ(cuda->run(sum_case(3, 4), kernel, kernel.contract).status, Outcome::Status::Completed);
  EXPECT_EQ(fake_gpu::mapped_pages(), 0u) << "memory goes back with the next batch";
}

TEST_F(CudaExecutorTest, DoesNotRunDistantTensorsWhereTheGpuCannotMap) {
  fake_gpu::let_map(false);
  const kernel::Kernel kernel = sum_of_any([](const ReduceArgs&, Workspace&) { ADD_FAILURE() << "it ran"; });
  const Outcome outcome = gpu()->run(apart(kG, 0), kernel, kernel.contract);
  EXPECT_EQ(outcome.status, Outcome::Status::Error);
  EXPECT_THAT(outcome.reason, HasSubstr("no virtual memory for tensors whose elements lie far apart"));
}

}  // namespace
}  // namespace negzero::run
