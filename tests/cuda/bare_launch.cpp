// Launches the GPU build of a kernel on a case with nothing around it, for compute-sanitizer to watch.
//
//   bare_launch KERNEL CASE...
//   bare_launch --expected CASE      the kernels that the case expects something of
//
// Each tensor is one allocation of exactly its extent, and only what the kernel may read is ever written to it: not the
// output, not the padding, not C at beta = 0. The executor's guard zones and poison would hide just those from memcheck
// and initcheck. Results are thrown away. Exit code: 0 launched, 2 bad input, 3 CUDA failed, 77 no GPU.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/image.hpp>
#include <negzero/tensor/placement.hpp>
#include <negzero/worker/args.hpp>

namespace negzero {
namespace {

using operation::Case;

[[noreturn]] void give_up(int code, const std::string& message) {
  fmt::print(stderr, "bare_launch: {}\n", message);
  std::exit(code);
}

void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) give_up(3, fmt::format("{}: {}", what, cudaGetErrorString(error)));
}

/// Allocations that live as long as one launch.
class Allocations final : public kernel::Workspace {
 public:
  ~Allocations() override {
    for (void* const memory : all_) cudaFree(memory);
  }
  void* allocate(std::size_t size_bytes) override {
    void* memory = nullptr;
    require(cudaMalloc(&memory, std::max<std::size_t>(size_bytes, 1)), "cudaMalloc");
    all_.push_back(memory);
    return memory;
  }

 private:
  std::vector<void*> all_;
};

/// An allocation of exactly the buffer's extent, its elements in their places and nothing else written. Returns where
/// the kernel finds element 0 of the extent.
void* place(const protocol::PlannedBuffer& buffer, const tensor::Tensor* elements, Allocations& memory) {
  auto* const data = static_cast<std::byte*>(memory.allocate(buffer.size_bytes()));
  if (elements == nullptr) return data;
  std::vector<std::byte> image(buffer.size_bytes());
  tensor::scatter_to(buffer.layout, buffer.element_bytes(), elements->bytes(), image);
  const auto copy = [&](std::int64_t begin, std::int64_t end) {
    const std::size_t at = static_cast<std::size_t>(begin) * buffer.element_bytes();
    const std::size_t size = static_cast<std::size_t>(end - begin) * buffer.element_bytes();
    if (size > 0) require(cudaMemcpy(data + at, image.data() + at, size, cudaMemcpyHostToDevice), "cudaMemcpy");
  };
  std::int64_t begin = 0;
  for (const tensor::Gap& gap : tensor::padding(buffer.layout)) {
    copy(begin, gap.begin);
    begin = gap.end;
  }
  copy(begin, buffer.layout.extent());
  return data;
}

void launch(const kernel::Kernel& kernel, const Case& value) {
  Allocations memory;
  std::size_t image_bytes = 0;
  protocol::LaunchPlan plan = run::plan_of({&value, &kernel.contract}, image_bytes);
  // As if the image were all of memory: then places in it are addresses.
  for (protocol::PlannedBuffer& buffer : plan.buffers) {
    if (buffer.use == protocol::BufferUse::InOutput) continue;
    buffer.at = reinterpret_cast<std::uint64_t>(place(buffer, run::elements_of(value, buffer), memory));
  }
  // What lies in the first output's memory was placed with it.
  const std::size_t first_output = plan.buffers.size() - value.operation.signature().outputs.size();
  for (protocol::PlannedBuffer& buffer : plan.buffers) {
    if (buffer.use == protocol::BufferUse::InOutput) buffer.at = plan.buffers[first_output].at;
  }
  plan.configuration = operation::whole(kernel.limits.configuration, value.configuration);
  const kernel::Args args = worker::args_of(plan, nullptr, kernel.limits.configuration);
  engine::Stream stream = engine::Stream::on_device(nullptr);
  const kernel::LaunchResult launched = kernel.launch(args, memory, stream);
  if (launched.refused) give_up(2, fmt::format("{} refused: {}", kernel.name, launched.reason));
  if (!stream.ok()) give_up(3, stream.report().message);
  require(cudaDeviceSynchronize(), kernel.name.c_str());
}

Case load(const char* path) {
  auto value = case_file::load(path);
  if (!value) give_up(2, value.error().message);
  return *std::move(value);
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  using namespace negzero;
  if (argc < 3) give_up(2, "usage: bare_launch KERNEL CASE...");
  if (std::string_view(argv[1]) == "--expected") {
    std::set<std::string> names;
    for (const operation::Expectation& expected : load(argv[2]).expect) names.insert(expected.kernel);
    for (const std::string& name : names) fmt::print("{}\n", name);
    return 0;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) give_up(77, "there is no GPU here");
  const kernel::Kernel* kernel = kernel::registry().find(argv[1], kernel::Place::Device);
  if (kernel == nullptr) give_up(2, fmt::format("no kernel {} is built for the GPU", argv[1]));
  for (int i = 2; i < argc; ++i) {
    const Case value = load(argv[i]);
    if (operation::name(value.operation) != kernel->operation) {
      give_up(2, fmt::format("{}: not a case of {}", argv[i], kernel->operation));
    }
    launch(*kernel, value);
    fmt::print("launched {} on {}\n", kernel->name, argv[i]);
  }
  return 0;
}
