// Kernels with accesses that no barrier and no warp operation orders, and correct ones that look like them.

#include "watch_kernels.cuh"

namespace {

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
__global__ void same_number_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [2]);
  cells[1] = 3.5f;
  __syncthreads();
  args.out[threadIdx.x] = cells[1];
}
__global__ void same_value_and_race_kernel(WatchArgs args) {
  NEGZERO_SHARED(int, flag, );
  NEGZERO_SHARED(float, cells, [64]);
  flag = 1;
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  cells[threadIdx.x ^ 1] = args.in[threadIdx.x];
  args.out[threadIdx.x] = cells[threadIdx.x];
}
__global__ void same_value_but_one_kernel(WatchArgs args) {
  NEGZERO_SHARED(int, flag, );
  flag = threadIdx.x == 17 ? 2 : 1;
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
/// Each thread has counted in one of the bins, and one clears both.
__global__ void histogram_then_clear_kernel(WatchArgs) {
  NEGZERO_SHARED(unsigned, bins, [2]);
  if (threadIdx.x < 2) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 2], 1u);
  if (threadIdx.x == 0) bins[0] = bins[1] = 0;
}
__global__ void read_modify_write_kernel(WatchArgs args) { args.counter[threadIdx.x % 4] += 1; }
__global__ void neighbouring_bytes_kernel(WatchArgs args) {
  auto* bytes = reinterpret_cast<unsigned char*>(args.scratch);
  bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  __syncthreads();
  args.out[threadIdx.x] = static_cast<float>(bytes[blockDim.x - 1 - threadIdx.x]);
}
/// The even bytes belong to one warp, the odd ones to another: no vector may span both.
__global__ void every_other_byte_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned char, bytes, [128]);
  if (threadIdx.x < 32) bytes[2 * threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 32) bytes[2 * threadIdx.x + 1] = 1;
  if (threadIdx.x == 32) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += bytes[2 * i];
    args.out[0] = static_cast<float>(sum);
  }
}
__global__ void overlapping_words_kernel(WatchArgs args) {
  auto* bytes = reinterpret_cast<unsigned char*>(args.scratch);
  if (threadIdx.x == 0) args.scratch[3] = 1.0f;
  if (threadIdx.x == 40) bytes[14] = 1;
}
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
enum class Exchange { Shuffle, Vote, Match, Reduce };
/// Lanes meet, and yet nothing orders their memory.
template <Exchange kExchange>
__global__ void exchange_as_syncwarp_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  cells[threadIdx.x] = 0.0f;
  __syncwarp();
  cells[threadIdx.x] = args.in[threadIdx.x];
  unsigned other = 0;
  if (kExchange == Exchange::Shuffle) other = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
  if (kExchange == Exchange::Vote) other = __ballot_sync(0xffffffffu, threadIdx.x < 3);
  if (kExchange == Exchange::Match) other = __match_any_sync(0xffffffffu, threadIdx.x);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if (kExchange == Exchange::Reduce) other = __reduce_add_sync(0xffffffffu, threadIdx.x);
