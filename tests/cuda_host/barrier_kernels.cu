// Kernels about cuda::barrier, cuda::pipeline and copies that threads wait for later.

#include <negzero/cuda/cuda.hpp>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#else
#include <negzero/cuda/groups.hpp>
#include <negzero/cuda/pipeline_primitives.hpp>
#include <negzero/cuda/pipelines.hpp>
#endif

#include "kernels.hpp"

namespace {

namespace cg = cooperative_groups;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Every thread adds up what its neighbour has written, phase by phase, by both ways of waiting.
__global__ void phases_kernel(int phases, unsigned* out) {
  NEGZERO_SHARED(Barrier, full);
  NEGZERO_SHARED(Barrier, empty);
  NEGZERO_SHARED(unsigned, stage, [256]);
  const unsigned self = threadIdx.x, next = (self + 1) % blockDim.x;
  if (self == 0) {
    init(&full, blockDim.x);
    init(&empty, blockDim.x);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int phase = 0; phase < phases; ++phase) {
    stage[self] = static_cast<unsigned>(phase) * 1000 + self;
    auto token = full.arrive();
    full.wait(static_cast<Barrier::arrival_token&&>(token));
    sum += stage[next];
    empty.arrive_and_wait();
  }
  out[self] = sum;
}

/// Thread t leaves after phase t; the others go on.
__global__ void dropping_kernel(unsigned* out) {
  NEGZERO_SHARED(Barrier, bar);
  NEGZERO_SHARED(unsigned, count);
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    count = 0;
  }
  __syncthreads();
  for (unsigned phase = 0; phase < blockDim.x; ++phase) {
    if (phase == threadIdx.x) {
      atomicAdd(&count, 1u);
      bar.arrive_and_drop();
      return;
    }
    bar.arrive_and_wait();
    if (threadIdx.x == blockDim.x - 1) out[phase] = atomicAdd(&count, 0u);
  }
}

/// One thread too few arrives.
__global__ void deserted_barrier_kernel(unsigned* out) {
  NEGZERO_SHARED(Barrier, bar);
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  bar.arrive_and_wait();
  out[threadIdx.x] = 1;
}

/// Copies four numbers a thread and hands them to the next thread. `kind` says how, and whether it looks too early.
__global__ void copies_kernel(int kind, const unsigned* in, unsigned* out) {
  NEGZERO_SHARED(uint4, stage, [64]);
  NEGZERO_SHARED(unsigned, extra, [64]);
  NEGZERO_SHARED(Barrier, bar);
  const unsigned self = threadIdx.x, next = (self + 1) % blockDim.x;
  const uint4* const from = reinterpret_cast<const uint4*>(in) + self;
  stage[self] = make_uint4(7, 7, 7, 7);
  extra[self] = 7;
  if (self == 0) init(&bar, blockDim.x);
  __syncthreads();
  unsigned early = 0;
  if (kind == 0) {
    cuda::memcpy_async(&stage[self], from, cuda::aligned_size_t<16>(16), bar);
    early = stage[self].x;
    bar.arrive_and_wait();
  } else if (kind == 1) {
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[self], from, 16, pipe);
    pipe.producer_commit();
    early = stage[self].x;
    pipe.consumer_wait();
    __syncthreads();
    pipe.consumer_release();
  } else if (kind == 2) {
    __pipeline_memcpy_async(&stage[self], from, 16);
    __pipeline_commit();
    early = stage[self].x;
    __pipeline_wait_prior(0);
    __syncthreads();
  } else {
    // The last 4 bytes are zeros.
    __pipeline_memcpy_async(&stage[self], from, 16, 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&extra[self], &from->y, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    early = stage[self].x == from->x ? extra[self] : 0;
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  out[6 * self] = early;
  out[6 * self + 1] = stage[next].x;
  out[6 * self + 2] = stage[next].y;
  out[6 * self + 3] = stage[next].z;
  out[6 * self + 4] = stage[next].w;
  out[6 * self + 5] = extra[next];
}

/// Two stages on their way at any time, of one thread alone.
__global__ void stages_kernel(int steps, const unsigned* in, unsigned* out) {
  constexpr int kStages = 3;
  NEGZERO_SHARED(unsigned, stage, [kStages][32]);
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  unsigned sum = 0;
  for (int step = 0, begun = 0; step < steps; ++step) {
    for (; begun < steps && begun < step + kStages; ++begun) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[begun % kStages][threadIdx.x], in + begun, cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
    if (step % 2 == 0) {
      pipe.consumer_wait();
    } else {
      cuda::pipeline_consumer_wait_prior<kStages - 1>(pipe);
      if (begun == steps) cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    sum = sum * 3 + stage[step % kStages][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

/// Warp 0 fills stages, the others empty them.
__global__ void roles_kernel(bool by_count, int steps, const unsigned* in, unsigned* out) {
  constexpr unsigned kStages = 2;
  using State = cuda::pipeline_shared_state<cuda::thread_scope_block, kStages>;
  NEGZERO_SHARED(State, state);
  NEGZERO_SHARED(unsigned, stage, [kStages][32]);
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  const auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = by_count ? cuda::make_pipeline(block, &state, size_t{32}) : cuda::make_pipeline(block, &state, role);
  unsigned sum = 0;
  for (int step = 0; step < steps; ++step) {
    unsigned* const now = stage[static_cast<unsigned>(step) % kStages];
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(now + threadIdx.x, in + step * 32 + threadIdx.x, sizeof(unsigned), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum = sum * 3 + now[(threadIdx.x + 1) % 32];
      pipe.consumer_release();
    }
  }
  out[threadIdx.x] = sum;
}

/// All threads of the block fill a stage together and empty it together.
__global__ void unified_kernel(int steps, const unsigned* in, unsigned* out) {
  using State = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
  NEGZERO_SHARED(State, state);
  NEGZERO_SHARED(unsigned, stage, [2][96]);
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  unsigned sum = 0;
  for (int step = 0, begun = 0; step < steps; ++step) {
    for (; begun < steps && begun < step + 2; ++begun) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[begun % 2], in + begun * 96, 96 * sizeof(unsigned), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + stage[step % 2][(threadIdx.x + 1) % 96];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void barrier_phases(Stream& stream, int threads, int phases, unsigned* out) {
  negzero::launch(stream, phases_kernel, 1, static_cast<unsigned>(threads), 0, phases, out);
}
void barrier_dropping(Stream& stream, int threads, unsigned* out) {
  negzero::launch(stream, dropping_kernel, 1, static_cast<unsigned>(threads), 0, out);
}
void barrier_deserted(Stream& stream, unsigned* out) {
  negzero::launch(stream, deserted_barrier_kernel, 1, 32, 0, out);
}
void late_copies(Stream& stream, int kind, const unsigned* in, unsigned* out) {
  negzero::launch(stream, copies_kernel, 1, 64, 0, kind, in, out);
}
void pipeline_stages(Stream& stream, int kind, int steps, const unsigned* in, unsigned* out) {
  if (kind == 0) negzero::launch(stream, stages_kernel, 1, 32, 0, steps, in, out);
  if (kind == 1) negzero::launch(stream, roles_kernel, 1, 96, 0, false, steps, in, out);
  if (kind == 2) negzero::launch(stream, roles_kernel, 1, 96, 0, true, steps, in, out);
  if (kind == 3) negzero::launch(stream, unified_kernel, 1, 96, 0, steps, in, out);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
