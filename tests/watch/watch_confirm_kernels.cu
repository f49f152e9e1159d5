// Plain reads beside atomics: those that a compare and swap confirms, and those that nothing does.

#include "watch_kernels.cuh"

namespace {

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
/// Adds to a 16-bit number by the word around it, as PyTorch's gpuAtomicAdd of __half does.
__device__ void add_by_word(unsigned short* address, unsigned short value) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto* word = reinterpret_cast<unsigned*>(at - (at & 2));
  unsigned old = *word;
  unsigned assumed;
  do {
    assumed = old;
    const unsigned shift = (at & 2) != 0 ? 16 : 0;
    const unsigned sum = ((old >> shift) + value) & 0xffffu;
    old = atomicCAS(word, assumed, (old & ~(0xffffu << shift)) | sum << shift);
  } while (assumed != old);
}
__global__ void halves_kernel(WatchArgs args) {
  for (unsigned i = 0; i < 5; ++i) add_by_word(args.halves + (threadIdx.x + i) % 5, 1);
}
/// The first and the last of each row have no neighbour in their words.
__global__ void halves_of_rows_kernel(WatchArgs args) {
  for (unsigned i = 0; i < 12; ++i) {
    const unsigned element = (threadIdx.x + i) % 12;
    add_by_word(args.rows + 1 + element / 4 * 6 + element % 4, 1);
  }
}
/// Swaps the word around that element of `rows` and changes what lies beside it.
template <unsigned kElement>
__global__ void half_beside_written_kernel(WatchArgs args) {
  auto* word = reinterpret_cast<unsigned*>(args.rows + kElement / 2 * 2);
  const unsigned old = *word;
  atomicCAS(word, old, old + 0x10001u);
}
template <unsigned kElement>
__global__ void half_beside_read_kernel(WatchArgs args) {
  const unsigned word = *reinterpret_cast<const unsigned*>(args.rows + kElement / 2 * 2);
  args.out[threadIdx.x] = static_cast<float>(word & 0xffffu);
}
__global__ void half_of_padding_alone_kernel(WatchArgs args) {
  auto* half = args.rows + 5;
  atomicCAS(half, static_cast<unsigned short>(0), static_cast<unsigned short>(0));
}
__global__ void half_word_read_kernel(WatchArgs args) {
  const unsigned word = *reinterpret_cast<const unsigned*>(args.halves + 4);
  args.out[threadIdx.x] = static_cast<float>(word & 0xffffu);
}
__global__ void half_word_read_then_other_kernel(WatchArgs args) {
  const unsigned word = *reinterpret_cast<const unsigned*>(args.halves + 4);
  atomicCAS(args.counter, word, word + 1);
}
__global__ void half_word_swapped_whole_kernel(WatchArgs args) {
  auto* word = reinterpret_cast<unsigned*>(args.halves + 4);
  atomicCAS(word, 0u, 0x10000u);
}
__global__ void half_word_added_kernel(WatchArgs args) { atomicAdd(reinterpret_cast<unsigned*>(args.halves + 4), 1u); }
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
  auto* both = reinterpret_cast<unsigned long long*>(args.counter);
  if (blockIdx.x != 0) {
    atomicAdd(both, 1ull);
  } else if (threadIdx.x == 0) {
    const unsigned long long old = *both;
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

constexpr WatchEntry kKernels[] = {
    {"guide_loop", guide_loop_kernel},
    {"halves", halves_kernel},
    {"halves_of_rows", halves_of_rows_kernel},
    {"half_before_offset_written", half_beside_written_kernel<1>},
    {"half_behind_row_written", half_beside_written_kernel<4>},
    {"half_before_row_written", half_beside_written_kernel<7>},
    {"half_past_rows_written", half_beside_written_kernel<16>},
    {"half_before_offset_read", half_beside_read_kernel<1>},
    {"half_behind_row_read", half_beside_read_kernel<4>},
    {"half_before_row_read", half_beside_read_kernel<7>},
    {"half_past_rows_read", half_beside_read_kernel<16>},
    {"half_of_padding_alone", half_of_padding_alone_kernel},
    {"half_word_read", half_word_read_kernel},
    {"half_word_read_then_other", half_word_read_then_other_kernel},
    {"half_word_swapped_whole", half_word_swapped_whole_kernel},
    {"half_word_added", half_word_added_kernel},
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
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_confirm_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  return run_entry(kKernels, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