#endif
  args.out[threadIdx.x] = cells[31 - threadIdx.x] + static_cast<float>(other);
}
enum class Meets { TooEarly, TooLate, InHalves, InTurn, AndRace };
/// Lanes meet, though not both of a race between its two accesses.
template <Meets kMeets>
__global__ void meets_in_vain_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  const unsigned lane = threadIdx.x;
  const bool low = lane < 16;
  cells[lane] = 0.0f;
  __syncwarp();
  int other = 0;
  if (kMeets == Meets::TooEarly) other = __shfl_xor_sync(0xffffffffu, 1, 1);
  cells[lane] = args.in[lane];
  if (kMeets == Meets::InHalves || kMeets == Meets::InTurn) {
    other = __shfl_xor_sync(low ? 0x0000ffffu : 0xffff0000u, 1, 1);
  }
  // Lane 0 has met lane 1, and then lane 1 meets lane 31.
  if (kMeets == Meets::InTurn && (lane == 1 || lane == 31)) other = __shfl_sync(0x80000002u, 1, 1);
  if (kMeets == Meets::AndRace) {
    other = __shfl_xor_sync(0xffffffffu, 1, 1);
    args.out[lane] = cells[lane ^ 1];
    if (lane < 2) args.scratch[0] = static_cast<float>(lane);
  }
  if (kMeets != Meets::AndRace) args.out[lane] = cells[31 - lane];
  if (kMeets == Meets::TooLate) other = __shfl_xor_sync(0xffffffffu, 1, 1);
  args.scratch[lane + 1] = static_cast<float>(other);
}
enum class First { Write, Read, WriteBesideRead };
/// Lanes 0 and 1 meet and access one cell, then lanes 1 and 2 synchronise and lane 2 accesses it: as little ordered
/// behind lane 0 as before.
template <First kFirst, bool kAtomic>
__global__ void third_lane_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, cell, );
  const unsigned lane = threadIdx.x;
  if (lane == 0) cell = 0u;
  __syncwarp();
  unsigned seen = 0;
  if (kFirst == First::WriteBesideRead && lane == 1) seen = cell;
  if (kFirst == First::WriteBesideRead) __syncwarp();
  if (lane == 0) {
    if (kFirst == First::Read) seen = cell;
    if (kFirst != First::Read) cell = 1u;
  }
  if (lane < 2) seen += __shfl_sync(0x3u, 1, 0);
  if (kFirst == First::WriteBesideRead && lane == 0) seen += cell;
  if (kFirst == First::WriteBesideRead && lane < 2) seen += __shfl_sync(0x3u, 1, 0);
  if (lane == 1) cell = 2u;
  if (lane == 1 || lane == 2) __syncwarp(0x6u);
  if (lane == 2 && kAtomic) atomicAdd(&cell, 1u);
  if (lane == 2 && !kAtomic) {
    if (kFirst == First::Read) cell = 3u;
    if (kFirst != First::Read) seen = cell;
  }
  args.scratch[lane] = static_cast<float>(seen);
}
/// Lane 1 writes behind lane 0, which it has met, and hands that on to lane 3 alone. Lane 2, ordered behind both
/// writes, counts in between: no reason to forget the write of lane 0.
__global__ void count_behind_two_writes_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, cell, );
  const unsigned lane = threadIdx.x;
  if (lane == 0) cell = 1u;
  int seen = 0;
  if (lane < 2) seen = __shfl_sync(0x3u, 1, 0);
  if (lane == 1) cell = 2u;
  if (lane == 1 || lane == 3) __syncwarp(0xau);
  if (lane < 3) __syncwarp(0x7u);
  if (lane == 2) atomicAdd(&cell, 1u);
  if (lane == 3) atomicAdd(&cell, 1u);
  args.scratch[lane] = static_cast<float>(seen);
}
/// Lanes that read each other's cells and meet by shuffles and votes alone, for many rounds.
__global__ void meets_often_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  const unsigned lane = threadIdx.x;
  cells[lane] = args.in[lane];
  int other = 0;
  for (int round = 0; round < 300; ++round) {
    other += __shfl_xor_sync(0xffffffffu, round, 1);
    const float sum = cells[lane] + cells[(lane + round) % 32];
    other += __any_sync(0xffffffffu, round);
    cells[lane] = sum * 0.5f;
  }
  args.out[lane] = cells[lane] + static_cast<float>(other);
}
/// All lanes store one same value, one after the other.
__global__ void same_value_in_turn_kernel(WatchArgs args) {
  for (unsigned turn = 0; turn < 32; ++turn) {
    if (threadIdx.x == turn) args.out[0] = 1.0f;
    args.scratch[threadIdx.x] = static_cast<float>(__ballot_sync(0xffffffffu, turn > 3));
  }
}
__global__ void syncwarp_between_warps_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [256]);
  cells[threadIdx.x] = 0.0f;
  __syncthreads();
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncwarp();
  args.out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
/// All read; then one thread writes, which knows only of its own warp's reads.
__global__ void readers_of_warps_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cell, );
  if (threadIdx.x == 0) cell = args.in[0];
  __syncthreads();
  args.out[threadIdx.x] = cell;
  __syncwarp();
  if (threadIdx.x == 0) cell = 1.0f;
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
__device__ float variable[64];
__global__ void variable_kernel(WatchArgs args) {
  variable[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  args.out[threadIdx.x] = variable[31 - threadIdx.x];
}
__global__ void race_on_variable_kernel(WatchArgs args) { variable[0] = args.in[threadIdx.x]; }
/// The other warp writes `kind` in the first round, in which `full` is 0 and nobody reads it.
template <typename T>
__global__ void second_member_kernel(WatchArgs args) {
  NEGZERO_SHARED(Header<T>, headers, [32]);
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) headers[lane].full = headers[lane].kind = 0;
  __syncthreads();
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x >= 32) {
      if (round == 0) headers[lane].kind = 1;
    } else {
      const Header<T>* header = &headers[lane];
      args.out[lane] = header->full == 1 && header->kind == 1 ? 1.0f : 0.0f;
      headers[lane].full = 1;
    }
    __syncthreads();
  }
}
/// Counted atomically while nobody reads it.
__global__ void second_member_counts_kernel(WatchArgs args) {
  NEGZERO_SHARED(Header<unsigned>, headers, [32]);
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) headers[lane].full = headers[lane].kind = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    atomicAdd(&headers[lane].kind, 1u);
  } else {
    const Header<unsigned>* header = &headers[lane];
    args.out[lane] = header->full == 1 && header->kind == 1 ? 1.0f : 0.0f;
  }
}
/// Both members are written, one after another, and one at least is read.
template <typename T>
__global__ void both_members_kernel(WatchArgs args) {
  NEGZERO_SHARED(Header<T>, headers, [32]);
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) headers[lane].full = headers[lane].kind = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    headers[lane].full = static_cast<T>(args.in[lane]);
    headers[lane].kind = static_cast<T>(args.in[lane + 1]);
  } else {
    const Header<T>* header = &headers[lane];
    args.out[lane] = header->full == 1 && header->kind == 1 ? 1.0f : 0.0f;
  }
}
/// Each byte of a word races with another thread.
__global__ void bytes_of_word_kernel(WatchArgs args) {
  NEGZERO_SHARED(unsigned, word, );
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  if (threadIdx.x < 4) reinterpret_cast<unsigned char*>(&word)[threadIdx.x] = 1;
  if (threadIdx.x == 32) args.out[0] = static_cast<float>(word);
}

