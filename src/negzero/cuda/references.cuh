// References in F64 for declarations that `negzero new` proposes: one thread, <<<1, 1>>>, computes all elements,
// with the scale of the error that is declared beside them.
//
//     launch negzero::reference::map<negzero::reference::Silu><<<1, 1>>>(y, y_scale, n, x);

#pragma once

#include <cmath>

namespace negzero::reference {

/// An element and the scale S of its error.
struct Element {
  double value, scale;
};

__host__ __device__ inline double sigmoid_of(double x) { return 1 / (1 + exp(-x)); }
/// x Phi(x), Phi the normal distribution (Hendrycks, Gimpel: Gaussian Error Linear Units, 2016).
__host__ __device__ inline double gelu_of(double x) { return x * 0.5 * erfc(-x * 0.70710678118654752440); }
/// The same paper's approximation by a hyperbolic tangent.
__host__ __device__ inline double gelu_by_tanh(double x) {
  return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

struct Copy {
  __host__ __device__ Element operator()(double x) const { return {x, fabs(x)}; }
};
struct Negate {
  __host__ __device__ Element operator()(double x) const { return {-x, fabs(x)}; }
};
struct Abs {
  __host__ __device__ Element operator()(double x) const { return {fabs(x), fabs(x)}; }
};
struct Square {
  __host__ __device__ Element operator()(double x) const { return {x * x, x * x}; }
};
struct Relu {
  __host__ __device__ Element operator()(double x) const { return {x > 0 ? x : 0, fabs(x)}; }
};
struct LeakyRelu {
  __host__ __device__ Element operator()(double x, double slope = 0.01) const {
    return {x > 0 ? x : slope * x, fabs(x)};
  }
};
struct Clip {
  __host__ __device__ Element operator()(double x, double low, double high) const {
    return {fmax(low, fmin(x, high)), fabs(x)};
  }
};
struct Sigmoid {
  __host__ __device__ Element operator()(double x) const { return {sigmoid_of(x), 1}; }
};
struct Tanh {
  __host__ __device__ Element operator()(double x) const { return {tanh(x), 1}; }
};
struct Exp {
  __host__ __device__ Element operator()(double x) const { return {exp(x), exp(x)}; }
};
struct Silu {
  __host__ __device__ Element operator()(double x) const { return {x * sigmoid_of(x), fabs(x)}; }
};
struct Gelu {
  __host__ __device__ Element operator()(double x) const { return {gelu_of(x), fabs(x)}; }
};
struct GeluByTanh {
  __host__ __device__ Element operator()(double x) const { return {gelu_by_tanh(x), fabs(x)}; }
};
struct Scale {
  __host__ __device__ Element operator()(double x, double factor) const { return {x * factor, fabs(x * factor)}; }
};
struct Axpy {
  __host__ __device__ Element operator()(double x, double y, double factor) const {
    return {factor * x + y, fabs(factor * x) + fabs(y)};
  }
};
struct Add {
  __host__ __device__ Element operator()(double x, double y) const { return {x + y, fabs(x) + fabs(y)}; }
};
struct Subtract {
  __host__ __device__ Element operator()(double x, double y) const { return {x - y, fabs(x) + fabs(y)}; }
};
struct Multiply {
  __host__ __device__ Element operator()(double x, double y) const { return {x * y, fabs(x * y)}; }
};
struct Maximum {
  __host__ __device__ Element operator()(double x, double y) const { return {fmax(x, y), fmax(fabs(x), fabs(y))}; }
};
struct Minimum {
  __host__ __device__ Element operator()(double x, double y) const { return {fmin(x, y), fmax(fabs(x), fabs(y))}; }
};
struct SiluMultiply {
  __host__ __device__ Element operator()(double x, double y) const { return {x * sigmoid_of(x) * y, fabs(x * y)}; }
};
struct GeluMultiply {
  __host__ __device__ Element operator()(double x, double y) const { return {gelu_of(x) * y, fabs(x * y)}; }
};

__host__ __device__ inline double element_of(const double* x, long long i) { return x[i]; }
__host__ __device__ inline double element_of(double x, long long) { return x; }

/// `y_scale`: nullptr where the declared error has no scale.
__device__ inline void put(double* y, double* y_scale, long long i, const Element& element) {
  y[i] = element.value;
  if (y_scale != nullptr) y_scale[i] = element.scale;
}

/// y[i] = Function(inputs[i] ...); an input is a pointer or a number.
template <typename Function, typename... Inputs>
__global__ void map(double* y, double* y_scale, long long count, Inputs... inputs) {
  for (long long i = 0; i < count; ++i) put(y, y_scale, i, Function{}(element_of(inputs, i)...));
}

/// y[i] = Function(x[i], x[count + i]).
template <typename Function>
__global__ void gated(double* y, double* y_scale, long long count, const double* x) {
  for (long long i = 0; i < count; ++i) put(y, y_scale, i, Function{}(x[i], x[count + i]));
}

/// y[0] = how many elements are `value`.
template <typename Integer>
__global__ void count_equal(Integer* y, double*, long long count, long long value, const Integer* x) {
  y[0] = 0;
  for (long long i = 0; i < count; ++i) y[0] += x[i] == value;
}

/// y[0] = mean of (a[i] - b[i])^2. The scale is y times its roundings: all terms are positive (Higham, Accuracy and
/// Stability of Numerical Algorithms, 4.2), each has those of a difference and of a square, and the quotient has one.
__global__ inline void mean_squared_error(double* y, double* y_scale, long long count, const double* a,
                                          const double* b) {
  double sum = 0;
  for (long long i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  const double mean = sum / static_cast<double>(count);
  put(y, y_scale, 0, {mean, mean * static_cast<double>(count + 8)});
}

/// y[2 i] = a[i], y[2 i + 1] = b[i].
__global__ inline void interleave(double* y, double* y_scale, long long count, const double* a, const double* b) {
  for (long long i = 0; i < count; ++i) {
    put(y, y_scale, 2 * i, Copy{}(a[i]));
    put(y, y_scale, 2 * i + 1, Copy{}(b[i]));
  }
}

/// y[i] = luma of the red, green and blue x[3 i], x[3 i + 1], x[3 i + 2] (Recommendation ITU-R BT.601, 2.5.1).
__global__ inline void gray(double* y, double* y_scale, long long count, const double* x) {
  for (long long i = 0; i < count; ++i, x += 3) {
    put(y, y_scale, i,
        {0.299 * x[0] + 0.587 * x[1] + 0.114 * x[2], 0.299 * fabs(x[0]) + 0.587 * fabs(x[1]) + 0.114 * fabs(x[2])});
  }
}

/// y[i] = x[count - 1 - i].
__global__ inline void reverse(double* y, double* y_scale, long long count, const double* x) {
  for (long long i = 0; i < count; ++i) put(y, y_scale, i, Copy{}(x[count - 1 - i]));
}

/// y[columns][rows] of x[rows][columns].
__global__ inline void transpose(double* y, double* y_scale, long long rows, long long columns, const double* x) {
  for (long long i = 0; i < rows; ++i) {
    for (long long j = 0; j < columns; ++j) put(y, y_scale, j * rows + i, Copy{}(x[i * columns + j]));
  }
}

/// y = exp(x - max) / sum(exp(x - max)) of each row. The scale is y times the number of its terms, as a sum of positive
/// terms has a relative error of at most that many roundings, whatever its order (Higham, Accuracy and Stability of
/// Numerical Algorithms, 4.2).
__global__ inline void softmax(double* y, double* y_scale, long long rows, long long columns, const double* x) {
  for (long long i = 0; i < rows; ++i) {
    const double* const row = x + i * columns;
    double most = -INFINITY, sum = 0;
    for (long long j = 0; j < columns; ++j) most = fmax(most, row[j]);
    for (long long j = 0; j < columns; ++j) sum += exp(row[j] - most);
    for (long long j = 0; j < columns; ++j) {
      const double value = exp(row[j] - most) / sum;
      put(y, y_scale, i * columns + j, {value, value * static_cast<double>(16 + columns)});
    }
  }
}

}  // namespace negzero::reference
