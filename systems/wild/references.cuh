// What is right of published operations that negzero has no definition of, in double: the values, and the scale that an
// error is relative to. Declarations include this file and declare its kernels as references.
//
// u is the unit roundoff of the format that a kernel computes in, 2^-24 of F32 and 2^-11 of F16. A scale is the error
// of a kernel over u at most, to first order; declarations give 2u as relative error, so that as much again is left for
// the second order. A sum of n terms in any order errs by (n - 1) u times the sum of their magnitudes (docs/explanation/numerics.md
// section 2c). expf, tanhf, erff, logf and rsqrtf err by 2 ulp at most, coshf as well (CUDA C++ Programming Guide,
// mathematical functions), and 1 ulp is at most 2u. A value of which nothing is said is 0 with an infinite scale.
//
// One thread an element, or a row: `<<<(n + 63) / 64, 64>>>`.

#pragma once

#include <cmath>

namespace negzero_wild {

/// Over u: half of the least number that F32 has is what a result below the normal numbers may err by.
constexpr double kLeast = 0x1p-125;
/// Squares of more may overflow in F32.
constexpr double kFar = 0x1p60;

__device__ inline bool is_nan(double x) { return x != x; }
__device__ inline double infinity() { return HUGE_VAL; }
__device__ inline double magnitude(double x) { return x < 0 ? -x : x; }

/// The first index of a thread, one dimension.
__device__ inline int index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// exp(x - m) / sum: |x - m| u of the difference and of the sum's terms, 4u of each exp, `factor` n u of the sum. A sum
/// that is scaled anew for each larger maximum has a factor of 6: exp, product and sum of each addition.
__device__ inline void softmax_row(const double* x, double* y, double* y_scale, int columns, double factor) {
  double most = -infinity();
  bool has_nan = false;
  for (int j = 0; j < columns; ++j) {
    has_nan = has_nan || is_nan(x[j]);
    if (x[j] > most) most = x[j];
  }
  double sum = 0;
  for (int j = 0; j < columns; ++j) sum += exp(x[j] - most);
  for (int j = 0; j < columns; ++j) {
    y[j] = has_nan ? x[j] * 0 + (most - most) + (sum - sum) + sqrt(-1.0) : exp(x[j] - most) / sum;
    y_scale[j] = y[j] == 0 ? 0 : y[j] * (2 * magnitude(x[j] - most) + factor * columns + 16);
  }
}

/// Mean, 1 / sqrt(variance + epsilon) and (x - mean) rstd weight + bias. `off` is the error of the mean; the sum of
/// squares of differences has its own roundings, and those of the mean to first and second order.
__device__ inline void layernorm_row(const double* x, const double* weight, const double* bias, double* y,
                                     double* y_scale, double* mean_out, double* mean_scale, double* rstd_out,
                                     double* rstd_scale, int columns, double epsilon) {
  const double u = 0x1p-24;
  double sum = 0, sum_magnitude = 0, most = 0;
  bool finite = true;
  for (int j = 0; j < columns; ++j) {
    sum += x[j];
    sum_magnitude += magnitude(x[j]);
    if (!isfinite(x[j])) finite = false;
    if (isfinite(x[j]) && magnitude(x[j]) > most) most = magnitude(x[j]);
  }
  const double mean = sum / columns;
  double squares = 0, aways = 0;
  for (int j = 0; j < columns; ++j) {
    squares += (x[j] - mean) * (x[j] - mean);
    aways += magnitude(x[j] - mean);
  }
  const double variance = squares / columns, rstd = 1 / sqrt(variance + epsilon);
  const double off = (columns + 2) * sum_magnitude / columns + kLeast;
  const double wide = (columns + 8) * variance + 2 * off * aways / columns + off * off * u;
  const double root = 0.5 * wide / (variance + epsilon) + 6;
  const bool unsaid = most >= kFar || (finite && !(root * u < 0x1p-3));
  *mean_out = unsaid ? 0 : mean;
  *mean_scale = unsaid ? infinity() : off;
  *rstd_out = unsaid ? 0 : rstd;
  *rstd_scale = unsaid ? infinity() : rstd * root;
  for (int j = 0; j < columns; ++j) {
    const double away = magnitude(x[j] - mean), value = (x[j] - mean) * rstd * weight[j] + bias[j];
    // The product may overflow before the bias is added.
    const bool nothing = unsaid || isinf(weight[j]) || !(magnitude(value - bias[j]) < 0x1p126 || !isfinite(value));
    y[j] = nothing ? 0 : value;
    y_scale[j] = nothing ? infinity()
                         : magnitude(weight[j]) * (rstd * (off + away * (root + 8)) + kLeast) + magnitude(bias[j]) +
                               magnitude(value);
  }
}

}  // namespace negzero_wild

