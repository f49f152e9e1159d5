// Kernels about cooperative groups: what each thread sees of its groups, one row of numbers a thread.

#include <negzero/cuda/cuda.hpp>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#else
#include <negzero/cuda/group_copies.hpp>
#include <negzero/cuda/group_grid.hpp>
#endif

#include "kernels.hpp"

namespace {

namespace cg = cooperative_groups;

using negzero_tests::kGroupRow;

struct Wide {
  double x;
  int y;
  float z[3];
};

__device__ unsigned any_size(const cg::thread_group& group) { return static_cast<unsigned>(group.size()); }

template <unsigned N>
__device__ void tile_row(unsigned* row) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<N>(block);
  const unsigned rank = block.thread_rank();
  row[0] = tile.thread_rank();
  row[1] = tile.meta_group_rank();
  row[2] = tile.meta_group_size();
  row[3] = any_size(tile);
  row[4] = tile.ballot(rank % 3 == 0);
  row[5] = tile.shfl(rank, 1);
  row[6] = tile.shfl_up(rank, 1);
  row[7] = tile.shfl_down(rank, 2);
  row[8] = static_cast<unsigned>(tile.any(rank == 7)) * 2 + static_cast<unsigned>(tile.all(rank < 40));
  row[9] = tile.match_any(static_cast<int>(rank % 2));
  int same = -1;
  row[10] = tile.match_all(static_cast<int>(rank / 4), same);
  row[11] = static_cast<unsigned>(same);
  const Wide wide = tile.shfl(Wide{rank + 0.5, static_cast<int>(rank), {1.0f, 2.0f, rank + 0.25f}}, 0);
  row[12] = static_cast<unsigned>(4 * wide.x) + static_cast<unsigned>(wide.y) + static_cast<unsigned>(4 * wide.z[2]) +
            static_cast<unsigned>(wide.z[1]);
  const float4 vector = tile.shfl(make_float4(1.0f, 2.0f, 3.0f, static_cast<float>(rank)), 1);
  const __half2 pair = tile.shfl(__floats2half2_rn(1.0f, static_cast<float>(rank)), 1);
  row[14] = static_cast<unsigned>(vector.w) * 100 + static_cast<unsigned>(vector.x + __high2float(pair));
  const cg::thread_block_tile<N> forgotten = tile;
  row[13] = forgotten.meta_group_rank() * 100 + forgotten.meta_group_size();
  tile.sync();
}

__global__ void tile_kernel(int size, unsigned* out) {
  unsigned* row = out + kGroupRow * threadIdx.x;
  if (size == 4) tile_row<4>(row);
  if (size == 32) tile_row<32>(row);
}

/// Partitions of partitions, made by the threads of one block together.
__global__ void partition_kernel(unsigned* out) {
  unsigned* row = out + kGroupRow * threadIdx.x;
  const cg::thread_block block = cg::this_thread_block();
  const unsigned rank = block.thread_rank();
  const cg::thread_group dynamic = cg::tiled_partition(block, 16);
  row[0] = static_cast<unsigned>(dynamic.size()) * 100 + static_cast<unsigned>(dynamic.thread_rank());
  const cg::thread_group inner = cg::tiled_partition(dynamic, 4);
  row[1] = static_cast<unsigned>(inner.size()) * 100 + static_cast<unsigned>(inner.thread_rank());
  dynamic.sync();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const cg::thread_block_tile<8, cg::thread_block_tile<32>> eight = cg::tiled_partition<8>(warp);
  row[2] = eight.meta_group_rank() * 100 + eight.meta_group_size();
  if (rank / 32 == block.size() / 32) return;  // what follows is about whole warps
  const cg::coalesced_group third = cg::labeled_partition(warp, static_cast<int>(rank % 3));
  row[3] = third.size() * 10000 + third.meta_group_rank() * 100 + third.thread_rank();
  row[4] = third.shfl_down(rank, 2);
  row[5] = third.shfl_up(rank, 2);
  row[6] = third.shfl(rank, 3);
  row[7] = third.ballot(rank % 2 == 0);
  row[8] = static_cast<unsigned>(cg::reduce(third, static_cast<int>(rank), cg::plus<int>()));
  row[9] = static_cast<unsigned>(cg::exclusive_scan(third, static_cast<int>(rank), cg::plus<int>()));
  const cg::coalesced_group half = cg::binary_partition(third, rank < 16);
  row[10] = half.size() * 100 + half.meta_group_rank() * 10 + half.meta_group_size();
  const cg::coalesced_group two = cg::tiled_partition(third, 2);
  row[11] = two.size() * 10000 + two.meta_group_rank() * 100 + two.thread_rank();
  // Only some lanes go on, each time others.
  if (rank % 2 == 1) {
    __syncwarp(0xaaaaaaaau);
    const cg::coalesced_group odd = cg::binary_partition(cg::coalesced_threads(), true);
    row[12] = odd.thread_rank() < odd.size() && odd.shfl(rank, odd.thread_rank()) == rank;
  } else {
    row[12] = 2;
  }
  const cg::coalesced_group whole = cg::binary_partition(warp, true);
  row[13] = whole.size() * 100 + whole.meta_group_size();
}

