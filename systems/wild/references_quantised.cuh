// What is right of published operations on codes, pages and rotary positions; as references.cuh, whose comment says
// what a scale is.

#pragma once

#include <cmath>

#include "references.cuh"

namespace negzero_wild {

/// A code of `bits` bits of a word that holds several.
__device__ inline int code(int word, int place, int bits) {
  return static_cast<int>(static_cast<unsigned>(word) >> place * bits & ((1u << bits) - 1));
}

/// Place `at` of codes of `bits` bits that lie one behind the other in words that are `stride` apart.
__device__ inline int code_across(const int* words, int stride, int at, int bits) {
  const int first = at * bits / 32, shift = at * bits % 32;
  unsigned code = static_cast<unsigned>(words[first * stride]) >> shift;
  if (shift + bits > 32) code |= static_cast<unsigned>(words[(first + 1) * stride]) << (32 - shift);
  return static_cast<int>(code & ((1u << bits) - 1));
}

/// What a code may be whose number before the last rounding errs by `error`: a scale for a relative error of 0.5, which
/// is 0 unless another integer is as near.
__device__ inline double code_scale(double number, double error) {
  const double least = rint(fmax(-128.0, fmin(127.0, number - error))),
               most = rint(fmax(-128.0, fmin(127.0, number + error)));
  const double code = rint(fmax(-128.0, fmin(127.0, number)));
  return 2 * fmax(most - code, code - least);
}

}  // namespace negzero_wild

__global__ void columns_f64(const double* x, const int* from, double* y, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i < rows * columns) y[i] = x[i / columns * columns + from[i % columns]];
}

/// A tile of 16 rows and 64 columns of codes becomes 128 words of eight: word 4 t + b has codes of block b of 16
/// columns, of rows 2 (t % 4) and the next, both also 8 further on, of columns t / 4 and t / 4 + 8.
__global__ void marlin_i32(const int* w, int* y, int m, int n) {
  const int i = negzero_wild::index();
  if (i >= m * n) return;
  const int tile_row = i / (2 * n), word = i % (2 * n), tile_column = word / 128, t = word % 128 / 4, b = word % 4;
  const int order[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  unsigned packed = 0;
  for (int j = 0; j < 8; ++j) {
    const int which = order[j], pair = which % 4;
    const int row = tile_row * 16 + 2 * (t % 4) + pair % 2 + (pair / 2) * 8;
    const int column = tile_column * 64 + b * 16 + t / 4 + which / 4 * 8;
    packed |= static_cast<unsigned>(negzero_wild::code(w[row / 8 * n + column], row % 8, 4)) << 4 * j;
  }
  y[i] = static_cast<int>(packed);
}

/// Each row over its largest magnitude times 127, to nearest, within four roundings in F32. Codes whose scale is 0 in
/// F16 mean nothing.
__global__ void row_codes_f64(const double* x, signed char* codes, double* scale, double* codes_scale,
                              double* scale_scale, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  double most = 0;
  for (int j = 0; j < columns; ++j) most = fmax(most, negzero_wild::magnitude(x[i * columns + j]));
  scale[i] = most / 127;
  scale_scale[i] = 2 * scale[i];
  for (int j = 0; j < columns; ++j) {
    const double number = most == 0 ? 0 : x[i * columns + j] * 127 / most;
    codes[i * columns + j] = static_cast<signed char>(rint(number));
    codes_scale[i * columns + j] = most / 127 <= 0x1p-25
                                       ? negzero_wild::infinity()
                                       : negzero_wild::code_scale(number, 0x1p-22 * negzero_wild::magnitude(number));
  }
}

/// x / 2 (1 + tanh(s x (1 + 0.044715 x^2))) in F16, whose roundings are `u`, over the row's largest magnitude times
/// 127. The argument errs by 5u of itself, which tanh's slope makes less than 3u, tanh and the sum with 1 by 2u and u
/// more, and x / 2 scales all of it; then come a product, the factor in F16 and its product.
__global__ void gelu_codes_f64(const double* x, signed char* codes, double* scale, double* codes_scale,
                               double* scale_scale, int rows, int columns) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  const double u = 0x1p-11, s = sqrt(2 / 3.14159265358979323846);
  double most = 0, most_error = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = 0; j < columns; ++j) {
      const double each = x[i * columns + j];
      const double value = 0.5 * each * (1 + tanh(s * each * (1 + 0.044715 * each * each)));
      const double error = u * (3 * negzero_wild::magnitude(each) + 2 * negzero_wild::magnitude(value)) + 0x1p-24;
      if (pass == 0) {
        most = fmax(most, negzero_wild::magnitude(value));
        most_error = fmax(most_error, error);
      } else {
        const double number = most == 0 ? 0 : value * 127 / most, away = negzero_wild::magnitude(number);
        codes[i * columns + j] = static_cast<signed char>(rint(number));
        const bool unsaid = most / 127 <= 0x1p-25 || most_error > most / 4;
        codes_scale[i * columns + j] =
            unsaid ? negzero_wild::infinity()
                   : negzero_wild::code_scale(number,
                                              1.4 * (error * 127 / most + away * most_error / most) + 3 * u * away);
      }
    }
  }
  scale[i] = most / 127;
  scale_scale[i] = 2 * u * scale[i] + most_error / 127;
}