__global__ void softmax_f64(const double* x, double* y, double* y_scale, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i < rows) negzero_wild::softmax_row(x + i * columns, y + i * columns, y_scale + i * columns, columns, 1);
}

__global__ void softmax_online_f64(const double* x, double* y, double* y_scale, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i < rows) negzero_wild::softmax_row(x + i * columns, y + i * columns, y_scale + i * columns, columns, 6);
}

__global__ void layernorm_f64(const double* x, const double* weight, const double* bias, double* y, double* mean,
                              double* rstd, double* y_scale, double* mean_scale, double* rstd_scale, int rows,
                              int columns, double epsilon) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  negzero_wild::layernorm_row(x + i * columns, weight, bias, y + i * columns, y_scale + i * columns, mean + i,
                              mean_scale + i, rstd + i, rstd_scale + i, columns, epsilon);
}

/// The sum in F32 as BF16 holds it, and layernorm_row() of that.
__global__ void fused_residual_f64(const double* a, const double* b, const double* weight, const double* bias,
                                   double* total, double* y, double* mean, double* rstd, double* y_scale,
                                   double* mean_scale, double* rstd_scale, int rows, int columns, double epsilon) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  for (int j = 0; j < columns; ++j) {
    const int at = i * columns + j;
    total[at] = static_cast<float>(__float2bfloat16(static_cast<float>(a[at] + b[at])));
  }
  negzero_wild::layernorm_row(total + i * columns, weight, bias, y + i * columns, y_scale + i * columns, mean + i,
                              mean_scale + i, rstd + i, rstd_scale + i, columns, epsilon);
}

/// x / sqrt(mean of squares + epsilon) * weight. Squares are positive: their mean has a relative error of n + 3, the
/// root halves it; 4u of rsqrtf and two products.
__global__ void rmsnorm_f64(const double* x, double* y, double* y_scale, int rows, int columns, double epsilon,
                            double weight) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  double squares = 0, most = 0;
  for (int j = 0; j < columns; ++j) {
    const double each = x[i * columns + j];
    squares += each * each;
    if (isfinite(each) && negzero_wild::magnitude(each) > most) most = negzero_wild::magnitude(each);
  }
  const double factor = 1 / sqrt(squares / columns + epsilon);
  for (int j = 0; j < columns; ++j) {
    const int at = i * columns + j;
    const bool unsaid = most >= negzero_wild::kFar;
    y[at] = unsaid ? 0 : x[at] * factor * weight;
    y_scale[at] = unsaid ? negzero_wild::infinity()
                         : negzero_wild::magnitude(y[at]) * (0.5 * (columns + 3) + 8) +
                               (1 + negzero_wild::magnitude(weight)) * negzero_wild::kLeast;
  }
}

/// x / 2 (1 + tanh(s (x + 0.044715 x^3))): the argument errs by 8u of itself, which tanh's slope makes less than 4u,
/// tanh by 4u of 1, the sum with 1 by 2u, and x scales all of it.
__global__ void gelu_f64(const double* x, double* y, double* y_scale, int count) {
  const int i = negzero_wild::index();
  if (i >= count) return;
  y[i] = 0.5 * x[i] * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x[i] + 0.044715 * x[i] * x[i] * x[i])));
  y_scale[i] = 12 * negzero_wild::magnitude(x[i]) + negzero_wild::magnitude(y[i]);
}

/// The derivative of gelu_f64() times dy. With z = s (x + 0.044715 x^3), which errs by 8u of itself: the term
/// (1 + tanh z) / 2 by 4 + 4 + 2, x / 2 sech^2(z) z' by 2 |z| 8 of itself, 4 of cosh twice and 10 roundings.
__global__ void gelu_backward_f64(const double* x, const double* dy, double* dx, double* dx_scale, int count) {
  const int i = negzero_wild::index();
  if (i >= count) return;
  const double s = sqrt(2 / 3.14159265358979323846), z = s * (x[i] + 0.044715 * x[i] * x[i] * x[i]);
  const double sech = 1 / (cosh(z) * cosh(z)), slope = s * (1 + 3 * 0.044715 * x[i] * x[i]);
  // cosh^2 overflows in F32 where sech is below 2^-126: the product is less than 2^-100 then, or 0 times infinity.
  const double bend = sech == 0 ? 0 : 0.5 * x[i] * sech * slope;
  const bool unsaid = negzero_wild::magnitude(x[i]) >= negzero_wild::kFar;  // x^2 overflows: 0 times infinity.
  const double value = (0.5 * (1 + tanh(z)) + bend) * dy[i];
  dx[i] = unsaid ? 0 : value;
  dx_scale[i] = unsaid
                    ? negzero_wild::infinity()
                    : negzero_wild::magnitude(dy[i]) *
                              (10 + negzero_wild::magnitude(bend) * (16 * negzero_wild::magnitude(z) + 20) + 0x1p-70) +
                          negzero_wild::magnitude(value);
}