constexpr WatchEntry kKernels[] = {
    {"race_shared", race_shared_kernel},
    {"reverse_shared", reverse_shared_kernel},
    {"reuse_without_barrier", reuse_without_barrier_kernel},
    {"same_value", same_value_kernel},
    {"same_number", same_number_kernel},
    {"same_value_and_race", same_value_and_race_kernel},
    {"same_value_but_one", same_value_but_one_kernel},
    {"race_global", race_global_kernel},
    {"race_between_blocks", race_between_blocks_kernel},
    {"count", count_kernel},
    {"count_and_read", count_and_read_kernel},
    {"histogram_without_barrier", histogram_without_barrier_kernel},
    {"count_barrier_read", count_barrier_read_kernel},
    {"histogram_then_clear", histogram_then_clear_kernel},
    {"read_modify_write", read_modify_write_kernel},
    {"neighbouring_bytes", neighbouring_bytes_kernel},
    {"every_other_byte", every_other_byte_kernel},
    {"overlapping_words", overlapping_words_kernel},
    {"warp_tree", warp_tree_kernel},
    {"warp_tree_without_syncwarp", warp_tree_without_syncwarp_kernel},
    {"partial_mask", partial_mask_kernel},
    {"wrong_mask", wrong_mask_kernel},
    {"meets_too_early", meets_in_vain_kernel<Meets::TooEarly>},
    {"meets_too_late", meets_in_vain_kernel<Meets::TooLate>},
    {"meets_in_halves", meets_in_vain_kernel<Meets::InHalves>},
    {"meets_in_turn", meets_in_vain_kernel<Meets::InTurn>},
    {"meets_and_race", meets_in_vain_kernel<Meets::AndRace>},
    {"third_lane_after_write", third_lane_kernel<First::Write, false>},
    {"third_lane_after_read", third_lane_kernel<First::Read, false>},
    {"third_lane_after_both", third_lane_kernel<First::WriteBesideRead, false>},
    {"third_lane_atomic", third_lane_kernel<First::Write, true>},
    {"third_lane_atomic_after_read", third_lane_kernel<First::Read, true>},
    {"count_behind_two_writes", count_behind_two_writes_kernel},
    {"meets_often", meets_often_kernel},
    {"same_value_in_turn", same_value_in_turn_kernel},
    {"shuffle_as_syncwarp", exchange_as_syncwarp_kernel<Exchange::Shuffle>},
    {"vote_as_syncwarp", exchange_as_syncwarp_kernel<Exchange::Vote>},
    {"match_as_syncwarp", exchange_as_syncwarp_kernel<Exchange::Match>},
    {"reduce_as_syncwarp", exchange_as_syncwarp_kernel<Exchange::Reduce>},
    {"syncwarp_between_warps", syncwarp_between_warps_kernel},
    {"readers_of_warps", readers_of_warps_kernel},
    {"count_votes", count_votes_kernel},
    {"exit_then_barrier", exit_then_barrier_kernel},
    {"first_of_two", first_of_two_kernel},
    {"second_of_two", second_of_two_kernel},
    {"atomics_of_floats", atomics_of_floats_kernel},
    {"variable", variable_kernel},
    {"race_on_variable", race_on_variable_kernel},
    {"second_member_8", second_member_kernel<unsigned char>},
    {"second_member_16", second_member_kernel<unsigned short>},
    {"second_member_32", second_member_kernel<unsigned>},
    {"second_member_counts", second_member_counts_kernel},
    {"both_members_8", both_members_kernel<unsigned char>},
    {"both_members_16", both_members_kernel<unsigned short>},
    {"both_members_32", both_members_kernel<unsigned>},
    {"bytes_of_word", bytes_of_word_kernel},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_race_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  return run_entry(kKernels, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
