// Products of fragments of nvcuda::wmma by one warp, and warps that lack lanes.

#include <negzero/cuda/cuda.hpp>

#ifdef __CUDACC__
#include <mma.h>
#else
#include <negzero/cuda/matrix.hpp>
#endif

#include "kernels.hpp"

namespace {

namespace wmma = nvcuda::wmma;

using negzero_tests::MatrixProduct;

/// The type of factors. wmma has TF32 since compute capability 8.0, and kernels must be the same for all.
struct Tf32 {};
template <typename T>
struct FactorOf {
  using Type = T;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <>
struct FactorOf<Tf32> {
  using Type = wmma::precision::tf32;
};
#endif

/// d = 2 (a b + c), element by element twice the accumulator's.
template <int M, int N, int K, typename T, typename E, typename C, typename D, typename LayoutA, typename LayoutB>
__device__ void multiply(const MatrixProduct& p) {
  // Fragments of these exist since compute capability 8.0.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  using Factor = typename FactorOf<T>::Type;
  wmma::fragment<wmma::matrix_a, M, N, K, Factor, LayoutA> a;
  wmma::fragment<wmma::matrix_b, M, N, K, Factor, LayoutB> b;
  wmma::fragment<wmma::accumulator, M, N, K, C> c;
  wmma::fragment<wmma::accumulator, M, N, K, D> d;
  const auto layout = p.c_rows ? wmma::mem_row_major : wmma::mem_col_major;
  wmma::fill_fragment(d, static_cast<D>(7.0f));
  wmma::load_matrix_sync(a, static_cast<const E*>(p.a), p.lda);
  wmma::load_matrix_sync(b, static_cast<const E*>(p.b), p.ldb);
  wmma::load_matrix_sync(c, static_cast<const C*>(p.c), p.ldc, layout);
  wmma::mma_sync(d, a, b, c);
  for (int i = 0; i < d.num_elements; ++i) d.x[i] = d.x[i] + d.x[i];
  wmma::store_matrix_sync(static_cast<D*>(p.d), d, p.ldc, layout);
#endif
}

template <int M, int N, int K, typename T, typename E, typename C, typename D>
__global__ void multiply_kernel(MatrixProduct p) {
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  if (p.a_rows) {
    p.b_rows ? multiply<M, N, K, T, E, C, D, Row, Row>(p) : multiply<M, N, K, T, E, C, D, Row, Column>(p);
  } else {
    p.b_rows ? multiply<M, N, K, T, E, C, D, Column, Row>(p) : multiply<M, N, K, T, E, C, D, Column, Column>(p);
  }
}

template <typename T, typename C, typename D>
void launch_shape(negzero::engine::Stream& stream, const MatrixProduct& p) {
  if (p.m == 16) negzero::launch(stream, multiply_kernel<16, 16, 16, T, T, C, D>, 1, 32, 0, p);
  if (p.m == 32) negzero::launch(stream, multiply_kernel<32, 8, 16, T, T, C, D>, 1, 32, 0, p);
  if (p.m == 8) negzero::launch(stream, multiply_kernel<8, 32, 16, T, T, C, D>, 1, 32, 0, p);
}

/// Some lanes multiply once more than the others.
__global__ void divided_kernel(float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
  wmma::fill_fragment(a, 1.0f);
  wmma::fill_fragment(b, 1.0f);
  wmma::fill_fragment(d, 0.0f);
  if (threadIdx.x < 8) wmma::mma_sync(d, a, b, d);
  __syncwarp();
  out[threadIdx.x] = d.x[0];
}

/// A block's only warp has as many lanes as the block has threads.
__global__ void short_warp_kernel(float* out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
  wmma::fill_fragment(d, 1.0f);
  wmma::store_matrix_sync(out, d, 16, wmma::mem_row_major);
}

/// The factors' elements as code sees them, and F32 rounded to TF32.
__global__ void elements_kernel(const float* in, float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
  wmma::fill_fragment(a, 1.0f);
  wmma::fill_fragment(b, 1.0f);
  wmma::fill_fragment(d, 0.0f);
  for (int i = 0; i < a.num_elements; ++i) a.x[i] = a.x[i] + __half(1.0f);
  for (int i = 0; i < b.num_elements; ++i) b.x[i] = b.x[i] + __half(2.0f);
  wmma::mma_sync(d, a, b, d);
  if (threadIdx.x == 31) out[0] = d.x[d.num_elements - 1];
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if (threadIdx.x > 0 && threadIdx.x < 8) out[threadIdx.x] = wmma::__float_to_tf32(in[threadIdx.x]);
#endif
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void matrix_product(Stream& stream, MatrixKind kind, const MatrixProduct& p) {
  switch (kind) {
    case MatrixKind::HalfToFloat:
      launch_shape<__half, float, float>(stream, p);
      break;
    case MatrixKind::HalfToHalf:
      launch_shape<__half, __half, __half>(stream, p);
      break;
    case MatrixKind::Bfloat16:
      launch_shape<__nv_bfloat16, float, float>(stream, p);
      break;
    case MatrixKind::Signed:
      launch_shape<signed char, int, int>(stream, p);
      break;
    case MatrixKind::Unsigned:
      launch_shape<unsigned char, int, int>(stream, p);
      break;
    case MatrixKind::Tf32:
      negzero::launch(stream, multiply_kernel<16, 16, 8, Tf32, float, float, float>, 1, 32, 0, p);
      break;
    case MatrixKind::Double:
      negzero::launch(stream, multiply_kernel<8, 8, 4, double, double, double, double>, 1, 32, 0, p);
      break;
  }
}
void matrix_deserted(Stream& stream, int kind, float* out) {
  if (kind == 0) negzero::launch(stream, divided_kernel, 1, 32, 0, out);
  if (kind == 1) negzero::launch(stream, short_warp_kernel, 1, 24, 0, out);
}
void matrix_elements(Stream& stream, const float* in, float* out) {
  negzero::launch(stream, elements_kernel, 1, 32, 0, in, out);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