/// a + b in F32, rounded once more to what the output holds.
__global__ void add_f64(const double* a, const double* b, double* y, int count) {
  const int i = negzero_wild::index();
  if (i < count) y[i] = a[i] + b[i];
}

__global__ void transpose_f64(const double* x, double* y, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i < rows * columns) y[(i % columns) * rows + i / columns] = x[i];
}

__global__ void transpose_i32(const int* x, int* y, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i < rows * columns) y[(i % columns) * rows + i / columns] = x[i];
}

/// How often each number is there. One thread a bin.
__global__ void histogram_f64(const int* at, int* counts, int n, int bins) {
  const int bin = negzero_wild::index();
  if (bin >= bins) return;
  int count = 0;
  for (int i = 0; i < n; ++i) count += at[i] == bin;
  counts[bin] = count;
}

/// Functions of one number, with the scale of their error.
#define NEGZERO_WILD_FUNCTION(NAME, VALUE, SCALE)                                  \
  __global__ void NAME(const double* x_, double* y_, double* y_scale, int count) { \
    const int i = negzero_wild::index();                                           \
    if (i >= count) return;                                                        \
    const double x = x_[i], y = (VALUE);                                           \
    y_[i] = y;                                                                     \
    y_scale[i] = (SCALE);                                                          \
  }

/// 1 / (1 + exp(-x)): 4u of exp, the sum, the quotient.
NEGZERO_WILD_FUNCTION(sigmoid_f64, 1 / (1 + exp(-x)), 8 * y)
/// x / (1 + exp(-x)), which is NaN at -infinity as the formula is.
NEGZERO_WILD_FUNCTION(swish_f64, x / (1 + exp(-x)), 10 * negzero_wild::magnitude(y))
/// x, or exp(x) - 1 of x <= 0: 4u of exp, which is 1 at most, and the difference.
NEGZERO_WILD_FUNCTION(elu_f64, x > 0 ? x : exp(x) - 1, x > 0 ? 0 : 4 * exp(x) + negzero_wild::magnitude(y))
/// x (x + 3) / 6 between -3 and 3: the sum errs by u of itself, then come a product and a quotient.
NEGZERO_WILD_FUNCTION(hardswish_f64, x >= 3 ? x : x <= -3 ? 0 : x * (x + 3) / 6, 4 * negzero_wild::magnitude(y))
#undef NEGZERO_WILD_FUNCTION

/// The larger of x and 0, exactly.
__global__ void relu_f64(const double* x, double* y, int count) {
  const int i = negzero_wild::index();
  if (i < count) y[i] = x[i] > 0 ? x[i] : negzero_wild::is_nan(x[i]) ? x[i] : 0;
}

/// x where |x| > 1/2, and 0, exactly.
__global__ void hardshrink_f64(const double* x, double* y, int count) {
  const int i = negzero_wild::index();
  if (i < count) y[i] = x[i] > 0.5 || x[i] < -0.5 || negzero_wild::is_nan(x[i]) ? x[i] : 0;
}

__global__ void permute_f64(const double* x, double* y, int rows, int columns, int depth) {
  const int i = negzero_wild::index();
  if (i >= rows * columns * depth) return;
  const int row = i / (columns * depth), column = i / depth % columns, at = i % depth;
  y[(at * columns + column) * rows + row] = x[i];
}

__global__ void permute_first_f64(const double* x, double* y, int rows, int columns, int depth) {
  const int i = negzero_wild::index();
  if (i < rows * columns * depth) y[i % depth * rows * columns + i / depth] = x[i];
}

/// -log(probability of the target): 4u of logf of itself, and of numbers near 1, where it is small, its last place.
__global__ void crossentropy_f64(const double* probs, const int* targets, double* losses, double* losses_scale,
                                 int rows, int columns) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  losses[i] = -log(probs[i * columns + targets[i]]);
  losses_scale[i] = 4 * negzero_wild::magnitude(losses[i]);
}

