// Correct locks: whoever holds one must have turns, whatever the others do meanwhile.

#include "lock_kernels.cuh"

namespace {

__global__ void test_and_set_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    bool done = false;
    while (!done) {
      if (atomicCAS(args.sync, 0u, 1u) == 0u) {
        count(args);
        atomicExch(args.sync, 0u);
        done = true;
      }
    }
  }
}

/// The loop ends where the lock is taken. Needs threads that go on independently of their warp (sm_70).
__global__ void spin_then_enter_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    while (atomicCAS(args.sync, 0u, 1u) != 0u) {
    }
    count(args);
    atomicExch(args.sync, 0u);
  }
}

/// Looks before it tries, and sleeps in between.
__global__ void test_and_sleep_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    while (load(args.sync) != 0u || atomicCAS(args.sync, 0u, 1u) != 0u) __nanosleep(50);
    count(args);
    atomicExch(args.sync, 0u);
  }
}

/// Sleeps while it holds the lock too.
__global__ void sleep_inside_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    while (atomicExch(args.sync, 1u) != 0u) {
    }
    __nanosleep(50);
    count(args);
    __nanosleep(50);
    atomicExch(args.sync, 0u);
  }
}

__global__ void warp_lock_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    if (threadIdx.x % 32 == 0) {
      while (atomicCAS(args.sync, 0u, 1u) != 0u) {
      }
      __threadfence();
    }
    __syncwarp();
    const unsigned lane = threadIdx.x % 32;
    args.data[2 + lane] = args.data[2 + lane] + 1;
    __syncwarp();
    if (lane == 0) {
      count(args);
      atomicExch(args.sync, 0u);
    }
  }
}

/// Each lane asks, and all of the warp go on together.
__global__ void warp_tries_together_kernel(LockArgs args) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned round = 0; round < args.rounds; ++round) {
    unsigned taken = 1;
    while (taken != 0u) {
      if (lane == 0) taken = atomicCAS(args.sync, 0u, 1u);
      taken = __shfl_sync(0xffffffffu, taken, 0);
    }
    if (lane == 0) {
      count(args);
      atomicExch(args.sync, 0u);
    }
    __syncwarp();
  }
}

__global__ void block_lock_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    if (threadIdx.x == 0) {
      while (atomicCAS(args.sync, 0u, 1u) != 0u) {
      }
      __threadfence();
    }
    __syncthreads();
    if (threadIdx.x < 32) args.data[2 + threadIdx.x] = args.data[2 + threadIdx.x] + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      count(args);
      atomicExch(args.sync, 0u);
    }
  }
}

__global__ void ticket_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    const unsigned ticket = atomicAdd(&args.sync[0], 1u);
    while (load(&args.sync[1]) != ticket) {
    }
    count(args);
    atomicAdd(&args.sync[1], 1u);
  }
}

/// Waits for as long as those before it may take.
__global__ void ticket_backoff_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    const unsigned ticket = atomicAdd(&args.sync[0], 1u);
    for (unsigned serving = load(&args.sync[1]); serving != ticket; serving = load(&args.sync[1])) {
      wait_for_cycles(200 * static_cast<long long>(ticket - serving));
    }
    count(args);
    atomicAdd(&args.sync[1], 1u);
  }
}

__global__ void ticket_of_blocks_kernel(LockArgs args) {
  NEGZERO_SHARED(unsigned, ticket);
  for (unsigned round = 0; round < args.rounds; ++round) {
    if (threadIdx.x == 0) {
      ticket = atomicAdd(&args.sync[0], 1u);
      while (load(&args.sync[1]) != ticket) __nanosleep(100);
      count(args);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&args.sync[1], 1u);
    __syncthreads();
  }
}

/// Mellor-Crummey and Scott (ACM TOCS 9, 1991): each waits at a word of its own. Words: 0 the next one, 1 locked.
__global__ void mcs_kernel(LockArgs args) {
  const unsigned self = global_thread() + 1;
  unsigned* const next = word_of(args, self - 1, 0);
  unsigned* const locked = word_of(args, self - 1, 1);
  for (unsigned round = 0; round < args.rounds; ++round) {
    atomicExch(next, 0u);
    atomicExch(locked, 1u);
    __threadfence();
    const unsigned before = atomicExch(args.sync, self);
    if (before != 0u) {
      atomicExch(word_of(args, before - 1, 0), self);
      while (load(locked) != 0u) {
      }
    }
    count(args);
    if (load(next) == 0u && atomicCAS(args.sync, self, 0u) == self) continue;
    unsigned after = 0;
    while (after == 0u) after = load(next);
    atomicExch(word_of(args, after - 1, 1), 0u);
  }
}

