// Kernels with one fault each, and correct ones that look like them.

#include <cstring>

#include <negzero/simt/simt.hpp>

#include "watch_kernels.hpp"

namespace {

using negzero_tests::Stream;
using negzero_tests::WatchArgs;

__device__ unsigned global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Bounds

__global__ void copy_kernel(WatchArgs args) {
  const unsigned i = global_thread();
  if (i < 256) args.out[i] = args.in[i];
}
__global__ void read_past_kernel(WatchArgs args) { args.out[threadIdx.x] = args.in[threadIdx.x + 256 - 31]; }
__global__ void read_before_kernel(WatchArgs args) { args.out[threadIdx.x] = args.in[static_cast<int>(threadIdx.x) - 1]; }
__global__ void write_past_kernel(WatchArgs args) { args.out[threadIdx.x + 225] = 1.0f; }
__global__ void write_input_kernel(WatchArgs args) { const_cast<float*>(args.in)[threadIdx.x] = 1.0f; }
__global__ void read_null_kernel(WatchArgs args) {
  const float* nothing = args.in - reinterpret_cast<std::uintptr_t>(args.in) / sizeof(float);
  args.out[threadIdx.x] = nothing[threadIdx.x];
}
__global__ void read_wild_kernel(WatchArgs args) {
  args.out[threadIdx.x] = args.in[(1ll << 40) + threadIdx.x];
}
__global__ void read_past_shared_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  args.out[threadIdx.x] = cells[threadIdx.x + 1];
}
__global__ void write_past_dynamic_kernel(WatchArgs args) {
  NEGZERO_DYNAMIC_SHARED(float, cells);
  cells[threadIdx.x + 1] = args.in[threadIdx.x];
}
__global__ void misaligned_vector_kernel(WatchArgs args) {
  const float4 v = *reinterpret_cast<const float4*>(args.in + 1 + 4 * threadIdx.x);
  args.out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void aligned_vector_kernel(WatchArgs args) {
  const float4 v = reinterpret_cast<const float4*>(args.in)[threadIdx.x];
  args.out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// Initialisation

__global__ void uninitialised_shared_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [64]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  args.out[threadIdx.x] = cells[threadIdx.x + 1];
}
__global__ void uninitialised_output_kernel(WatchArgs args) { args.out[threadIdx.x] += args.in[threadIdx.x]; }
__global__ void uninitialised_scratch_kernel(WatchArgs args) {
  args.scratch[2 * threadIdx.x] = 1.0f;
  args.out[threadIdx.x] = args.scratch[2 * threadIdx.x + (threadIdx.x == 17 ? 1 : 0)];
}

// Races

__global__ void race_shared_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [256]);
  cells[threadIdx.x] = 0.0f;
  __syncthreads();
  cells[threadIdx.x] = args.in[threadIdx.x];
  args.out[threadIdx.x] = cells[threadIdx.x ^ 32];
}
__global__ void reverse_shared_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [256]);
  for (int round = 0; round < 3; ++round) {
    cells[threadIdx.x] = args.in[threadIdx.x] + static_cast<float>(round);
    __syncthreads();
    args.out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
  }
}
/// The second barrier of the loop is missing: R13.
__global__ void reuse_without_barrier_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [256]);
  for (int round = 0; round < 3; ++round) {
    cells[threadIdx.x] = args.in[threadIdx.x] + static_cast<float>(round);
    __syncthreads();
    args.out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
  }
}
__global__ void same_value_kernel(WatchArgs args) {
  NEGZERO_SHARED(int, flag, );
  flag = 1;
  __syncthreads();
  args.out[threadIdx.x] = static_cast<float>(flag);
}
__global__ void race_global_kernel(WatchArgs args) { args.out[0] = args.in[threadIdx.x]; }
__global__ void race_between_blocks_kernel(WatchArgs args) {
  if (threadIdx.x == 0) args.out[blockIdx.x / 2] = args.in[blockIdx.x];
}
__global__ void count_kernel(WatchArgs args) { atomicAdd(args.counter, 1u); }
__global__ void count_and_read_kernel(WatchArgs args) {
  atomicAdd(args.counter, 1u);
  args.out[global_thread()] = static_cast<float>(*args.counter);
}

