// Launches by the runtime's functions: cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaLaunchKernelEx, and
// cudaLaunchKernelExC.
//
// Arguments behind a void** are read by the kernel's parameters, so the kernel's type has to be there: the source step
// takes away a cast to void* that the author writes around its name (negzero/source/launch_calls). A launch by a mere
// void* does not compile.

#pragma once

#include <tuple>
#include <utility>

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributeProgrammaticEvent = 7,
  cudaLaunchAttributePriority = 8,
};
using cudaLaunchAttribute_id = cudaLaunchAttributeID;
union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative, programmaticStreamSerializationAllowed, priority;
  struct {
    unsigned x, y, z;
  } clusterDim;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[8 - sizeof(cudaLaunchAttributeID)];
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

namespace negzero {
inline namespace NEGZERO_BUILD {

/// Launches a kernel whose arguments are where `arguments` point.
template <typename... Parameters, std::size_t... i>
void launch_with(void (*kernel)(Parameters...), dim3 grid, dim3 block, [[maybe_unused]] void** arguments,
                 std::size_t dynamic_shared_bytes, std::index_sequence<i...>) {
  launch_of(kernel, grid, block,
            dynamic_shared_bytes)(*static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
}

/// Whether the host launches what `config` asks for: no clusters. If not, the case ends as one that the host cannot
/// run.
inline bool is_launchable(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& cluster = config.attrs[i].val.clusterDim;
    if (cluster.x * cluster.y * cluster.z <= 1) continue;
    if (auto* const stream = engine::Stream::of_wrapper()) {
      stream->fail(engine::LaunchStatus::NotThere, "a launch asks for clusters of blocks, which the host has not");
    }
    return false;
  }
  return true;
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero

inline namespace NEGZERO_BUILD {

template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t = nullptr) {
  negzero::launch_with(kernel, grid, block, arguments, dynamic_shared_bytes, std::index_sequence_for<Parameters...>{});
  return cudaSuccess;
}
template <typename... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                        std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cudaLaunchKernel(kernel, grid, block, arguments, dynamic_shared_bytes, stream);
}
template <typename... Parameters>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), void** arguments) {
  if (!negzero::is_launchable(*config)) return cudaErrorNotSupported;
  return cudaLaunchKernel(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes);
}
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  if (!negzero::is_launchable(*config)) return cudaErrorNotSupported;
  negzero::launch_of(kernel, config->gridDim, config->blockDim,
                     config->dynamicSmemBytes)(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  return cudaSuccess;
}

}  // namespace NEGZERO_BUILD