/// Reductions and scans of floats in the order that CUDA's headers have.
__global__ void fold_kernel(const float* in, float* out) {
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned rank = warp.thread_rank();
  float* row = out + 9 * rank;
  row[0] = cg::reduce(warp, in[rank], cg::plus<float>());
  row[1] = cg::inclusive_scan(warp, in[rank]);
  row[2] = cg::exclusive_scan(warp, in[rank]);
  const cg::coalesced_group low = cg::binary_partition(warp, rank < 11);
  row[3] = cg::reduce(low, in[rank], cg::plus<float>());
  row[4] = cg::reduce(warp, in[rank], cg::less<float>());
  row[5] = cg::reduce(warp, in[rank], cg::greater<float>());
  row[6] = static_cast<float>(cg::reduce(warp, 1u << (rank % 5), cg::bit_or<unsigned>()) * 1000 +
                              cg::reduce(warp, rank | 32u, cg::bit_and<unsigned>()) * 10 +
                              cg::reduce(warp, 1u, cg::bit_xor<unsigned>()));
  row[7] = cg::reduce(warp, in[rank], [](float a, float b) { return a * 2.0f + b; });
  row[8] = cg::inclusive_scan(warp, in[rank], [](float a, float b) { return a * 2.0f + b; });
}

__global__ void copy_kernel(int n, const unsigned* in, unsigned* out) {
  NEGZERO_SHARED(unsigned, stage, [100]);
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, stage, in, sizeof(unsigned) * static_cast<unsigned>(n));
  cg::wait(block);
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) sum += stage[i];
  out[block.thread_rank()] = sum;
  cg::invoke_one(block, [&] { out[block.size()] = 77; });
  const auto tile = cg::tiled_partition<8>(block);
  const unsigned rank = block.thread_rank();
  out[block.size() + 1 + rank] = cg::invoke_one_broadcast(tile, [rank] { return rank / 8 * 8 + 5; }) - 5;
}

/// Every block adds what its neighbour wrote one step before: wrong in any step in which the grid did not wait.
__global__ void grid_kernel(int steps, unsigned* values) {
  const cg::grid_group grid = cg::this_grid();
  const auto blocks = static_cast<unsigned>(grid.num_blocks());
  const auto threads = static_cast<unsigned>(grid.size());
  const auto self = static_cast<unsigned>(grid.thread_rank());
  for (int step = 0; step < steps; ++step) {
    const unsigned* from = values + static_cast<unsigned>(step % 2) * threads;
    unsigned* to = values + static_cast<unsigned>((step + 1) % 2) * threads;
    to[self] = from[(self + threads / blocks) % threads] + 1;
    grid.sync();
  }
}

/// One block does not come to the barrier of the grid.
__global__ void deserted_grid_kernel(unsigned deserter) {
  if (blockIdx.x == deserter) return;
  cg::this_grid().sync();
}
/// Of one block, the first thread does not come.
__global__ void headless_grid_kernel(unsigned* out) {
  if (threadIdx.x == 0 && blockIdx.x == 1) return;
  cg::this_grid().sync();
  out[0] = 1;
}
/// Half of a tile waits for the other half, which waits at another operation.
__global__ void divided_tile_kernel() {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (tile.thread_rank() < 4) {
    tile.sync();
  } else {
    static_cast<void>(tile.any(1));  // other operation
  }
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void group_tiles(Stream& stream, int size, int threads, unsigned* out) {
  negzero::launch(stream, tile_kernel, 1, static_cast<unsigned>(threads), 0, size, out);
}
void group_partitions(Stream& stream, int threads, unsigned* out) {
  negzero::launch(stream, partition_kernel, 1, static_cast<unsigned>(threads), 0, out);
}
void group_folds(Stream& stream, const float* in, float* out) {
  negzero::launch(stream, fold_kernel, 1, 32, 0, in, out);
}
void group_copies(Stream& stream, int n, int threads, const unsigned* in, unsigned* out) {
  negzero::launch(stream, copy_kernel, 1, static_cast<unsigned>(threads), 0, n, in, out);
}
void group_grid(Stream& stream, int blocks, int threads, int steps, unsigned* values) {
  negzero::launch(stream, grid_kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, steps, values);
}
void group_deserted(Stream& stream, int kind, unsigned* out) {
  if (kind == 0) negzero::launch(stream, deserted_grid_kernel, 4, 32, 0, 2u);
  if (kind == 1) negzero::launch(stream, headless_grid_kernel, 4, 32, 0, out);
  if (kind == 2) negzero::launch(stream, divided_tile_kernel, 1, 32, 0);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