/// atomicAdd of double as the CUDA C++ Programming Guide writes it.
__device__ void add_by_compare(double* address, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits;
  unsigned long long assumed;
  do {
    assumed = old;
    const double sum = value + __longlong_as_double(static_cast<long long>(assumed));
    old = atomicCAS(bits, assumed, static_cast<unsigned long long>(__double_as_longlong(sum)));
  } while (assumed != old);
}
__global__ void guide_loop_kernel(WatchArgs args) {
  auto* sums = reinterpret_cast<double*>(args.counter);
  for (unsigned i = 0; i < 3; ++i) add_by_compare(sums + (threadIdx.x + i) % 2, 1.0);
}
__global__ void guide_loop_shared_kernel(WatchArgs args) {
  NEGZERO_SHARED(double, sum, );
  if (threadIdx.x == 0) sum = 0.0;
  __syncthreads();
  add_by_compare(&sum, static_cast<double>(args.in[threadIdx.x]));
  __syncthreads();
  args.out[global_thread()] = static_cast<float>(sum);
}
/// Reads other places again and again between the first value and its compare and swap.
__global__ void other_reads_between_kernel(WatchArgs args) {
  unsigned old = *args.counter;
  unsigned sum = 0;
  for (int i = 0; i < args.n; ++i) sum += args.counter[2 + (i & 1)];
  unsigned assumed;
  do {
    assumed = old;
    old = atomicCAS(args.counter, assumed, assumed + sum + 1);
  } while (assumed != old);
}
/// Adds to one half of a word by compare and swap of the word. The first value is the word or the half alone.
template <bool kReadsHalf>
__global__ void halves_of_word_kernel(WatchArgs args) {
  const unsigned shift = threadIdx.x % 2 * 16;
  const auto* halves = reinterpret_cast<const unsigned short*>(args.counter);
  unsigned old = kReadsHalf ? static_cast<unsigned>(halves[threadIdx.x % 2]) << shift : *args.counter;
  unsigned assumed;
  do {
    assumed = old;
    const unsigned half = ((assumed >> shift) + 1) & 0xffffu;
    old = atomicCAS(args.counter, assumed, (assumed & ~(0xffffu << shift)) | half << shift);
  } while (assumed != old);
}
__global__ void compare_half_kernel(WatchArgs args) {
  auto* address = reinterpret_cast<unsigned short*>(args.counter) + threadIdx.x % 2;
  unsigned short old = *address;
  unsigned short assumed;
  do {
    assumed = old;
    old = atomicCAS(address, assumed, static_cast<unsigned short>(assumed + 1));
  } while (assumed != old);
}
/// Nothing checks that the counter is still what was read.
__global__ void read_then_add_kernel(WatchArgs args) {
  const unsigned seen = *args.counter;
  if (seen < 1000) atomicAdd(args.counter, 1u);
}
// One block, or one thread of it, reads; the others only add. So nothing but that read can be found.
__global__ void compare_elsewhere_kernel(WatchArgs args) {
  if (blockIdx.x != 0) {
    atomicAdd(args.counter, 1u);
  } else if (threadIdx.x == 0) {
    const unsigned old = *args.counter;
    atomicCAS(args.counter + 1, old, old + 1);
    atomicCAS(args.counter, old, old + 1);
  }
}
__global__ void compare_part_kernel(WatchArgs args) {
  if (blockIdx.x != 0) {
    atomicAdd(args.counter, 1u);
  } else if (threadIdx.x == 0) {
    const unsigned long long old = *reinterpret_cast<unsigned long long*>(args.counter);
    atomicCAS(args.counter, static_cast<unsigned>(old), static_cast<unsigned>(old) + 1);
  }
}
__global__ void compare_after_barrier_kernel(WatchArgs args) {
  if (blockIdx.x != 0) {
    atomicAdd(args.counter, 1u);
    return;
  }
  const unsigned old = *args.counter;
  __syncthreads();
  atomicCAS(args.counter, old, old + 1);
}
__global__ void compare_after_fence_kernel(WatchArgs args) {
  if (blockIdx.x != 0) {
    atomicAdd(args.counter, 1u);
  } else if (threadIdx.x == 0) {
    const unsigned old = *args.counter;
    __threadfence();
    atomicCAS(args.counter, old, old + 1);
  }
}
__global__ void compare_after_shuffle_kernel(WatchArgs args) {
  if (blockIdx.x != 0) {
    atomicAdd(args.counter, 1u);
    return;
  }
  const unsigned old = __shfl_xor_sync(0xffffffffu, *args.counter, 1);
  atomicCAS(args.counter, old, old + 1);
}
/// Leaves without a compare and swap where the first value is large enough.
__global__ void early_out_kernel(WatchArgs args) {
  unsigned old = *args.counter;
  while (old < threadIdx.x) {
    const unsigned assumed = old;
    old = atomicCAS(args.counter, assumed, threadIdx.x);
    if (old == assumed) break;
  }
}
__global__ void wait_for_plain_flag_kernel(WatchArgs args) {
  if (threadIdx.x == 0) atomicExch(args.counter, 1u);
  if (threadIdx.x == 32) {
    while (*args.counter == 0) __nanosleep(10);
  }
}
/// The setter is late, so that the loop goes round more than once: compilers copy its first read out of it.
__global__ void wait_then_compare_kernel(WatchArgs args) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < 8; ++i) __nanosleep(10);
    atomicExch(args.counter, 1u);
  }
  if (threadIdx.x == 32) {
    while (*args.counter == 0) __nanosleep(10);
    atomicCAS(args.counter, 1u, 0u);
  }
}
__global__ void histogram_without_barrier_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, bins, [4]);
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x / 8 % 4], 1u);
  if (threadIdx.x < 4) args.out[threadIdx.x] = static_cast<float>(bins[threadIdx.x]);
}
__global__ void count_barrier_read_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, total, );
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, 1u);
  __syncthreads();
  args.out[threadIdx.x] = static_cast<float>(total);
}
__global__ void histogram_then_clear_kernel(WatchArgs) {
  NEGZERO_SHARED(unsigned, total, );
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, 1u);
  if (threadIdx.x == 0) total = 0;
}
__global__ void read_modify_write_kernel(WatchArgs args) { args.counter[threadIdx.x % 4] += 1; }
__global__ void neighbouring_bytes_kernel(WatchArgs args) {
  auto* bytes = reinterpret_cast<unsigned char*>(args.scratch);
  bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  __syncthreads();
  args.out[threadIdx.x] = static_cast<float>(bytes[blockDim.x - 1 - threadIdx.x]);
}
__global__ void overlapping_words_kernel(WatchArgs args) {
  auto* bytes = reinterpret_cast<unsigned char*>(args.scratch);
  if (threadIdx.x == 0) args.scratch[3] = 1.0f;
  if (threadIdx.x == 40) bytes[14] = 1;
}