/// At most three hold it. A try that fails puts back what it took, so memory changes while all wait. Those that look
/// before they try, or let time pass after it, do not keep each other out.
template <bool kBackoff>
__global__ void semaphore_kernel(LockArgs args) {
  constexpr unsigned kCount = 3;
  for (unsigned round = 0; round < args.rounds; ++round) {
    bool held = false;
    long long cycles = 100;
    while (!held) {
      if (!kBackoff && load(&args.sync[0]) >= kCount) continue;
      held = atomicAdd(&args.sync[0], 1u) < kCount;
      if (held) break;
      atomicSub(&args.sync[0], 1u);
      if (kBackoff) wait_for_cycles(cycles);
      if (cycles < 1000000) cycles *= 2;
    }
    expect(args, atomicAdd(&args.sync[1], 1u) < kCount);
    atomicAdd(&args.data[0], 1u);
    atomicSub(&args.sync[1], 1u);
    atomicSub(&args.sync[0], 1u);
  }
}

__global__ void semaphore_cas_kernel(LockArgs args) {
  for (unsigned round = 0; round < args.rounds; ++round) {
    bool held = false;
    while (!held) {
      const unsigned taken = load(&args.sync[0]);
      held = taken < 2 && atomicCAS(&args.sync[0], taken, taken + 1) == taken;
    }
    expect(args, atomicAdd(&args.sync[1], 1u) < 2);
    atomicAdd(&args.data[0], 1u);
    atomicSub(&args.sync[1], 1u);
    atomicSub(&args.sync[0], 1u);
  }
}

/// Bit 31: a writer. Every fourth thread writes two words that readers must find equal.
__global__ void read_write_lock_kernel(LockArgs args) {
  constexpr unsigned kWriter = 0x80000000u;
  for (unsigned round = 0; round < args.rounds; ++round) {
    if (global_thread() % 4 == 0) {
      while (atomicCAS(args.sync, 0u, kWriter) != 0u) {
      }
      __threadfence();
      args.data[2] = args.data[2] + 1;
      args.data[3] = args.data[3] + 1;
      __threadfence();
      atomicAnd(args.sync, ~kWriter);
    } else {
      bool held = false;
      while (!held) {
        const unsigned state = load(args.sync);
        held = (state & kWriter) == 0u && atomicCAS(args.sync, state, state + 1) == state;
      }
      __threadfence();
      expect(args, args.data[2] == args.data[3]);
      __threadfence();
      atomicSub(args.sync, 1u);
    }
    atomicAdd(&args.data[0], 1u);
  }
}

/// Each needs its own fork and the next one's, and takes the lower one first.
__global__ void philosophers_kernel(LockArgs args) {
  const unsigned self = global_thread(), next = (self + 1) % grid_threads();
  unsigned* const first = word_of(args, self < next ? self : next, 0);
  unsigned* const second = word_of(args, self < next ? next : self, 0);
  for (unsigned round = 0; round < args.rounds; ++round) {
    while (atomicCAS(first, 0u, 1u) != 0u) {
    }
    if (second != first) {
      while (atomicCAS(second, 0u, 1u) != 0u) {
      }
    }
    atomicAdd(&args.data[0], 1u);
    if (second != first) atomicExch(second, 0u);
    atomicExch(first, 0u);
  }
}

constexpr LockEntry kEntries[] = {
    {"test_and_set", test_and_set_kernel},
    {"spin_then_enter", spin_then_enter_kernel},
    {"test_and_sleep", test_and_sleep_kernel},
    {"sleep_inside", sleep_inside_kernel},
    {"warp_lock", warp_lock_kernel},
    {"warp_tries_together", warp_tries_together_kernel},
    {"block_lock", block_lock_kernel},
    {"ticket", ticket_kernel},
    {"ticket_backoff", ticket_backoff_kernel},
    {"ticket_of_blocks", ticket_of_blocks_kernel},
    {"mcs", mcs_kernel},
    {"semaphore", semaphore_kernel<false>},
    {"semaphore_backoff", semaphore_kernel<true>},
    {"semaphore_cas", semaphore_cas_kernel},
    {"read_write_lock", read_write_lock_kernel},
    {"philosophers", philosophers_kernel},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_lock_kernel(const char* name, Stream& stream, unsigned blocks, unsigned threads, const LockArgs& args) {
  return run_entry(kEntries, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
