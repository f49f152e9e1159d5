// Runs the host build and the GPU build of every kernel on the same cases and compares their outputs bit for bit.
//
//   cuda_agreement [CASES] [SEED]
//
// A kernel that promises gpu_to_gpu determinism must give the same bits (NaN compared as NaN), the GPU's outputs must
// be permitted, and a planted fault must show on the GPU too. Exit code: 0 agreement, 1 not, 3 CUDA failed, 77 no GPU.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/run/guarded_buffer.hpp>
#include <negzero/run/host_executor.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero {
namespace {

using operation::Case;
using operation::VerdictKind;
using tensor::Tensor;

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fmt::print(stderr, "cuda_agreement: {}: {}\n", what, cudaGetErrorString(error));
  std::exit(3);
}

/// Device memory that grows and is reused.
class DeviceBuffer final : public kernel::Workspace {
 public:
  void* reserve(std::size_t size_bytes) {
    if (size_bytes > size_bytes_) {
      require(cudaFree(data_), "cudaFree");
      require(cudaMalloc(&data_, size_bytes), "cudaMalloc");
      size_bytes_ = size_bytes;
    }
    return data_;
  }
  void* allocate(std::size_t size_bytes) override {
    reserve(std::max<std::size_t>(size_bytes, 256));
    require(cudaMemset(data_, 0xff, size_bytes_), "cudaMemset");
    return data_;
  }
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// One tensor of a case: its memory on the host as the GPU is to see it, poison and guards included.
struct Placed {
  std::string name;
  const tensor::Layout* layout;
  std::size_t element_bytes, begin;
};

class Device {
 public:
  /// Runs the GPU build; nothing when the launch was refused or failed (then `problem` says why).
  std::optional<Tensor> run(const Case& value, const kernel::Kernel& kernel, std::string& problem) {
    std::vector<std::byte> image;
    std::vector<Placed> placed;
    const operation::TensorSpec output = operation::output_spec(value.operation);
    for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
      if (spec.name != "init") place(value, spec.name, spec.name, spec.format, image, placed);
    }
    const bool scatter = std::holds_alternative<operation::Scatter>(value.operation);
    place(value, output.name, scatter ? "init" : "", output.format, image, placed);
    auto* base = static_cast<std::byte*>(memory_.reserve(image.size()));
    require(cudaMemcpy(base, image.data(), image.size(), cudaMemcpyHostToDevice), "cudaMemcpy to the device");

