// Kernels that wait by cuda::barrier, for copies by pipelines, and for the tiles of other lanes, or forget to.

#ifdef __CUDACC__
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <mma.h>
#endif

#include "watch_kernels.cuh"

#ifndef __CUDACC__
#include <negzero/cuda/matrix.hpp>
#include <negzero/cuda/pipeline_primitives.hpp>
#include <negzero/cuda/pipelines.hpp>
#endif

namespace {

namespace wmma = nvcuda::wmma;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Overwrites what another thread has read and reads what it has written, or arrives and does not wait for either.
template <bool kWaits>
__global__ void barrier_exchange_kernel(WatchArgs args) {
  NEGZERO_SHARED(Barrier, bar);
  NEGZERO_SHARED(float, stage, [64]);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  if (!kWaits) stage[threadIdx.x] = 0.0f;
  __syncthreads();
  for (int phase = 0; phase < 3; ++phase) {
    stage[threadIdx.x] = args.in[threadIdx.x];
    auto token = bar.arrive();
    if (kWaits) bar.wait(static_cast<Barrier::arrival_token&&>(token));
    args.scratch[threadIdx.x] = stage[63 - threadIdx.x];
    if (kWaits) bar.arrive_and_wait();
  }
}

/// Reads its own copy before it waits for the barrier, or overwrites that of another thread, which has only arrived.
template <bool kOwn, bool kWaits>
__global__ void barrier_copy_kernel(WatchArgs args) {
  NEGZERO_SHARED(Barrier, bar);
  NEGZERO_SHARED(float, stage, [64]);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&stage[threadIdx.x], &args.in[threadIdx.x], cuda::aligned_size_t<4>(4), bar);
  if (kOwn && !kWaits) args.scratch[threadIdx.x] = stage[threadIdx.x];
  auto token = bar.arrive();
  if (kWaits) bar.wait(static_cast<Barrier::arrival_token&&>(token));
  if (!kWaits) stage[63 - threadIdx.x] = 1.0f;
  args.scratch[threadIdx.x] = stage[63 - threadIdx.x];
}

/// Waits for its copies, or for one too few of them, and for those of the others where it is `kShared`.
template <int kPrior, bool kShared>
__global__ void pipeline_copy_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, stage, [2][64]);
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&stage[i][threadIdx.x], &args.in[64 * i + threadIdx.x], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(kPrior);
  if (kShared) __syncthreads();
  if (!kShared) stage[1][63 - threadIdx.x] = 1.0f;
  args.scratch[threadIdx.x] = stage[1][63 - threadIdx.x];
}

/// Begins to overwrite what the thread itself still reads.
__global__ void pipeline_ring_too_short_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, stage, [2][64]);
  for (int i = 0; i < 3; ++i) {
    __pipeline_memcpy_async(&stage[i % 2][threadIdx.x], &args.in[64 * i + threadIdx.x], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(2);
  args.scratch[threadIdx.x] = stage[0][threadIdx.x];
}

/// Stores where its copy lands, before it has waited for that or behind it.
template <bool kWaits>
__global__ void pipeline_store_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, stage, [64]);
  __pipeline_memcpy_async(&stage[threadIdx.x], &args.in[threadIdx.x], 4);
  __pipeline_commit();
  if (kWaits) __pipeline_wait_prior(0);
  stage[threadIdx.x] = 1.0f;
  __pipeline_wait_prior(0);
  args.scratch[threadIdx.x] = stage[threadIdx.x];
}

/// Promises 16 bytes of alignment that a float has not.
__global__ void pipeline_misaligned_kernel(WatchArgs args) {
  NEGZERO_SHARED(float4, stage, [64]);
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&stage[threadIdx.x], args.in + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
}

/// Reads what other lanes have stored of a tile of 16 rows, which the buffer holds where they lie close together.
template <bool kWaits, unsigned kStride>
__global__ void matrix_exchange_kernel(WatchArgs args) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
  wmma::fill_fragment(d, 1.0f);
  wmma::store_matrix_sync(args.scratch, d, kStride, wmma::mem_row_major);
  if (kWaits) __syncwarp();
  wmma::load_matrix_sync(d, args.scratch, 16, wmma::mem_col_major);
  if (threadIdx.x == 0) args.out[0] = d.x[0];
}

constexpr WatchEntry kKernels[] = {
    {"barrier_exchange", barrier_exchange_kernel<true>},
    {"barrier_exchange_no_wait", barrier_exchange_kernel<false>},
    {"barrier_copy", barrier_copy_kernel<false, true>},
    {"barrier_copy_own_no_wait", barrier_copy_kernel<true, false>},
    {"barrier_copy_no_wait", barrier_copy_kernel<false, false>},
    {"pipeline_copy", pipeline_copy_kernel<0, true>},
    {"pipeline_copy_one_too_few", pipeline_copy_kernel<1, true>},
    {"pipeline_copy_no_sync", pipeline_copy_kernel<0, false>},
    {"pipeline_ring_too_short", pipeline_ring_too_short_kernel},
    {"pipeline_store_no_wait", pipeline_store_kernel<false>},
    {"pipeline_store", pipeline_store_kernel<true>},
    {"pipeline_misaligned", pipeline_misaligned_kernel},
    {"matrix_exchange", matrix_exchange_kernel<true, 16>},
    {"matrix_exchange_no_wait", matrix_exchange_kernel<false, 16>},
    {"matrix_past_end", matrix_exchange_kernel<true, 17>},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_barrier_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  return run_entry(kKernels, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
