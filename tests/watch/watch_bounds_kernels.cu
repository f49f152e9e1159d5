// Kernels that leave their buffers or read what nobody has written, and correct ones that look like them.

#include "watch_kernels.cuh"

namespace {

__global__ void copy_kernel(WatchArgs args) {
  const unsigned i = global_thread();
  if (i < 256) args.out[i] = args.in[i];
}
__global__ void read_past_kernel(WatchArgs args) { args.out[threadIdx.x] = args.in[threadIdx.x + 256 - 31]; }
__global__ void read_before_kernel(WatchArgs args) {
  args.out[threadIdx.x] = args.in[static_cast<int>(threadIdx.x) - 1];
}
__global__ void write_past_kernel(WatchArgs args) { args.out[threadIdx.x + 225] = 1.0f; }
__global__ void write_input_kernel(WatchArgs args) { const_cast<float*>(args.in)[threadIdx.x] = 1.0f; }
__global__ void read_null_kernel(WatchArgs args) {
  const float* nothing = args.in - reinterpret_cast<std::uintptr_t>(args.in) / sizeof(float);
  args.out[threadIdx.x] = nothing[threadIdx.x];
}
__global__ void read_wild_kernel(WatchArgs args) { args.out[threadIdx.x] = args.in[(1ll << 40) + threadIdx.x]; }
__global__ void read_past_shared_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [32]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  args.out[threadIdx.x] = cells[threadIdx.x + 1];
}
__global__ void write_past_dynamic_kernel(WatchArgs args) {
  NEGZERO_DYNAMIC_SHARED(float, cells);
  cells[threadIdx.x + 1] = args.in[threadIdx.x];
}
__global__ void misaligned_vector_kernel(WatchArgs args) {
  const float4 v = *reinterpret_cast<const float4*>(args.in + 1 + 4 * threadIdx.x);
  args.out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void misaligned_half2_kernel(WatchArgs args) {
  const __half2 v = *reinterpret_cast<const __half2*>(reinterpret_cast<const __half*>(args.in) + 1 + 2 * threadIdx.x);
  args.out[threadIdx.x] = __low2float(v) + __high2float(v);
}
__global__ void aligned_vector_kernel(WatchArgs args) {
  const float4 v = reinterpret_cast<const float4*>(args.in)[threadIdx.x];
  args.out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void uninitialised_shared_kernel(WatchArgs args) {
  NEGZERO_SHARED(float, cells, [64]);
  cells[threadIdx.x] = args.in[threadIdx.x];
  __syncthreads();
  args.out[threadIdx.x] = cells[threadIdx.x + 1];
}
__global__ void uninitialised_output_kernel(WatchArgs args) { args.out[threadIdx.x] += args.in[threadIdx.x]; }
__global__ void uninitialised_scratch_kernel(WatchArgs args) {
  args.scratch[2 * threadIdx.x] = 1.0f;
  args.out[threadIdx.x] = args.scratch[2 * threadIdx.x + (threadIdx.x == 17 ? 1 : 0)];
}
__global__ void uninitialised_atomic_kernel(WatchArgs args) { atomicAdd(args.scratch, args.in[threadIdx.x]); }
__global__ void misaligned_atomic_kernel(WatchArgs args) {
  auto* bytes = reinterpret_cast<char*>(args.counter) + 2;
  atomicAdd(reinterpret_cast<unsigned*>(bytes), 1u);
}
__global__ void local_array_kernel(WatchArgs args) {
  float values[24];
  for (int i = 0; i < 24; ++i) values[i] = args.in[threadIdx.x + static_cast<unsigned>(i)];
  int at = 0;
  for (int i = 1; i < 24; ++i) at = values[i] > values[at] ? i : at;
  args.out[threadIdx.x] = values[(at + static_cast<int>(threadIdx.x)) % 24];
}
/// Only the headers of even threads are full, and only those have a kind.
template <typename T>
__global__ void header_kernel(WatchArgs args) {
  NEGZERO_SHARED(Header<T>, headers, [32]);
  const unsigned t = threadIdx.x;
  headers[t].full = t % 2 == 0 ? 1 : 0;
  if (t % 2 == 0) headers[t].kind = 2;
  __syncthreads();
  const Header<T>* header = &headers[31 - t];
  args.out[t] = header->full == 1 && header->kind == 2 ? 1.0f : 0.0f;
}
/// Nobody has written the headers of odd threads.
template <typename T>
__global__ void header_unwritten_kernel(WatchArgs args) {
  NEGZERO_SHARED(Header<T>, headers, [32]);
  const unsigned t = threadIdx.x;
  if (t % 2 == 0) headers[t].full = headers[t].kind = 2;
  __syncthreads();
  const Header<T>* header = &headers[31 - t];
  args.out[t] = header->full == 1 && header->kind == 2 ? 1.0f : 0.0f;
}

constexpr WatchEntry kKernels[] = {
    {"copy", copy_kernel},
    {"read_past", read_past_kernel},
    {"read_before", read_before_kernel},
    {"write_past", write_past_kernel},
    {"write_input", write_input_kernel},
    {"read_null", read_null_kernel},
    {"read_wild", read_wild_kernel},
    {"read_past_shared", read_past_shared_kernel},
    {"write_past_dynamic", write_past_dynamic_kernel},
    {"misaligned_vector", misaligned_vector_kernel},
    {"misaligned_half2", misaligned_half2_kernel},
    {"aligned_vector", aligned_vector_kernel},
    {"uninitialised_shared", uninitialised_shared_kernel},
    {"uninitialised_output", uninitialised_output_kernel},
    {"uninitialised_scratch", uninitialised_scratch_kernel},
    {"uninitialised_atomic", uninitialised_atomic_kernel},
    {"misaligned_atomic", misaligned_atomic_kernel},
    {"local_array", local_array_kernel},
    {"header_8", header_kernel<unsigned char>},
    {"header_16", header_kernel<unsigned short>},
    {"header_32", header_kernel<unsigned>},
    {"header_unwritten_8", header_unwritten_kernel<unsigned char>},
    {"header_unwritten_16", header_unwritten_kernel<unsigned short>},
    {"header_unwritten_32", header_unwritten_kernel<unsigned>},
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

bool run_bounds_kernel(const char* name, Stream& stream, int blocks, int threads, const WatchArgs& args) {
  return run_entry(kKernels, name, stream, blocks, threads, args);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