/// x / (1 + exp(-x)) of the first half of a row, rounded to the format with `own` u of F32 as its u, times the second
/// half. exp(-x) overflows where the quotient is less than 2^-118.
__global__ void silu_and_mul_f64(const double* x, double* y, double* y_scale, int rows, int columns, double own,
                                 double least) {
  const int i = negzero_wild::index();
  if (i >= rows * columns) return;
  const double* row = x + i / columns * 2 * columns;
  const double each = row[i % columns], gate = row[columns + i % columns];
  y[i] = each / (1 + exp(-each)) * gate;
  y_scale[i] =
      (10 + own) * negzero_wild::magnitude(y[i]) + negzero_wild::magnitude(gate) * least + negzero_wild::kLeast;
}

/// x times codes of four bits less their group's zero point times its scale: k products, each rounded, and sums of
/// them.
__global__ void gemv4_f64(const double* x, const int* w, const int* zeros, const double* scales, double* y,
                          double* y_scale, int batch, int ic, int oc, int group, int zeros_width) {
  const int i = negzero_wild::index();
  if (i >= batch * oc) return;
  const int b = i / oc, o = i % oc;
  double sum = 0, magnitudes = 0;
  for (int j = 0; j < ic; ++j) {
    const int g = j / group;
    const int number = negzero_wild::code(w[o * (ic / 8) + j / 8], j % 8, 4) -
                       negzero_wild::code(zeros[o * zeros_width + g / 8], g % 8, 4);
    const double term = x[b * ic + j] * scales[o * zeros_width * 8 + g] * number;
    sum += term;
    magnitudes += negzero_wild::magnitude(term);
  }
  y[i] = sum;
  y_scale[i] = (ic + 2) * magnitudes + ic * negzero_wild::kLeast;
}

/// Pairs (j, j + r / 2) of the first r of each head, turned by the cosines and sines of their token's place. `of_key`
/// and the rest of a head stay.
__global__ void rope_f64(const long long* positions, const double* x, const double* table, double* y, double* y_scale,
                         int tokens, int heads, int size, int turned) {
  const int i = negzero_wild::index();
  if (i >= tokens * heads * size) return;
  const int at = i % size, half = turned / 2;
  const double* row = table + positions[i / (heads * size)] * turned;
  if (at >= turned) {
    y[i] = x[i];
    y_scale[i] = 0;
    return;
  }
  const double cosine = row[at % half], sine = row[half + at % half];
  const double first = x[i] * cosine, second = at < half ? -x[i + half] * sine : x[i - half] * sine;
  y[i] = first + second;
  y_scale[i] = negzero_wild::magnitude(first) + negzero_wild::magnitude(second) + 2 * negzero_wild::kLeast;
}

