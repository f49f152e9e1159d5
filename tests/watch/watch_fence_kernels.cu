// Kernels that pass values on by fences and atomics, with and without what that takes.

#include "watch_kernels.cuh"

namespace {

/// The last block adds what all have left (CUDA's threadFenceReduction, with the second fence).
template <bool kFirstFence, bool kSecondFence, bool kBlockScope>
__global__ void last_block_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, ticket, );
  if (threadIdx.x == 0) {
    args.scratch[blockIdx.x] = args.in[blockIdx.x];
    if (kFirstFence) {
      if (kBlockScope) {
        __threadfence_block();
      } else {
        __threadfence();
      }
    }
    ticket = atomicAdd(args.counter, 1u);
    if (kSecondFence) __threadfence();
  }
  __syncthreads();
  if (ticket != gridDim.x - 1 || threadIdx.x != 0) return;
  float sum = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += args.scratch[i];
  args.out[0] = sum;
}
/// All threads write and fence, then one counts, and all threads of the last block read.
__global__ void last_block_all_threads_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, ticket, );
  args.scratch[global_thread()] = 1.0f;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) ticket = atomicInc(args.counter, gridDim.x);
  __syncthreads();
  if (ticket != gridDim.x - 1) return;
  __threadfence();
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) sum += args.scratch[i];
  args.out[threadIdx.x] = sum;
}
/// The last of all sets the counter back by a plain store (the CUDA C++ Programming Guide's example, "Memory Fence
/// Functions").
__global__ void reset_by_last_kernel(WatchArgs args) {
  if (atomicInc(args.counter, 1000u) == gridDim.x * blockDim.x - 1) *args.counter = 0;
}
__global__ void reset_by_first_kernel(WatchArgs args) {
  if (atomicAdd(args.counter, 1u) == 0) *args.counter = 0;
}
/// The thread that stores has not done an atomic itself.
__global__ void reset_by_bystander_kernel(WatchArgs args) {
  if (threadIdx.x != 32) {
    atomicAdd(args.counter, 1u);
  } else if (blockIdx.x == 1) {
    *args.counter = 0;
  }
}
/// What the last one knows is the end of the chain; an atomic load is no part of it.
__global__ void reset_beside_load_kernel(WatchArgs args) {
  if (threadIdx.x == 32) args.out[blockIdx.x] = static_cast<float>(*static_cast<volatile unsigned*>(args.counter));
  if (threadIdx.x == 0 && atomicAdd(args.counter, 1u) == gridDim.x - 1) *args.counter = 0;
}
/// A volatile store does not observe what it overwrites.
__global__ void reset_after_store_kernel(WatchArgs args) {
  if (threadIdx.x == 30) *static_cast<volatile unsigned*>(args.counter) = 7;
  if (threadIdx.x != 30) atomicAdd(args.counter, 1u);
  if (threadIdx.x == 31) *args.counter = 0;
}
/// Of a word, only the half that all count in is known.
__global__ void reset_of_other_size_kernel(WatchArgs args) {
  auto* half = reinterpret_cast<unsigned short*>(args.counter);
  if (threadIdx.x == 0) atomicCAS(half, static_cast<unsigned short>(0), static_cast<unsigned short>(1));
  if (threadIdx.x == 31) {
    atomicAdd(args.counter, 1u);
    *args.counter = 0;
  }
}
template <bool kFence>
__global__ void flag_kernel(WatchArgs args) {
  auto* flag = static_cast<volatile unsigned*>(args.counter);
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    args.scratch[0] = 42.0f;
    if (kFence) __threadfence();
    *flag = 1;
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    if (kFence) __threadfence();
    args.out[blockIdx.x] = args.scratch[0];
  }
}
/// A lock by compare and exchange around a plain addition.
template <bool kFence>
__global__ void lock_kernel(WatchArgs args) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(args.counter, 0u, 1u) != 0u) __nanosleep(10);
  if (kFence) __threadfence();
  args.scratch[0] = blockIdx.x == 0 ? 0.0f : 1.0f;
  if (kFence) __threadfence();
  atomicExch(args.counter, 0u);
}
__global__ void fence_block_in_block_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, flag, );
  NEGZERO_SHARED(float, value, );
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 5.0f;
    __threadfence_block();
    atomicExch(&flag, 1u);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&flag, 0u) == 0u) __nanosleep(10);
    __threadfence_block();
    args.out[0] = value;
  }
}
__global__ void volatile_both_kernel(WatchArgs args) {
  auto* cell = static_cast<volatile float*>(args.scratch);
  cell[0] = args.in[threadIdx.x];
  args.out[threadIdx.x] = cell[0];
}

constexpr WatchEntry kKernels[] = {
    {"last_block", last_block_kernel<true, true, false>},
    {"last_block_no_fence", last_block_kernel<false, false, false>},
    {"last_block_no_first_fence", last_block_kernel<false, true, false>},
    {"last_block_no_second_fence", last_block_kernel<true, false, false>},
    {"last_block_block_fence", last_block_kernel<true, true, true>},
    {"last_block_all_threads", last_block_all_threads_kernel},
    {"reset_by_last", reset_by_last_kernel},
    {"reset_by_first", reset_by_first_kernel},
    {"reset_by_bystander", reset_by_bystander_kernel},
    {"reset_beside_load", reset_beside_load_kernel},
    {"reset_after_store", reset_after_store_kernel},
    {"reset_of_other_size", reset_of_other_size_kernel},
    {"flag", flag_kernel<true>},
    {"flag_no_fence", flag_kernel<false>},
    {"lock", lock_kernel<true>},
    {"lock_no_fence", lock_kernel<false>},
    {"fence_block_in_block", fence_block_in_block_kernel},
    {"volatile_both", volatile_both_kernel},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_fence_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  return run_entry(kKernels, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