// Warps

__global__ void warp_tree_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncwarp();
  for (unsigned step = 16; step > 0; step /= 2) {
    if (threadIdx.x < step) cells[threadIdx.x] += cells[threadIdx.x + step];
    __syncwarp();
  }
  args.out[threadIdx.x] = cells[0];
}
/// Warp-synchronous code of old: R12.
__global__ void warp_tree_without_syncwarp_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  for (unsigned step = 16; step > 0; step /= 2) {
    if (threadIdx.x < step) cells[threadIdx.x] += cells[threadIdx.x + step];
  }
  args.out[threadIdx.x] = cells[0];
}
__global__ void partial_mask_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  if (threadIdx.x < 16) {
    cells[threadIdx.x] = args.in[threadIdx.x];
    __syncwarp(0x0000ffffu);
    args.out[threadIdx.x] = cells[15 - threadIdx.x];
  }
}
__global__ void wrong_mask_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  cells[threadIdx.x] = 0.0f;
  __syncwarp();
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
  args.out[threadIdx.x] = cells[31 - threadIdx.x];
}
__global__ void shuffle_orders_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  const float other = __shfl_xor_sync(0xffffffffu, args.in[threadIdx.x], 1);
  args.out[threadIdx.x] = cells[31 - threadIdx.x] + other;
}
__global__ void syncwarp_between_warps_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [256]);
  cells[threadIdx.x] = 0.0f;
  __syncthreads();
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncwarp();
  args.out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}