    const auto operand = [&](const char* name) {
      kernel::Operand result;
      for (const Placed& p : placed) {
        if (p.name != name) continue;
        result.data = base + p.begin + static_cast<std::size_t>(p.layout->offset) * p.element_bytes;
        std::copy(p.layout->strides.begin(), p.layout->strides.end(), result.strides);
      }
      return result;
    };
    kernel::Args args;
    if (const auto* g = std::get_if<operation::Gemm>(&value.operation)) {
      args = kernel::GemmArgs{g->batch,        g->m,          g->n,         g->k,
                              operand("a"),    operand("b"),  operand("c"), operand("d"),
                              {g->alpha.bits}, {g->beta.bits}};
    } else if (const auto* r = std::get_if<operation::Reduce>(&value.operation)) {
      args = kernel::ReduceArgs{r->rows, r->columns, operand("x"), operand("y")};
    } else {
      const auto& s = std::get<operation::Scatter>(value.operation);
      args = kernel::ScatterArgs{s.updates, s.destinations, operand("x"), operand("index"), operand("out")};
    }
    simt::Stream stream = simt::Stream::on_device(nullptr);
    const kernel::LaunchResult launched = kernel.launch(args, workspace_, stream);
    require(cudaDeviceSynchronize(), kernel.name.c_str());
    if (launched.refused || !stream.ok()) {
      problem = launched.refused ? launched.reason : stream.report().message;
      return std::nullopt;
    }
    require(cudaMemcpy(image.data(), base, image.size(), cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
    Tensor result(output.format, output.shape);
    const Placed& p = placed.back();
    const auto extent = static_cast<std::size_t>(p.layout->extent()) * p.element_bytes;
    tensor::gather_from(*p.layout, p.element_bytes, std::span(image).subspan(p.begin, extent), result.bytes());
    return result;
  }

 private:
  /// Appends guard, poisoned memory with the elements of `from` in it (none when empty), guard.
  static void place(const Case& value, const std::string& name, const std::string& from, number::FormatId id,
                    std::vector<std::byte>& image, std::vector<Placed>& placed) {
    const tensor::Layout& layout = value.layouts.at(name);
    const auto element_bytes = static_cast<std::size_t>(number::format(id).bits) / 8;
    const auto extent = static_cast<std::size_t>(layout.extent()) * element_bytes;
    run::GuardedBuffer buffer;
    buffer.reset(extent, number::format(id), value.poison);
    if (!from.empty()) tensor::scatter_to(layout, element_bytes, value.tensors.at(from).bytes(), buffer.data());
    const std::size_t begin = (image.size() + run::kGuardBytes + 255) / 256 * 256;
    image.resize(begin + extent + run::kGuardBytes, std::byte{0xff});
    const auto data = buffer.data();
    std::copy(data.begin(), data.end(), image.begin() + static_cast<std::ptrdiff_t>(begin));
    placed.push_back({name, &layout, element_bytes, begin});
  }

  DeviceBuffer memory_, workspace_;
};

bool same_bits(const Tensor& a, const Tensor& b) {
  for (std::int64_t i = 0; i < a.element_count(); ++i) {
    if (a.get(i) == b.get(i)) continue;
    if (number::is_nan(a.format(), a.get(i)) && number::is_nan(b.format(), b.get(i))) continue;
    return false;
  }
  return true;
}

/// Compares one kernel; returns whether the two builds agree.
bool compare(const kernel::Kernel& host, const kernel::Kernel& cuda, std::uint64_t cases, std::uint64_t seed,
             Device& device) {
  const generate::Request request{host.operation, host.limits, host.contract, {}};
  const bool fixed = host.contract.determinism == contract::Determinism::GpuToGpu;
  run::HostExecutor executor;
  std::uint64_t compared = 0, identical = 0, device_fails = 0, refused = 0;
  std::string first;
  for (std::uint64_t index = 0; index < cases; ++index) {
    const Case value = generate::make_case(request, seed, index);
    const run::Outcome outcome = executor.run(value, host, host.contract);
    if (outcome.status != run::Outcome::Status::Completed) continue;
    std::string problem;
    const std::optional<Tensor> output = device.run(value, cuda, problem);
    if (!output) {
      ++refused;
      if (first.empty()) first = fmt::format("case {}: {}", index, problem);
      continue;
    }
    ++compared;
    const bool same = same_bits(outcome.output, *output);
    identical += same ? 1 : 0;
    const auto oracle = oracle::Oracle::make(value, host.contract);
    const auto verdict = oracle->judge(*output);
    const bool failed = verdict.kind == VerdictKind::Fail;
    device_fails += failed ? 1 : 0;
    if (first.empty() && ((fixed && !same) || (failed && !host.is_faulty()))) {
      first = fmt::format("case {} (strategy {}){}", index, value.strategy,
                          failed ? ": " + verdict.failure->message : ": the bits differ");
    }
  }
  const bool agrees =
      compared > 0 && refused == 0 && (!fixed || identical == compared) && (host.is_faulty() || device_fails == 0);
  fmt::print("{:<5} {:<34} {:>7} cases  {:>7} identical  {:>6} failing on the GPU  {}\n", agrees ? "ok" : "FAIL",
             host.name, compared, identical, device_fails, agrees ? "" : first);
  std::fflush(stdout);
  return agrees;
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  using namespace negzero;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    fmt::print(stderr, "cuda_agreement: there is no GPU here\n");
    return std::getenv("NEGZERO_REQUIRE_GPU") != nullptr ? 1 : 77;
  }
  const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Device device;
  bool agrees = true;
  const std::string all = "*";
  for (const kernel::Kernel* host : kernel::registry().match(std::span(&all, 1), kernel::Executor::Host)) {
    const kernel::Kernel* cuda = kernel::registry().find(host->name, kernel::Executor::Cuda);
    if (cuda == nullptr) {
      fmt::print("FAIL  {} has no GPU build\n", host->name);
      agrees = false;
      continue;
    }
    // A loop that never ends cannot be stopped on a GPU but by ending the process.
    if (host->name.starts_with("faulty.A5")) continue;
    agrees = compare(*host, *cuda, cases, seed, device) && agrees;
  }
  return agrees ? 0 : 1;
}