/// x / sqrt(mean of squares + epsilon) * weight, within -most and most. As rmsnorm_f64().
__global__ void t5norm_f64(const double* x, const double* weight, double* y, double* y_scale, int rows, int columns,
                           double epsilon, double most) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  double squares = 0;
  for (int j = 0; j < columns; ++j) squares += x[i * columns + j] * x[i * columns + j];
  const double factor = 1 / sqrt(squares / columns + epsilon);
  for (int j = 0; j < columns; ++j) {
    const double value = x[i * columns + j] * factor * weight[j];
    y[i * columns + j] = fmin(fmax(value, -most), most);
    y_scale[i * columns + j] = negzero_wild::magnitude(value) * (0.5 * (columns + 3) + 8) +
                               (1 + negzero_wild::magnitude(weight[j])) * negzero_wild::kLeast;
  }
}

/// x times codes less their zero point, one more than its code modulo `zeros`, times their scale: k products, the
/// weight's two roundings and the product's each, and sums of them.
__global__ void vecquant_f64(const double* x, const int* w, const double* scales, const int* zeros, const int* group,
                             double* y, double* y_scale, int batch, int k, int n, int bits, int zero_words, int wrap) {
  const int i = negzero_wild::index();
  if (i >= batch * n) return;
  const int b = i / n, column = i % n;
  double sum = 0, magnitudes = 0;
  for (int j = 0; j < k; ++j) {
    const int zero = (negzero_wild::code_across(zeros + group[j] * zero_words, 1, column, bits) + 1) % wrap;
    const double term =
        x[b * k + j] * scales[group[j] * n + column] * (negzero_wild::code_across(w + column, n, j, bits) - zero);
    sum += term;
    magnitudes += negzero_wild::magnitude(term);
  }
  y[i] = sum;
  y_scale[i] = (k + 3) * magnitudes + k * negzero_wild::kLeast;
}

/// Codes of four bits, eight rows a word, less one more than their group's zero point modulo 16, times its scale.
__global__ void dequantised4_f64(const int* w, const int* zeros, const double* scales, double* y, int height, int width,
                                 int size) {
  const int i = negzero_wild::index();
  if (i >= height * width) return;
  const int row = i / width, column = i % width, group = row / size;
  const int zero = (negzero_wild::code(zeros[group * (width / 8) + column / 8], column % 8, 4) + 1) % 16;
  y[i] = (negzero_wild::code(w[row / 8 * width + column], row % 8, 4) - zero) * scales[group * width + column];
}

/// Rows of codes, eight a word, in the order of their group; those of one group keep theirs.
__global__ void in_groups_i32(const int* w, const int* group, int* y, int height, int width) {
  const int column = negzero_wild::index();
  if (column >= width) return;
  for (int row = 0; row < height; ++row) {
    int to = 0;
    for (int other = 0; other < height; ++other) {
      to += group[other] < group[row] || (group[other] == group[row] && other < row);
    }
    if (to % 8 == 0) y[to / 8 * width + column] = 0;
  }
  for (int row = 0; row < height; ++row) {
    int to = 0;
    for (int other = 0; other < height; ++other) {
      to += group[other] < group[row] || (group[other] == group[row] && other < row);
    }
    const unsigned code = negzero_wild::code(w[row / 8 * width + column], row % 8, 4);
    y[to / 8 * width + column] |= static_cast<int>(code << 4 * (to % 8));
  }
}

