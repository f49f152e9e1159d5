// Kernels that copy and fill memory by calls of the C library and by whole structs, and that index arrays whose bounds
// are those of their type.

#include <cstring>

#include "watch_kernels.cuh"

namespace {

__device__ std::size_t bytes_of(int floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

__global__ void fill_past_kernel(WatchArgs args) {
  if (threadIdx.x == 0) memset(args.scratch, 0, bytes_of(args.n + 1));
}
__global__ void copy_past_kernel(WatchArgs args) {
  if (threadIdx.x == 0) memcpy(args.out, args.in + 1, bytes_of(args.n));
}
__global__ void move_past_kernel(WatchArgs args) {
#ifndef __CUDACC__  // CUDA has no memmove; a host compiler may make one of a loop.
  if (threadIdx.x == 0) memmove(args.out, args.in + 1, bytes_of(args.n));
#endif
}
__global__ void copy_race_kernel(WatchArgs args) {
  args.scratch[threadIdx.x] = 1.0f;
  if (threadIdx.x == 0) memcpy(args.out, args.scratch + 7, bytes_of(args.n / 256));
}
/// What nobody has written may be copied, but the copy may be read no more than the original.
__global__ void use_of_copy_kernel(WatchArgs args) {
  if (threadIdx.x != 0) return;
  args.scratch[0] = 1.0f;
  memcpy(args.out, args.scratch, bytes_of(args.n / 64));
  args.out[8] = args.out[3];
}
__global__ void local_copy_kernel(WatchArgs args) {
  float values[4];
  memcpy(values, args.scratch, bytes_of(args.n / 64));
  args.out[threadIdx.x] = values[threadIdx.x % 4];
}
__global__ void fill_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [64]);
  if (threadIdx.x == 0) memset(cells, 0, 32 * sizeof(float));
  if (threadIdx.x == 1) memset(cells + 32, 0, args.n > 0 ? 32 * sizeof(float) : 8);
  __syncthreads();
  args.out[threadIdx.x] = cells[threadIdx.x];
}
__global__ void copy_call_kernel(WatchArgs args) {
  const float value = args.in[threadIdx.x];
  memcpy(args.scratch + threadIdx.x, &value, bytes_of(args.n / 256));
  args.out[threadIdx.x] = args.scratch[threadIdx.x];
}
__global__ void copy_half_written_kernel(WatchArgs args) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 32; ++i) args.scratch[i] = 1.0f;
  memcpy(args.out, args.scratch, bytes_of(64));
  args.out[64] = args.out[31];
}

struct Tail {
  float value;
  bool set;
};
struct Gap {
  char set;
  double value;
  int count;
};
template <typename T>
__device__ void copy_struct(T* a, T* b, float* out, float value) {
  a[threadIdx.x].value = value;
  a[threadIdx.x].set = true;
  __syncthreads();
  b[threadIdx.x] = a[31 - threadIdx.x];
  const T local = a[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = b[threadIdx.x].set && local.set ? static_cast<float>(b[threadIdx.x].value + local.value) : 0.0f;
}
__global__ void padding_tail_kernel(WatchArgs args) {
  NEGZERO_SHARED(Tail, a, [32]);
  NEGZERO_SHARED(Tail, b, [32]);
  copy_struct(a, b, args.out, args.in[threadIdx.x]);
}
__global__ void padding_gap_kernel(WatchArgs args) {
  NEGZERO_SHARED(Gap, a, [32]);
  NEGZERO_SHARED(Gap, b, [32]);
  a[threadIdx.x].count = 1;
  copy_struct(a, b, args.out, args.in[threadIdx.x]);
}
/// The member behind the padding of Gap.
__global__ void member_unwritten_kernel(WatchArgs args) {
  NEGZERO_SHARED(Gap, a, [32]);
  a[threadIdx.x].set = 1;
  a[threadIdx.x].count = 1;
  __syncthreads();
  args.out[threadIdx.x] = static_cast<float>(a[31 - threadIdx.x].value);
}
/// One element of a vector that is read whole is no padding.
__global__ void vector_unwritten_kernel(WatchArgs args) {
  NEGZERO_SHARED(float2, cells, [32]);
  cells[threadIdx.x].x = 1.0f;
  __syncthreads();
  const float2 v = cells[31 - threadIdx.x];
  args.out[threadIdx.x] = v.x + v.y;
}

__device__ float table[16] = {};
__global__ void variable_array_past_kernel(WatchArgs args) { args.out[threadIdx.x] = table[args.n / 16]; }
struct Weights {
  float values[4];
  long long count;
};
__global__ void argument_past(WatchArgs args, Weights weights) {
  float sum = 0.0f;
  for (long long i = 0; i < weights.count; ++i) sum += weights.values[i];
  args.out[threadIdx.x] = sum;
}
__global__ void local_array_past_kernel(WatchArgs args) {
  float values[24];
  for (int i = 0; i < 24; ++i) values[i] = args.in[i];
  args.out[threadIdx.x] = values[static_cast<int>(args.in[1]) - 2];
}
__global__ void row_past_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, tile, [4][8]);
  tile[threadIdx.x / 8][threadIdx.x % 8] = 1.0f;
  __syncthreads();
  args.out[threadIdx.x] = tile[1][args.n / 32];
}
__global__ void inner_element_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, tile, [4][8]);
  if (threadIdx.x != 13) tile[threadIdx.x / 8][threadIdx.x % 8] = 1.0f;
  __syncthreads();
  args.out[threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
}
__global__ void different_widths_kernel(WatchArgs args) {
  NEGZERO_SHARED(float4, cells, [8]);
  if (threadIdx.x == 3) cells[2] = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
  if (threadIdx.x == 20) reinterpret_cast<float*>(cells)[11] = args.in[0];
}

constexpr WatchEntry kKernels[] = {
    {"fill_past", fill_past_kernel},
    {"copy_past", copy_past_kernel},
    {"move_past", move_past_kernel},
    {"copy_race", copy_race_kernel},
    {"use_of_copy", use_of_copy_kernel},
    {"local_copy", local_copy_kernel},
    {"fill", fill_kernel},
    {"copy_call", copy_call_kernel},
    {"copy_half_written", copy_half_written_kernel},
    {"padding_tail", padding_tail_kernel},
    {"padding_gap", padding_gap_kernel},
    {"member_unwritten", member_unwritten_kernel},
    {"vector_unwritten", vector_unwritten_kernel},
    {"variable_array_past", variable_array_past_kernel},
    {"local_array_past", local_array_past_kernel},
    {"row_past", row_past_kernel},
    {"inner_element", inner_element_kernel},
    {"different_widths", different_widths_kernel},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_copy_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  if (std::strcmp(name, "argument_past") == 0) {
    negzero::launch(stream, argument_past, static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, args,
                    Weights{{1.0f, 2.0f, 3.0f, 4.0f}, 5});
    return true;
  }
  return run_entry(kKernels, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
