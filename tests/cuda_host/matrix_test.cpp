// nvcuda::wmma: every shape, type and layout on exact integers; roundings are in tests/matrix_unit.

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "bits.hpp"
#include "kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Order;
using negzero::engine::Settings;
using negzero::number::FormatId;
using ::testing::HasSubstr;

/// Numbers of one type as they lie in memory.
struct Type {
  FormatId format;   ///< of floats
  int integer_bits;  ///< 0: floats
  std::size_t size_bytes() const { return static_cast<std::size_t>(integer_bits != 0 ? integer_bits : bits()) / 8; }
  int bits() const { return negzero::number::format(format).bits; }
  void store(unsigned char* to, double value) const {
    const std::uint64_t word = integer_bits != 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                                 : negzero::number::from_double(negzero::number::format(format), value);
    std::memcpy(to, &word, size_bytes());
  }
  double load(const unsigned char* from) const {
    std::uint64_t word = 0;
    std::memcpy(&word, from, size_bytes());
    if (integer_bits == 32) return static_cast<std::int32_t>(word);
    return negzero::number::to_double(negzero::number::format(format), word);
  }
};

/// A matrix with room between its lines.
class Matrix {
 public:
  Matrix(Type type, unsigned rows, unsigned columns, bool row_major)
      : type_(type),
        columns_(columns),
        row_major_(row_major),
        lines_(row_major ? rows : columns),
        stride((row_major ? columns : rows) + 8),
        bytes_(lines_ * stride * type.size_bytes(), 0xa5) {}
  unsigned char* at(unsigned row, unsigned column) {
    return bytes_.data() + (row_major_ ? row * stride + column : column * stride + row) * type_.size_bytes();
  }
  void set(unsigned row, unsigned column, double value) { type_.store(at(row, column), value); }
  double get(unsigned row, unsigned column) { return type_.load(at(row, column)); }
  unsigned char* data() { return bytes_.data(); }
  /// Bytes that no element has and that hold something else than at first.
  std::size_t overwritten() {
    std::size_t count = 0;
    const std::size_t line_bytes = (stride - 8) * type_.size_bytes();
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (i % (stride * type_.size_bytes()) >= line_bytes && bytes_[i] != 0xa5) ++count;
    }
    return count;
  }

 private:
  Type type_;
  unsigned columns_;
  bool row_major_;
  unsigned lines_;

 public:
  unsigned stride;

 private:
  std::vector<unsigned char> bytes_;
};

struct Kind {
  MatrixKind kind;
  Type factors, sums;
};
constexpr Type kHalf{FormatId::F16, 0}, kFloat{FormatId::F32, 0}, kInt{FormatId::F32, 32};
const Kind kKinds[] = {{MatrixKind::HalfToFloat, kHalf, kFloat},
                       {MatrixKind::HalfToHalf, kHalf, kHalf},
                       {MatrixKind::Bfloat16, {FormatId::BF16, 0}, kFloat},
                       {MatrixKind::Signed, {FormatId::F32, 8}, kInt},
                       {MatrixKind::Unsigned, {FormatId::F32, 8}, kInt},
                       {MatrixKind::Tf32, kFloat, kFloat},
                       {MatrixKind::Double, {FormatId::F64, 0}, {FormatId::F64, 0}}};

void expect_product(const Kind& kind, unsigned m, unsigned n, unsigned k, unsigned layouts, Order order) {
  const bool is_unsigned = kind.kind == MatrixKind::Unsigned;
  Matrix a(kind.factors, m, k, (layouts & 1) != 0), b(kind.factors, k, n, (layouts & 2) != 0),
      c(kind.sums, m, n, (layouts & 4) != 0), d(kind.sums, m, n, (layouts & 4) != 0);
  const auto a_of = [&](unsigned i, unsigned l) { return (i * 7 + l * 3) % 11 - (is_unsigned ? 0.0 : 5.0); };
  const auto b_of = [&](unsigned l, unsigned j) { return (l * 5 + j) % 13 - (is_unsigned ? 0.0 : 6.0); };
  for (unsigned l = 0; l < k; ++l) {
    for (unsigned i = 0; i < m; ++i) a.set(i, l, a_of(i, l));
    for (unsigned j = 0; j < n; ++j) b.set(l, j, b_of(l, j));
  }
  for (unsigned i = 0; i < m; ++i) {
    for (unsigned j = 0; j < n; ++j) c.set(i, j, static_cast<double>(i * n + j) - 100);
  }
  Settings settings;
  settings.schedule.order = order;
  settings.schedule.seed = 5;
  Stream stream(settings);
  host::matrix_product(stream, kind.kind,
                       {a.data(), b.data(), c.data(), d.data(), a.stride, b.stride, c.stride, (layouts & 1) != 0,
                        (layouts & 2) != 0, (layouts & 4) != 0, static_cast<int>(m)});
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_TRUE(stream.report().warnings.empty());
  EXPECT_EQ(d.overwritten(), 0u);
  for (unsigned i = 0; i < m; ++i) {
    for (unsigned j = 0; j < n; ++j) {
      double sum = static_cast<double>(i * n + j) - 100;
      for (unsigned l = 0; l < k; ++l) sum += a_of(i, l) * b_of(l, j);
      ASSERT_EQ(d.get(i, j), 2 * sum) << "kind " << static_cast<int>(kind.kind) << ", " << m << " x " << n
                                      << ", layouts " << layouts << ", row " << i << ", column " << j;
    }
  }
}