/// (p - indicator) dloss: a difference, a product.
__global__ void crossentropy_backward_f64(const double* probs, const double* dlosses, const int* targets,
                                          double* dlogits, double* dlogits_scale, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i >= rows * columns) return;
  const int row = i / columns;
  dlogits[i] = (probs[i] - (i % columns == targets[row] ? 1 : 0)) * dlosses[row];
  dlogits_scale[i] = 2 * negzero_wild::magnitude(dlogits[i]);
}

__global__ void encoder_f64(const int* tokens, const double* wte, const double* wpe, double* y, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i < rows * columns) y[i] = wte[tokens[i / columns] * columns + i % columns] + wpe[i];
}

/// What a published kernel adds to, where its main() has zeros.
template <typename T>
__global__ void zeros_kernel(T* y, int count) {
  const int i = negzero_wild::index();
  if (i < count) y[i] = T(0.0f);
}

/// What a published kernel updates in place.
__global__ void copy3_kernel(const float* a, const float* b, const float* c, float* x, float* y, float* z, int count) {
  const int i = negzero_wild::index();
  if (i >= count) return;
  x[i] = a[i];
  y[i] = b[i];
  z[i] = c[i];
}

/// Rows of layernorm_row() with one weight and one bias.
__global__ void layernorm_scalars_f64(const double* x, double g, double b, double* y, double* y_scale, int rows,
                                      int columns, double epsilon) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  double mean, mean_scale, rstd, rstd_scale;
  double weight[1024], bias[1024];
  for (int j = 0; j < columns; ++j) {
    weight[j] = g;
    bias[j] = b;
  }
  negzero_wild::layernorm_row(x + i * columns, weight, bias, y + i * columns, y_scale + i * columns, &mean, &mean_scale,
                              &rstd, &rstd_scale, columns, epsilon);
}

__global__ void embedding_f64(const int* at, const double* weight, double* y, int n, int columns) {
  const int i = negzero_wild::index();
  if (i < n * columns) y[i] = weight[at[i / columns] * columns + i % columns];
}

/// Element `i` of inp weight^T and `first`: `terms` terms at most, k of them products.
__device__ void linear_element(const double* inp, const double* weight, double first, double* out, double* out_scale,
                               int i, int columns, int k, int terms) {
  double sum = first, magnitudes = isfinite(sum) ? negzero_wild::magnitude(sum) : 0;
  for (int j = 0; j < k; ++j) {
    const double term = inp[i / columns * k + j] * weight[i % columns * k + j];
    sum += term;
    if (isfinite(term)) magnitudes += negzero_wild::magnitude(term);
  }
  // Sums and products may overflow on their way.
  const bool unsaid = !(magnitudes < 0x1p127);
  out[i] = unsaid ? 0 : sum;
  out_scale[i] = unsaid ? negzero_wild::infinity() : terms * (magnitudes + negzero_wild::kLeast);
}

/// inp weight^T: k products and sums of them.
__global__ void linear_f64(const double* inp, const double* weight, double* out, double* out_scale, int rows,
                           int columns, int k) {
  const int i = negzero_wild::index();
  if (i < rows * columns) linear_element(inp, weight, 0, out, out_scale, i, columns, k, k);
}

/// linear_f64() and a bias: one term more.
__global__ void linear_bias_f64(const double* inp, const double* weight, const double* bias, double* out,
                                double* out_scale, int rows, int columns, int k) {
  const int i = negzero_wild::index();
  if (i < rows * columns) linear_element(inp, weight, bias[i % columns], out, out_scale, i, columns, k, k + 1);
}

/// Indices as bytes, `shift` bits to the left.
__global__ void bytes_kernel(const int* at, unsigned char* bytes, int count, int shift) {
  const int i = negzero_wild::index();
  if (i < count) bytes[i] = static_cast<unsigned char>(at[i] << shift);
}

/// Memory that launches of histograms need: bytes of data, and histograms of parts.
__device__ unsigned char bytes_of_data[65536];
__device__ unsigned int histograms_of_parts[240 * 256];

/// Where a variable of the device lies, for a launch.
template <typename T, size_t kCount>
T* memory_of(const T (&variable)[kCount]) {
  void* address = nullptr;
  cudaGetSymbolAddress(&address, variable);
  return static_cast<T*>(address);
}
