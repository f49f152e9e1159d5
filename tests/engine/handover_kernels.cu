// Correct kernels that hand something on: whoever is waited for must have turns, in its block or in another one.

#include "lock_kernels.cuh"

namespace {

/// Vyukov's bounded queue for many producers and consumers, of 4 cells: even threads put in, odd ones take out.
__global__ void bounded_queue_kernel(LockArgs args) {
  constexpr unsigned kCells = 4;
  unsigned* const put = &args.sync[0];
  unsigned* const got = &args.sync[1];
  unsigned* const turns = &args.sync[2];  // of each cell: how often it has been filled and emptied
  const bool produces = global_thread() % 2 == 0;
  for (unsigned round = 0; round < args.rounds; ++round) {
    unsigned* const end = produces ? put : got;
    unsigned at = load(end);
    while (true) {
      const unsigned wanted = 2 * (at / kCells) + (produces ? 0 : 1);
      const unsigned turn = load(&turns[at % kCells]);
      if (turn == wanted) {
        const unsigned seen = atomicCAS(end, at, at + 1);
        if (seen == at) break;
        at = seen;
      } else {
        at = load(end);
      }
    }
    __threadfence();
    unsigned* const cell = &args.data[2 + at % kCells];
    if (produces) {
      *cell = at + 1;
    } else {
      expect(args, *cell == at + 1);
      *cell = 0;
    }
    __threadfence();
    atomicAdd(&turns[at % kCells], 1u);
    atomicAdd(&args.data[0], 1u);
  }
}

constexpr unsigned kAggregate = 1u << 30, kPrefix = 2u << 30, kValue = kAggregate - 1;

/// Decoupled look-back (Merrill and Garland, 2016): each block adds up what those before it have published. The number
/// of its tile is a ticket, or goes by its index.
template <bool kTicket>
__global__ void look_back_kernel(LockArgs args) {
  NEGZERO_SHARED(unsigned, tile);
  NEGZERO_SHARED(unsigned, prefix);
  for (unsigned round = 0; round < args.rounds; ++round) {
    if (threadIdx.x == 0) {
      const unsigned number = kTicket ? atomicAdd(&args.sync[0], 1u) : round * gridDim.x + blockIdx.x;
      tile = number % gridDim.x;
      unsigned* const states = word_of(args, 0, 0) + (number - tile);
      atomicExch(&states[tile], kAggregate | (tile + 1));
      unsigned sum = 0;
      for (unsigned before = tile; before > 0;) {
        const unsigned state = load(&states[before - 1]);
        if (state == 0u) continue;
        sum += state & kValue;
        if ((state & kPrefix) != 0u) break;
        --before;
      }
      atomicExch(&states[tile], kPrefix | (sum + tile + 1));
      prefix = sum;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
      expect(args, prefix == tile * (tile + 1) / 2);
      atomicAdd(&args.data[0], 1u);
    }
    __syncthreads();
  }
}

/// A warp looks back at 32 blocks at a time, until none of them is empty.
__global__ void look_back_by_warp_kernel(LockArgs args) {
  const unsigned lane = threadIdx.x % 32, tile = blockIdx.x;
  unsigned* const states = word_of(args, 0, 0);
  if (threadIdx.x < 32) {
    if (lane == 0) atomicExch(&states[tile], kAggregate | (tile + 1));
    unsigned sum = 0;
    for (unsigned end = tile; end > 0;) {
      unsigned state = kPrefix;
      do {
        if (lane < end) state = load(&states[end - 1 - lane]);
      } while (__any_sync(0xffffffffu, state == 0u));
      const unsigned done = __ballot_sync(0xffffffffu, (state & kPrefix) != 0u);
      const unsigned last = done != 0u ? static_cast<unsigned>(__ffs(static_cast<int>(done))) - 1 : 31;
      unsigned part = lane <= last ? state & kValue : 0u;
      for (unsigned offset = 16; offset > 0; offset /= 2) part += __shfl_xor_sync(0xffffffffu, part, offset);
      sum += part;
      if (done != 0u) break;
      end -= 32;
    }
    if (lane == 0) {
      atomicExch(&states[tile], kPrefix | (sum + tile + 1));
      expect(args, sum == tile * (tile + 1) / 2);
      atomicAdd(&args.data[0], args.rounds);
    }
  }
}

/// Each block waits for the one before (or after) it, all its threads together at barriers while one looks.
template <bool kUpwards>
__global__ void chain_at_barriers_kernel(LockArgs args) {
  NEGZERO_SHARED(unsigned, seen);
  const unsigned at = kUpwards ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
  for (unsigned round = 0; round < args.rounds; ++round) {
    bool ready = at == 0;
    while (!ready) {
      if (threadIdx.x == 0) seen = load(word_of(args, at - 1, 0));
      __syncthreads();
      ready = seen > round;
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      atomicAdd(&args.data[0], 1u);
      atomicAdd(word_of(args, at, 0), 1u);
    }
  }
}

/// Threads of the whole grid, one after another.
template <bool kUpwards>
__global__ void chain_of_threads_kernel(LockArgs args) {
  const unsigned at = kUpwards ? global_thread() : grid_threads() - 1 - global_thread();
  for (unsigned round = 0; round < args.rounds; ++round) {
    while (at > 0 && load(word_of(args, at - 1, 0)) <= round) {
    }
    atomicAdd(&args.data[0], 1u);
    atomicAdd(word_of(args, at, 0), 1u);
  }
}

/// Stream-K: three blocks work on one tile; the first of them waits for the others' parts, which start later.
__global__ void stream_k_kernel(LockArgs args) {
  constexpr unsigned kParts = 3;
  const unsigned part = blockIdx.x % kParts, first = blockIdx.x - part;
  for (unsigned round = 0; round < args.rounds; ++round) {
    unsigned* const mine = word_of(args, blockIdx.x * blockDim.x + threadIdx.x, 1);
    if (part > 0) {
      if (threadIdx.x == 0) {
        while (load(word_of(args, blockIdx.x * blockDim.x, 0)) != round) __nanosleep(40);
        __threadfence();
      }
      __syncthreads();
      *mine = blockIdx.x + threadIdx.x + round;
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) {
        atomicAdd(&args.data[0], 1u);
        atomicAdd(word_of(args, first * blockDim.x, 2), 1u);
      }
      continue;
    }
    const unsigned parts = (gridDim.x - first < kParts ? gridDim.x - first : kParts) - 1;
    if (threadIdx.x == 0) {
      while (load(word_of(args, first * blockDim.x, 2)) != parts * (round + 1)) {
      }
      __threadfence();
    }
    __syncthreads();
    __threadfence();
    for (unsigned i = 1; i <= parts; ++i) {
      const unsigned value = *word_of(args, (first + i) * blockDim.x + threadIdx.x, 1);
      expect(args, value == first + i + threadIdx.x + round);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned i = 1; i <= parts; ++i) atomicAdd(word_of(args, (first + i) * blockDim.x, 0), 1u);
      atomicAdd(&args.data[0], 1u);
    }
  }
}

