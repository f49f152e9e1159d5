// CUB's collectives against plain loops, in a block whose last warp is half a one and across its two dimensions.

#include <cub/block/block_reduce.cuh>
#include <cub/cub.cuh>

#include "expect.cuh"

constexpr int kThreads = 80, kItems = 3, kAll = kThreads * kItems;

struct Longest {
  __device__ int operator()(int a, int b) const { return b > a ? b : a; }
};
struct Running {
  int total;
  __device__ int operator()(int all) {
    const int before = total;
    total += all;
    return before;
  }
};
struct Big {
  int a[5];
};
struct AddBig {
  __device__ Big operator()(const Big& x, const Big& y) const {
    Big z;
    for (int i = 0; i < 5; ++i) z.a[i] = x.a[i] + y.a[i];
    return z;
  }
};

__global__ void reduce(const int* in, int* out) {
  using Block = cub::BlockReduce<int, 16, cub::BLOCK_REDUCE_RAKING, 5>;
  using Bigs = cub::BlockReduce<Big, 16, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 5>;
  __shared__ union {
    Block::TempStorage ints;
    Bigs::TempStorage bigs;
  } storage;
  const int thread = threadIdx.x + 16 * threadIdx.y;
  int mine[kItems];
  for (int i = 0; i < kItems; ++i) mine[i] = in[thread * kItems + i];
  const int sum = Block(storage.ints).Sum(mine);
  __syncthreads();
  const int largest = Block(storage.ints).Reduce(mine[0], Longest(), 70);
  __syncthreads();
  const int some = Block(storage.ints).Sum(mine[1], 33);
  __syncthreads();
  const Big big = Bigs(storage.bigs).Reduce(Big{{mine[0], 1, 2, 3, mine[1]}}, AddBig());
  if (thread == 0) out[0] = sum, out[1] = largest, out[2] = some, out[3] = big.a[4], out[4] = big.a[3];
}

__global__ void warps(const int* in, int* out) {
  using Warp = cub::WarpReduce<int>;
  using Quarter = cub::WarpReduce<int, 8>;
  using Scan = cub::WarpScan<int, 16>;
  __shared__ Warp::TempStorage whole[2];
  __shared__ Quarter::TempStorage quarters[8];
  __shared__ Scan::TempStorage scans[4];
  const int thread = threadIdx.x, mine = in[thread];
  const int sum = Warp(whole[thread / 32]).Sum(mine);
  const int five = Quarter(quarters[thread / 8]).Reduce(mine, Longest(), 5);
  const int heads = Warp(whole[thread / 32]).HeadSegmentedSum(mine, thread % 5 == 0);
  const int tails = Warp(whole[thread / 32]).TailSegmentedSum(mine, thread % 5 == 4);
  int inclusive, exclusive, all;
  Scan(scans[thread / 16]).InclusiveSum(mine, inclusive);
  Scan(scans[thread / 16]).ExclusiveSum(mine, exclusive, all);
  if (thread == 32) out[0] = sum;
  if (thread == 24) out[1] = five;
  if (thread == 10) out[2] = heads, out[3] = tails;
  out[8 + 3 * thread] = inclusive, out[9 + 3 * thread] = exclusive, out[10 + 3 * thread] = all;
}

__global__ void scan(const int* in, int* out, int* aggregates) {
  using Block = cub::BlockScan<int, kThreads>;
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    Block::TempStorage scan;
    Load::TempStorage load;
    Store::TempStorage store;
  } storage;
  int items[kItems], sums[kItems], all;
  const auto store = [&](int which) {
    __syncthreads();
    Store(storage.store).Store(out + which * kAll, sums);
    __syncthreads();
  };
  Load(storage.load).Load(in, items);
  __syncthreads();
  Block(storage.scan).InclusiveSum(items, sums);
  store(0);
  Block(storage.scan).ExclusiveSum(items, sums, all);
  aggregates[threadIdx.x] = all;
  store(1);
  Running running{1000};
  Block(storage.scan).ExclusiveSum(items, sums, running);
  store(2);
  Block(storage.scan).InclusiveScan(items, sums, Longest());
  store(3);
  Block(storage.scan).ExclusiveScan(items, sums, 7, Longest());
  store(4);
  int one;
  Block(storage.scan).ExclusiveSum(items[0], one);
  aggregates[kThreads + threadIdx.x] = one;
  __syncthreads();
  Load(storage.load).Load(in, items, 100, -5);
  for (int i = 0; i < kItems; ++i) sums[i] = items[i];
  store(5);
}

__global__ void sort(const float* keys, float* sorted, int* values, unsigned* low) {
  using Sort = cub::BlockRadixSort<float, kThreads, kItems, int>;
  using Low = cub::BlockRadixSort<unsigned, kThreads, kItems>;
  __shared__ union {
    Sort::TempStorage sort;
    Low::TempStorage low;
  } storage;
  float mine[kItems];
  int from[kItems];
  unsigned numbers[kItems];
  const int first = threadIdx.x * kItems;
  for (int i = 0; i < kItems; ++i) mine[i] = keys[first + i], from[i] = first + i, numbers[i] = 977u * (first + i);
  Sort(storage.sort).SortDescending(mine, from);
  __syncthreads();
  Low(storage.low).SortBlockedToStriped(numbers, 2, 9);
  for (int i = 0; i < kItems; ++i) {
    sorted[first + i] = mine[i], values[first + i] = from[i];
    low[i * kThreads + threadIdx.x] = numbers[i];
  }
}

