// A kernel that only nvcc can read: plain CUDA, with a launch as CUDA spells it and PTX.

#include <negzero/kernel/kernel.hpp>

namespace {

using namespace negzero;

__global__ void largest_kernel(const float* x, float* y, long long rows, long long columns) {
  __shared__ float best[1];
  best[0] = -INFINITY;
  for (long long column = 0; column < columns; ++column) {
    float larger;
    asm("max.f32 %0, %1, %2;" : "=f"(larger) : "f"(best[0]), "f"(x[blockIdx.x * columns + column]));
    best[0] = larger;
  }
  y[blockIdx.x] = best[0];
}

kernel::LaunchResult launch_largest(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto rows = args.extent("rows");
  if (rows == 0 || !stream.begin_launch()) return kernel::LaunchResult::launched();
  largest_kernel<<<static_cast<unsigned>(rows), 1, 0, static_cast<cudaStream_t>(stream.handle())>>>(
      args.operand("x").as<const float>(), args.operand("y").as<float>(), rows, args.extent("columns"));
  const cudaError_t error = cudaGetLastError();
  stream.record_device_error(error, cudaGetErrorString(error));
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "plain.largest",
    .operation = "reduce.max",
    .contract = {.nan = contract::NanPolicy::Ignore, .all_nan = contract::AllNan::Identity},
    .limits = {.formats = {{number::FormatId::F32, number::FormatId::F32}},
               .inputs = {.order = operation::LayoutOrder::Packed},
               .output = {.order = operation::LayoutOrder::Packed}},
    .launch = launch_largest,
});

}  // namespace