/// All blocks meet: one thread of each looks, the others wait at a barrier.
__global__ void grid_barrier_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    *word_of(args, global_thread(), round % 2) = round + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(&args.sync[0], 1u);
      while (load(&args.sync[0]) < (round + 1) * gridDim.x) {
      }
      atomicAdd(&args.data[0], 1u);
    }
    __syncthreads();
    __threadfence();
    expect(args, *word_of(args, (global_thread() + blockDim.x) % grid_threads(), round % 2) == round + 1);
  }
}

/// All threads of the grid meet, each by itself.
__global__ void thread_barrier_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    atomicAdd(&args.sync[0], 1u);
    while (load(&args.sync[0]) < (round + 1) * grid_threads()) {
    }
    atomicAdd(&args.data[0], 1u);
  }
}

/// Peterson's lock for threads in pairs, by volatile accesses and fences alone. Words of the pair: 0 and 1 who wants, 2
/// whose turn, 3 how often.
__global__ void peterson_kernel(LockArgs args) {
  const unsigned self = global_thread() % 2, pair = global_thread() - self;
  if (pair + 1 >= grid_threads()) {
    atomicAdd(&args.data[0], args.rounds);
    return;
  }
  volatile unsigned* const words = word_of(args, pair, 0);
  unsigned* const times = word_of(args, pair, 3);
  for (unsigned round = 0; round < args.rounds; ++round) {
    words[self] = 1u;
    words[2] = 1 - self;
    __threadfence();
    while (words[1 - self] == 1u && words[2] == 1 - self) {
    }
    __threadfence();
    *times = *times + 1;
    __threadfence();
    words[self] = 0u;
  }
  atomicAdd(&args.data[0], args.rounds);
}

constexpr LockEntry kEntries[] = {
    {"bounded_queue", bounded_queue_kernel},
    {"look_back", look_back_kernel<true>},
    {"look_back_by_index", look_back_kernel<false>},
    {"look_back_by_warp", look_back_by_warp_kernel},
    {"chain_at_barriers_up", chain_at_barriers_kernel<true>},
    {"chain_at_barriers_down", chain_at_barriers_kernel<false>},
    {"chain_of_threads_up", chain_of_threads_kernel<true>},
    {"chain_of_threads_down", chain_of_threads_kernel<false>},
    {"stream_k", stream_k_kernel},
    {"grid_barrier", grid_barrier_kernel},
    {"thread_barrier", thread_barrier_kernel},
    {"peterson", peterson_kernel},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_handover_kernel(const char* name, Stream& stream, unsigned blocks, unsigned threads, const LockArgs& args) {
  return run_entry(kEntries, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
