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

#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/tensor/placement.hpp>

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

bool is_zero(const operation::Scalar& s) { return number::is_zero(number::format(s.format), s.bits); }

/// Whether a kernel that keeps to the BLAS rules reads the tensor.
bool is_read(const Case& value, const std::string& tensor) {
  const auto* gemm = std::get_if<operation::Gemm>(&value.operation);
  return gemm == nullptr || (tensor == "c" ? !is_zero(gemm->beta) : gemm->k > 0 && !is_zero(gemm->alpha));
}

/// An allocation of the tensor's extent with its elements (of tensor `from`, none where that is empty) in their places.
kernel::Operand place(const Case& value, const std::string& name, const std::string& from, number::FormatId id,
                      Allocations& memory) {
  const tensor::Layout& layout = value.layouts.at(name);
  const auto element_bytes = static_cast<std::size_t>(number::format(id).bits) / 8;
  const auto extent = layout.extent();
  auto* const data = static_cast<std::byte*>(memory.allocate(static_cast<std::size_t>(extent) * element_bytes));
  if (!from.empty()) {
    std::vector<std::byte> image(static_cast<std::size_t>(extent) * element_bytes);
    tensor::scatter_to(layout, element_bytes, value.tensors.at(from).bytes(), image);
    std::vector<tensor::Gap> gaps = tensor::padding(layout);
    gaps.push_back({extent, extent});
    std::int64_t begin = 0;
    for (const tensor::Gap& gap : gaps) {
      const auto at = static_cast<std::size_t>(begin) * element_bytes;
      const auto size = static_cast<std::size_t>(gap.begin - begin) * element_bytes;
      if (size > 0) require(cudaMemcpy(data + at, image.data() + at, size, cudaMemcpyHostToDevice), "cudaMemcpy");
      begin = gap.end;
    }
  }
  kernel::Operand result;
  result.data = data + static_cast<std::size_t>(layout.offset) * element_bytes;
  std::copy(layout.strides.begin(), layout.strides.end(), result.strides);
  return result;
}

void launch(const kernel::Kernel& kernel, const Case& value) {
  Allocations memory;
  const auto input = [&](const std::string& name) {
    for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
      if (spec.name == name) return place(value, name, is_read(value, name) ? name : "", spec.format, memory);
    }
    return kernel::Operand{};
  };
  const operation::TensorSpec out = operation::output_spec(value.operation);
  const bool scatter = std::holds_alternative<operation::Scatter>(value.operation);
  const kernel::Operand output = place(value, out.name, scatter ? "init" : "", out.format, memory);
  kernel::Args args;
  if (const auto* g = std::get_if<operation::Gemm>(&value.operation)) {
    args = kernel::GemmArgs{g->batch,        g->m,          g->n, g->k, input("a"), input("b"), input("c"), output,
                            {g->alpha.bits}, {g->beta.bits}};
  } else if (const auto* r = std::get_if<operation::Reduce>(&value.operation)) {
    args = kernel::ReduceArgs{r->rows, r->columns, input("x"), output};
  } else {
    const auto& s = std::get<operation::Scatter>(value.operation);
    args = kernel::ScatterArgs{s.updates, s.destinations, input("x"), input("index"), output};
  }
  simt::Stream stream = simt::Stream::on_device(nullptr);
  const kernel::LaunchResult launched = kernel.launch(args, memory, stream);
  if (launched.refused) give_up(2, fmt::format("{} refused: {}", kernel.name, launched.reason));
  if (!stream.ok()) give_up(3, stream.report().message);
  require(cudaDeviceSynchronize(), kernel.name.c_str());
}

Case load(const char* path) {
  auto value = operation::load_case(path);
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
  const kernel::Kernel* kernel = kernel::registry().find(argv[1], kernel::Executor::Cuda);
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