int number(int i) { return (i * 7919 + 13) % 101 - 50; }

void run(const float* t, float* x, int n) {
  copy<<<1, 32>>>(t, x, n);
  std::vector<int> in(kAll);
  for (int i = 0; i < kAll; ++i) in[i] = number(i);
  int* d_in = zeros<int>(kAll);
  cudaMemcpy(d_in, in.data(), kAll * sizeof(int), cudaMemcpyHostToDevice);

  int* out = zeros<int>(5);
  reduce<<<1, dim3(16, 5)>>>(d_in, out);
  int sum = 0, largest = -100, some = 0, second = 0;
  for (int i = 0; i < kAll; ++i) sum += in[i];
  for (int i = 0; i < 70; ++i) largest = in[kItems * i] > largest ? in[kItems * i] : largest;
  for (int i = 0; i < 33; ++i) some += in[kItems * i + 1];
  for (int i = 0; i < kThreads; ++i) second += in[kItems * i + 1];
  const std::vector<int> reduced = taken(out, 5);
  expect("Sum", reduced[0], sum);
  expect("Reduce of 70", reduced[1], largest);
  expect("Sum of 33", reduced[2], some);
  expect("Reduce of structs", reduced[3], second);
  expect("Reduce of structs", reduced[4], 3 * kThreads);

  out = zeros<int>(8 + 3 * 64);
  warps<<<1, 64>>>(d_in, out);
  const std::vector<int> of_warps = taken(out, 8 + 3 * 64);
  int warp = 0, five = -100, segment = 0;
  for (int i = 32; i < 64; ++i) warp += in[i];
  for (int i = 24; i < 29; ++i) five = in[i] > five ? in[i] : five;
  for (int i = 10; i < 15; ++i) segment += in[i];
  expect("WarpReduce", of_warps[0], warp);
  expect("WarpReduce of 5", of_warps[1], five);
  expect("HeadSegmentedSum", of_warps[2], segment);
  expect("TailSegmentedSum", of_warps[3], segment);
  for (int i = 0; i < 64; ++i) {
    int below = 0, all = 0;
    for (int j = i / 16 * 16; j < i; ++j) below += in[j];
    for (int j = i / 16 * 16; j < i / 16 * 16 + 16; ++j) all += in[j];
    expect("WarpScan inclusive", of_warps[8 + 3 * i], below + in[i]);
    expect("WarpScan exclusive", of_warps[9 + 3 * i], below);
    expect("WarpScan aggregate", of_warps[10 + 3 * i], all);
  }

  out = zeros<int>(6 * kAll);
  int* aggregates = zeros<int>(2 * kThreads);
  scan<<<1, kThreads>>>(d_in, out, aggregates);
  const std::vector<int> scanned = taken(out, 6 * kAll), totals = taken(aggregates, 2 * kThreads);
  int before = 0, most = -1000, firsts = 0;
  for (int i = 0; i < kAll; ++i) {
    expect("InclusiveSum", scanned[i], before + in[i]);
    expect("ExclusiveSum", scanned[kAll + i], before);
    expect("ExclusiveSum behind a prefix", scanned[2 * kAll + i], before + 1000);
    expect("ExclusiveScan", scanned[4 * kAll + i], most > 7 ? most : 7);
    most = in[i] > most ? in[i] : most;
    expect("InclusiveScan", scanned[3 * kAll + i], most);
    expect("Load of 100", scanned[5 * kAll + i], i < 100 ? in[i] : -5);
    before += in[i];
  }
  for (int i = 0; i < kThreads; ++i) {
    expect("aggregate", totals[i], before);
    expect("ExclusiveSum of one", totals[kThreads + i], firsts);
    firsts += in[kItems * i];
  }

  std::vector<float> keys(kAll);
  for (int i = 0; i < kAll; ++i) keys[i] = i % 10 == 0 ? -0.0f : i % 10 == 5 ? 0.0f : 0.25f * number(i);
  float* d_keys = zeros<float>(kAll);
  cudaMemcpy(d_keys, keys.data(), kAll * sizeof(float), cudaMemcpyHostToDevice);
  float* sorted = zeros<float>(kAll);
  int* values = zeros<int>(kAll);
  unsigned* low = zeros<unsigned>(kAll);
  sort<<<1, kThreads>>>(d_keys, sorted, values, low);
  const std::vector<float> by_key = taken(sorted, kAll);
  const std::vector<int> from = taken(values, kAll);
  const std::vector<unsigned> bits = taken(low, kAll);
  for (int i = 0; i < kAll; ++i) {
    int rank = 0, rank_of_low = 0;
    for (int j = 0; j < kAll; ++j) {
      rank += keys[j] > keys[from[i]] || (keys[j] == keys[from[i]] && j < from[i]) ? 1 : 0;
      const unsigned a = 977u * j >> 2 & 127, b = bits[i] >> 2 & 127;
      rank_of_low += a < b || (a == b && 977u * j < bits[i]) ? 1 : 0;
    }
    expect("SortDescending", i, rank);
    expect("its keys", by_key[i], keys[from[i]]);
    expect("SortBlockedToStriped", i, rank_of_low);
  }
  cudaFree(d_in);
  cudaFree(d_keys);
}