/// x times dequantised4_f64(), summed in F16 in blocks of `block` rows that are added to the result in any order: every
/// product and sum rounds, and so does the factor of eight products by their scale.
__global__ void q4_matmul_f64(const double* x, const int* w, const int* zeros, const double* scales, double* y,
                              double* y_scale, int rows, int dim, int width, int size) {
  const int i = negzero_wild::index();
  if (i >= rows * width) return;
  const int r = i / width, column = i % width;
  double sum = 0, magnitudes = 0, most = 0;
  for (int j = 0; j < dim; ++j) {
    const int group = j / size;
    const int zero = (negzero_wild::code(zeros[group * (width / 8) + column / 8], column % 8, 4) + 1) % 16;
    const int number = negzero_wild::code(w[j / 8 * width + column], j % 8, 4) - zero;
    const double scale = scales[group * width + column], term = x[r * dim + j] * number * scale;
    sum += term;
    magnitudes += negzero_wild::magnitude(term);
    most += negzero_wild::magnitude(x[r * dim + j]) * 15 * fmax(1.0, negzero_wild::magnitude(scale));
  }
  const bool unsaid = most > 3e4;
  y[i] = unsaid ? 0 : sum;
  y_scale[i] = unsaid ? negzero_wild::infinity() : (dim + 6) * magnitudes + dim * 0x1p-13;
}

/// Eight truth values a byte, the first one highest, or lowest.
__global__ void packed_bits_u8(const unsigned char* x, unsigned char* y, int n, bool first_is_high) {
  const int i = negzero_wild::index();
  if (i >= (n + 7) / 8) return;
  unsigned packed = 0;
  for (int j = 0; j < 8 && i * 8 + j < n; ++j) packed |= unsigned(x[i * 8 + j] != 0) << (first_is_high ? 7 - j : j);
  y[i] = static_cast<unsigned char>(packed);
}

/// layernorm_row() of references.cuh as codes: each row over its largest magnitude, which F16 holds with `own` of
/// itself, times 127. The variance is the mean of squares less the square of the mean: its error grows with both. Where
/// that is more than an eighth of it, nothing is said.
__global__ void layernorm_codes_f64(const double* x, const double* weight, const double* bias, signed char* codes,
                                    double* scale, double* codes_scale, double* scale_scale, int rows, int columns,
                                    double epsilon, double own) {
  const int i = negzero_wild::index();
  if (i >= rows) return;
  const double u = 0x1p-24, *row = x + i * columns;
  double mean = 0, magnitudes = 0, squares = 0, variance = 0;
  for (int j = 0; j < columns; ++j) {
    mean += row[j] / columns;
    magnitudes += negzero_wild::magnitude(row[j]) / columns;
    squares += row[j] * row[j] / columns;
  }
  for (int j = 0; j < columns; ++j) variance += (row[j] - mean) * (row[j] - mean) / columns;
  const double rstd = 1 / sqrt(variance + epsilon), wide = (2 * columns + 16) * u * squares / (variance + epsilon);
  double most = 1e-6, most_error = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = 0; j < columns; ++j) {
      const double away = row[j] - mean, value = away * rstd * weight[j] + bias[j];
      const double error = negzero_wild::magnitude(weight[j]) * rstd *
                               ((columns + 8) * u * magnitudes + negzero_wild::magnitude(away) * (wide + 8 * u)) +
                           2 * u * (negzero_wild::magnitude(bias[j]) + negzero_wild::magnitude(value)) + 0x1p-100;
      if (pass == 0) {
        most = fmax(most, negzero_wild::magnitude(value));
        most_error = fmax(most_error, error);
      } else {
        const double number = value * 127 / most, far = negzero_wild::magnitude(number);
        codes[i * columns + j] = static_cast<signed char>(rint(fmax(-128.0, fmin(127.0, number))));
        codes_scale[i * columns + j] =
            wide > 0.125 || most_error > most / 4
                ? negzero_wild::infinity()
                : negzero_wild::code_scale(number, 1.5 * (error * 127 / most + far * most_error / most) +
                                                       far * (own + 0x1p-24 / most + 8 * u));
      }
    }
  }
  scale[i] = most / 127;
  scale_scale[i] = wide > 0.125 ? negzero_wild::infinity() : scale[i] * (own + 4 * u) + 2 * most_error / 127 + 0x1p-31;
}