TEST(Matrix, ProductsOfEveryShapeTypeAndLayout) {
  for (const Kind& kind : kKinds) {
    for (unsigned layouts = 0; layouts < 8; ++layouts) {
      const Order order = layouts % 3 == 0 ? Order::Forward : layouts % 3 == 1 ? Order::Backward : Order::Random;
      if (kind.kind == MatrixKind::Tf32) {
        expect_product(kind, 16, 16, 8, layouts, order);
      } else if (kind.kind == MatrixKind::Double) {
        expect_product(kind, 8, 8, 4, layouts, order);
      } else {
        expect_product(kind, 16, 16, 16, layouts, order);
        expect_product(kind, 32, 8, 16, layouts, order);
        expect_product(kind, 8, 32, 16, layouts, order);
      }
    }
  }
}

TEST(Matrix, HalfAccumulatorsAreRoundedOnce) {
  Matrix a(kHalf, 16, 16, true), b(kHalf, 16, 16, true), c(kHalf, 16, 16, true), d(kHalf, 16, 16, true);
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j) {
      a.set(i, j, j == 0 ? 1024 : 0.5);
      b.set(i, j, i == 0 || i <= j ? 1 : 0);
      c.set(i, j, 0);
    }
  }
  Stream stream{Settings{}};
  host::matrix_product(stream, MatrixKind::HalfToHalf,
                       {a.data(), b.data(), c.data(), d.data(), a.stride, b.stride, c.stride, true, true, true, 16});
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  // 1024 + j / 2, where F16 has integers alone: ties go to the even one, and no sum of halves is lost before.
  for (unsigned j = 0; j < 16; ++j) {
    const unsigned rounded = 1024 + (j % 4 == 3 ? j / 2 + 1 : j / 2);
    EXPECT_EQ(d.get(3, j), 2.0 * rounded) << j;
  }
}

TEST(Matrix, CodeMayChangeEveryElementAlike) {
  const float nan = std::bit_cast<float>(0xffc00001u);
  const float in[8] = {0, 1 + 0x1p-11f, 1 + 0x1.8p-11f, -1 - 0x1p-11f, 1 + 0x1.fp-12f, 0x1p-149f, 0x1.fffffep127f, nan};
  float out[8] = {};
  Stream stream{Settings{}};
  host::matrix_elements(stream, in, out);
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_EQ(out[0], 16 * 2 * 3);
  // To the 10 bits of TF32, ties away from zero.
  EXPECT_EQ(out[1], 1 + 0x1p-10f);
  EXPECT_EQ(out[2], 1 + 0x1p-10f);
  EXPECT_EQ(out[3], -1 - 0x1p-10f);
  EXPECT_EQ(out[4], 1);
  EXPECT_EQ(out[5], 0);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(out[6]), 0x7f800000u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(out[7]), 0xffc00000u) << "a NaN keeps what it can";
}

TEST(Matrix, AWarpThatLacksLanesIsReported) {
  {
    float out[32] = {};
    Stream stream{Settings{}};
    host::matrix_deserted(stream, 0, out);
    EXPECT_EQ(stream.report().status, LaunchStatus::DivergentBarrier);
    EXPECT_THAT(stream.report().message, HasSubstr("wmma operation"));
  }
  {
    std::vector<float> out(256, -1.0f);
    Stream stream{Settings{}};
    host::matrix_deserted(stream, 1, out.data());
    ASSERT_EQ(stream.report().warnings.size(), 1u);
    EXPECT_THAT(stream.report().warnings[0], HasSubstr("lane 0 reads lane 24, which takes no part"));
    EXPECT_EQ(out[24 * 8 - 1], 1.0f);
    EXPECT_EQ(out[24 * 8], -1.0f);
  }
}

}  // namespace
}  // namespace negzero_tests