// Fences

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
__global__ void count_votes_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [256]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  const int votes = __syncthreads_count(args.in[threadIdx.x] > 0.0f);
  args.out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x] + static_cast<float>(votes);
}
__global__ void exit_then_barrier_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [256]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  if (threadIdx.x >= 64) return;
  __syncthreads();
  args.out[threadIdx.x] = cells[threadIdx.x + blockDim.x / 2];
}
__global__ void first_of_two_kernel(WatchArgs args) { args.scratch[global_thread()] = 1.0f; }
__global__ void second_of_two_kernel(WatchArgs args) {
  args.out[global_thread()] = args.scratch[255 - global_thread()];
}
/// An exchange initialises: what it returns may be ignored.
__global__ void atomics_of_floats_kernel(WatchArgs args) {
  atomicExch(args.scratch, 0.0f);
  atomicAdd(args.scratch, args.in[threadIdx.x]);
}
__global__ void uninitialised_atomic_kernel(WatchArgs args) { atomicAdd(args.scratch, args.in[threadIdx.x]); }
__global__ void misaligned_atomic_kernel(WatchArgs args) {
  auto* bytes = reinterpret_cast<char*>(args.counter) + 2;
  atomicAdd(reinterpret_cast<unsigned*>(bytes), 1u);
}
__global__ void local_array_kernel(WatchArgs args) {
  float values[24];
  for (int i = 0; i < 24; ++i) values[i] = args.in[threadIdx.x + static_cast<unsigned>(i)];
  int at = 0;
  for (int i = 1; i < 24; ++i) at = values[i] > values[at] ? i : at;
  args.out[threadIdx.x] = values[(at + static_cast<int>(threadIdx.x)) % 24];
}
__device__ float variable[64];
__global__ void variable_kernel(WatchArgs args) {
  variable[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  args.out[threadIdx.x] = variable[31 - threadIdx.x];
}
__global__ void race_on_variable_kernel(WatchArgs args) {
  variable[0] = args.in[threadIdx.x];
}

struct Entry {
  const char* name;
  void (*kernel)(WatchArgs);
};
constexpr Entry kKernels[] = {
    {"copy", copy_kernel},
    {"read_past", read_past_kernel},
    {"read_before", read_before_kernel},
    {"write_past", write_past_kernel},
    {"write_input", write_input_kernel},
    {"read_null", read_null_kernel},
    {"read_wild", read_wild_kernel},
    {"read_past_shared", read_past_shared_kernel},
    {"write_past_dynamic", write_past_dynamic_kernel},
    {"misaligned_vector", misaligned_vector_kernel},
    {"aligned_vector", aligned_vector_kernel},
    {"uninitialised_shared", uninitialised_shared_kernel},
    {"uninitialised_output", uninitialised_output_kernel},
    {"uninitialised_scratch", uninitialised_scratch_kernel},
    {"race_shared", race_shared_kernel},
    {"reverse_shared", reverse_shared_kernel},
    {"reuse_without_barrier", reuse_without_barrier_kernel},
    {"same_value", same_value_kernel},
    {"race_global", race_global_kernel},
    {"race_between_blocks", race_between_blocks_kernel},
    {"count", count_kernel},
    {"count_and_read", count_and_read_kernel},
    {"guide_loop", guide_loop_kernel},
    {"guide_loop_shared", guide_loop_shared_kernel},
    {"other_reads_between", other_reads_between_kernel},
    {"halves_of_word", halves_of_word_kernel<false>},
    {"halves_of_word_by_half", halves_of_word_kernel<true>},
    {"compare_half", compare_half_kernel},
    {"read_then_add", read_then_add_kernel},
    {"compare_elsewhere", compare_elsewhere_kernel},
    {"compare_part", compare_part_kernel},
    {"compare_after_barrier", compare_after_barrier_kernel},
    {"compare_after_fence", compare_after_fence_kernel},
    {"compare_after_shuffle", compare_after_shuffle_kernel},
    {"early_out", early_out_kernel},
    {"wait_for_plain_flag", wait_for_plain_flag_kernel},
    {"wait_then_compare", wait_then_compare_kernel},
    {"histogram_without_barrier", histogram_without_barrier_kernel},
    {"count_barrier_read", count_barrier_read_kernel},
    {"histogram_then_clear", histogram_then_clear_kernel},
    {"read_modify_write", read_modify_write_kernel},
    {"neighbouring_bytes", neighbouring_bytes_kernel},
    {"overlapping_words", overlapping_words_kernel},
    {"warp_tree", warp_tree_kernel},
    {"warp_tree_without_syncwarp", warp_tree_without_syncwarp_kernel},
    {"partial_mask", partial_mask_kernel},
    {"wrong_mask", wrong_mask_kernel},
    {"shuffle_orders", shuffle_orders_kernel},
    {"syncwarp_between_warps", syncwarp_between_warps_kernel},
    {"last_block", last_block_kernel<true, true, false>},
    {"last_block_no_fence", last_block_kernel<false, false, false>},
    {"last_block_no_first_fence", last_block_kernel<false, true, false>},
    {"last_block_no_second_fence", last_block_kernel<true, false, false>},
    {"last_block_block_fence", last_block_kernel<true, true, true>},
    {"last_block_all_threads", last_block_all_threads_kernel},
    {"flag", flag_kernel<true>},
    {"flag_no_fence", flag_kernel<false>},
    {"lock", lock_kernel<true>},
    {"lock_no_fence", lock_kernel<false>},
    {"fence_block_in_block", fence_block_in_block_kernel},
    {"volatile_both", volatile_both_kernel},
    {"count_votes", count_votes_kernel},
    {"exit_then_barrier", exit_then_barrier_kernel},
    {"first_of_two", first_of_two_kernel},
    {"second_of_two", second_of_two_kernel},
    {"atomics_of_floats", atomics_of_floats_kernel},
    {"uninitialised_atomic", uninitialised_atomic_kernel},
    {"misaligned_atomic", misaligned_atomic_kernel},
    {"local_array", local_array_kernel},
    {"variable", variable_kernel},
    {"race_on_variable", race_on_variable_kernel},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_watch_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  for (const Entry& entry : kKernels) {
    if (std::strcmp(entry.name, name) != 0) continue;
    negzero::launch(stream, entry.kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 128, args);
    return true;
  }
  return false;
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
