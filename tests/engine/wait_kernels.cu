// Kernels that wait: barriers, warp operations, spinning.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"

namespace {

using negzero_tests::ShuffleKind;
using negzero_tests::VoteKind;

__global__ void different_barriers_kernel(int first) {
  if (blockIdx.x < 1) return;
  if (static_cast<int>(threadIdx.x) < first) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

// clang-format off
__global__ void two_barriers_on_a_line_kernel(int first) {
  if (static_cast<int>(threadIdx.x) < first) { __syncthreads(); } else { __syncthreads(); }
}
// clang-format on

__global__ void exit_before_barrier_kernel(int live, int* out) {
  NEGZERO_SHARED(int, cells, [1024]);
  const int i = static_cast<int>(threadIdx.x);
  if (i >= live) return;
  cells[i] = i;
  __syncthreads();
  out[i] = cells[live - 1 - i];
}

__global__ void barrier_against_warp_kernel() {
  if (threadIdx.x % 32 < 4) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

__global__ void barrier_votes_kernel(int modulus, int* counts, int* alls, int* anys) {
  const int i = static_cast<int>(threadIdx.x);
  counts[i] = __syncthreads_count(i % modulus == 0);
  alls[i] = __syncthreads_and(i % modulus == 0);
  anys[i] = __syncthreads_or(i % modulus == modulus - 1);
}

__global__ void spin_forever_kernel(unsigned* flag) {
  if (blockIdx.x != gridDim.x - 1 || threadIdx.x != blockDim.x - 1) return;
  while (atomicCAS(flag, 1u, 1u) != 1u) {
  }
}

__global__ void count_tries_forever_kernel(unsigned* words) {
  while (atomicAdd(&words[0], 0u) == 0u) atomicAdd(&words[1], 1u);
}

/// One thread looks whether it is to stop after each step of its work; all others wait for it.
__global__ void look_while_working_kernel(int steps, unsigned* words) {
  if (threadIdx.x > 0) {
    while (atomicAdd(&words[1], 0u) == 0u) {
    }
    return;
  }
  unsigned done = 0;
  for (int i = 0; i < steps && atomicAdd(&words[0], 0u) == 0u; ++i) ++done;
  atomicExch(&words[1], done);
}

__global__ void wait_for_cycles_kernel(long long cycles, int* out) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  atomicAdd(out, 1);
}

/// Block i waits until block i + 1 has raised its flag, so the last one must run while all others wait.
__global__ void wait_for_other_block_kernel(unsigned* flags) {
  const unsigned next = blockIdx.x + 1;
  if (next < gridDim.x) {
    while (atomicAdd(&flags[next], 0u) == 0u) __nanosleep(20);
  }
  atomicExch(&flags[blockIdx.x], 1u);
}

/// Block i waits until block i + 1 has raised its flag, all its threads together at barriers while one of them looks.
__global__ void wait_for_other_block_at_barriers_kernel(unsigned* flags) {
  NEGZERO_SHARED(unsigned, seen);
  const unsigned next = blockIdx.x + 1;
  bool ready = next == gridDim.x;
  while (!ready) {
    if (threadIdx.x == 0) seen = atomicAdd(&flags[next], 0u);
    __syncthreads();
    ready = seen != 0u;
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1u);
}

/// Each warp but `first` waits until the one before it (in a circle) has raised its flag, its lanes together at
/// __syncwarp while one of them looks.
__global__ void wait_for_other_warp_kernel(unsigned first, unsigned* flags) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, before = (warp + warps - 1) % warps;
  bool ready = warp == first;
  while (!ready) {
    unsigned seen = 0;
    if (threadIdx.x % 32 == 0) seen = atomicAdd(&flags[before], 0u);
    ready = __shfl_sync(0xffffffffu, seen, 0) != 0u;
  }
  if (threadIdx.x % 32 == 0) atomicExch(&flags[warp], 1u);
}

/// Each thread waits for the next one, the last for the first.
__global__ void wait_for_each_other_kernel(unsigned* flags) {
  const unsigned next = (threadIdx.x + 1) % blockDim.x;
  while (atomicAdd(&flags[next], 0u) == 0u) __nanosleep(20);
  atomicExch(&flags[threadIdx.x], 1u);
}

__global__ void shuffle_kernel(ShuffleKind kind, int width, unsigned mask, const int* operands, const unsigned* in,
                               unsigned* out) {
  const unsigned i = threadIdx.x;
  if ((mask >> (i % 32) & 1) == 0) return;
  const unsigned value = in[i];
  const int operand = operands[i];
  switch (kind) {
    case ShuffleKind::Index:
      out[i] = __shfl_sync(mask, value, operand, width);
      break;
    case ShuffleKind::Up:
      out[i] = __shfl_up_sync(mask, value, static_cast<unsigned>(operand), width);
      break;
    case ShuffleKind::Down:
      out[i] = __shfl_down_sync(mask, value, static_cast<unsigned>(operand), width);
      break;
    case ShuffleKind::Xor:
      out[i] = __shfl_xor_sync(mask, value, operand, width);
      break;
  }
}

__global__ void shuffle_double_kernel(int delta, const double* in, double* out) {
  const unsigned i = threadIdx.x;
  out[i] = __shfl_down_sync(0xffffffffu, in[i], static_cast<unsigned>(delta));
}

__global__ void vote_kernel(VoteKind kind, unsigned mask, const unsigned* in, unsigned* out) {
  const unsigned i = threadIdx.x;
  if ((mask >> (i % 32) & 1) == 0) return;
  const unsigned value = in[i];
  const int truth = static_cast<int>(value & 1u);
  int all_match = 0;
  switch (kind) {
    case VoteKind::Ballot:
      out[i] = __ballot_sync(mask, truth);
      break;
    case VoteKind::Any:
      out[i] = static_cast<unsigned>(__any_sync(mask, truth));
      break;
    case VoteKind::All:
      out[i] = static_cast<unsigned>(__all_sync(mask, truth));
      break;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    case VoteKind::ReduceAdd:
      out[i] = __reduce_add_sync(mask, value);
      break;
    case VoteKind::ReduceMin:
      out[i] = static_cast<unsigned>(__reduce_min_sync(mask, static_cast<int>(value)));
      break;
    case VoteKind::ReduceMax:
      out[i] = __reduce_max_sync(mask, value);
      break;
    case VoteKind::ReduceXor:
      out[i] = __reduce_xor_sync(mask, value);
      break;
#endif
    case VoteKind::MatchAny:
      out[i] = __match_any_sync(mask, value & 3u);
      break;
    case VoteKind::MatchAll:
      out[i] = __match_all_sync(mask, value, &all_match);
      out[i] = all_match != 0 ? out[i] : out[i] + 0x100u;
      break;
    default:
      break;
  }
}

/// The two halves of each warp do different numbers of rounds with masks of their own, then meet.
__global__ void uneven_shuffles_kernel(const int* in, int* out) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  int value = in[threadIdx.x];
  for (unsigned round = 0; round < (lane < 16 ? 3u : 5u); ++round)
    value += __shfl_xor_sync(mask, value, 1 << (round % 4));
  __syncwarp();
  value += __shfl_sync(0xffffffffu, value, 31 - static_cast<int>(lane));
  out[threadIdx.x] = value;
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void different_barriers(Stream& stream, int blocks, int threads, int first) {
  negzero::launch(stream, different_barriers_kernel, blocks, threads, 0, first);
}

void two_barriers_on_a_line(Stream& stream, int threads, int first) {
  negzero::launch(stream, two_barriers_on_a_line_kernel, 1, threads, 0, first);
}

void exit_before_barrier(Stream& stream, int threads, int live, int* out) {
  negzero::launch(stream, exit_before_barrier_kernel, 1, threads, 0, live, out);
}

void barrier_against_warp(Stream& stream, int threads) {
  negzero::launch(stream, barrier_against_warp_kernel, 1, threads, 0);
}

void barrier_votes(Stream& stream, int threads, int modulus, int* counts, int* alls, int* anys) {
  negzero::launch(stream, barrier_votes_kernel, 1, threads, 0, modulus, counts, alls, anys);
}

void spin_forever(Stream& stream, int blocks, int threads, unsigned* flag) {
  negzero::launch(stream, spin_forever_kernel, blocks, threads, 0, flag);
}

void count_tries_forever(Stream& stream, int threads, unsigned* words) {
  negzero::launch(stream, count_tries_forever_kernel, 1, threads, 0, words);
}

void look_while_working(Stream& stream, int threads, int steps, unsigned* words) {
  negzero::launch(stream, look_while_working_kernel, 1, threads, 0, steps, words);
}

void wait_for_cycles(Stream& stream, int threads, long long cycles, int* out) {
  negzero::launch(stream, wait_for_cycles_kernel, 1, threads, 0, cycles, out);
}

void wait_for_other_block(Stream& stream, int blocks, unsigned* flags) {
  negzero::launch(stream, wait_for_other_block_kernel, blocks, 1, 0, flags);
}

void wait_for_other_block_at_barriers(Stream& stream, int blocks, int threads, unsigned* flags) {
  negzero::launch(stream, wait_for_other_block_at_barriers_kernel, blocks, threads, 0, flags);
}

void wait_for_other_warp(Stream& stream, int threads, int first, unsigned* flags) {
  negzero::launch(stream, wait_for_other_warp_kernel, 1, threads, 0, static_cast<unsigned>(first), flags);
}

void wait_for_each_other(Stream& stream, int threads, unsigned* flags) {
  negzero::launch(stream, wait_for_each_other_kernel, 1, threads, 0, flags);
}

void shuffle(Stream& stream, ShuffleKind kind, int threads, int width, unsigned mask, const int* operands,
             const std::uint32_t* in, std::uint32_t* out) {
  negzero::launch(stream, shuffle_kernel, 1, threads, 0, kind, width, mask, operands, in, out);
}

void shuffle_double(Stream& stream, int threads, int delta, const double* in, double* out) {
  negzero::launch(stream, shuffle_double_kernel, 1, threads, 0, delta, in, out);
}

void vote(Stream& stream, VoteKind kind, int threads, unsigned mask, const unsigned* in, unsigned* out) {
  negzero::launch(stream, vote_kernel, 1, threads, 0, kind, mask, in, out);
}

void uneven_shuffles(Stream& stream, int threads, const int* in, int* out) {
  negzero::launch(stream, uneven_shuffles_kernel, 1, threads, 0, in, out);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
