// Every result that an H200 gave for single instructions, bit for bit.
//
// The records are those of tests/tensor_core; NEGZERO_GOLDEN names a folder with whole ones instead.

#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/files/safetensors.hpp>
#include <negzero/matrix_unit/row.hpp>
#include <negzero/matrix_unit/step.hpp>

namespace negzero::matrix_unit {
namespace {

using number::FormatId;

files::Archive record_of(const std::string& name) {
  const char* const folder = std::getenv("NEGZERO_GOLDEN");
  const std::string path = std::string(folder != nullptr ? folder : NEGZERO_GOLDEN_DIR) + "/" + name + ".safetensors";
  auto file = files::InputFile::open(path);
  EXPECT_TRUE(file) << path;
  auto record = files::read_safetensors(*file);
  EXPECT_TRUE(record) << path;
  return std::move(*record);
}

/// Calls visit(test, row, column) for every result of a record.
template <typename Visit>
void for_each_result(const files::Archive& record, Visit visit) {
  const auto& shape = record.tensors.at("d").shape();
  ASSERT_GT(shape[0], 0);
  for (std::int64_t t = 0; t < shape[0]; ++t) {
    for (std::int64_t i = 0; i < shape[1]; ++i) {
      for (std::int64_t j = 0; j < shape[2]; ++j) visit(t, i, j);
    }
  }
}

struct Instruction {
  const char* name;
  FormatId factors;
};

class Golden : public testing::TestWithParam<Instruction> {};

TEST_P(Golden, IsOneStep) {
  const Instruction& instruction = GetParam();
  const files::Archive record = record_of(instruction.name);
  const tensor::Tensor &a = record.tensors.at("a"), &b = record.tensors.at("b"), &c = record.tensors.at("c"),
                       &d = record.tensors.at("d");
  const std::int64_t m = a.shape()[1], n = b.shape()[1], depth = a.shape()[2];
  for_each_result(record, [&](std::int64_t t, std::int64_t i, std::int64_t j) {
    std::vector<Held> x, y;
    for (std::int64_t k = 0; k < depth; ++k) {
      const auto& format = number::format(instruction.factors);
      x.push_back(hold(format, static_cast<std::uint32_t>(a.get((t * m + i) * depth + k))));
      y.push_back(hold(format, static_cast<std::uint32_t>(b.get((t * n + j) * depth + k))));
    }
    const std::int64_t at = (t * m + i) * n + j;
    EXPECT_EQ(step(x, y, hold(c.format(), static_cast<std::uint32_t>(c.get(at))), d.format()), d.get(at))
        << instruction.name << ": test " << t << ", row " << i << ", column " << j;
  });
}

INSTANTIATE_TEST_SUITE_P(H200, Golden,
                         testing::Values(Instruction{"mma_f16_f32", FormatId::F16},
                                         Instruction{"mma_f16_f16", FormatId::F16},
                                         Instruction{"mma_bf16_f32", FormatId::BF16},
                                         Instruction{"mma_tf32_f32", FormatId::TF32}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(GoldenF64, IsAChainOfFusedMultiplyAdds) {
  const files::Archive record = record_of("mma_f64");
  const tensor::Tensor &a = record.tensors.at("a"), &b = record.tensors.at("b"), &c = record.tensors.at("c"),
                       &d = record.tensors.at("d");
  const std::int64_t m = a.shape()[1], n = b.shape()[1], depth = a.shape()[2];
  for_each_result(record, [&](std::int64_t t, std::int64_t i, std::int64_t j) {
    std::vector<double> row, column;
    for (std::int64_t k = 0; k < depth; ++k) {
      row.push_back(std::bit_cast<double>(a.get((t * m + i) * depth + k)));
      column.push_back(std::bit_cast<double>(b.get((t * n + j) * depth + k)));
    }
    const std::int64_t at = (t * m + i) * n + j;
    const auto start = std::bit_cast<double>(c.get(at)), expected = std::bit_cast<double>(d.get(at));
    double result = 0;
    multiply_row(row.data(), column.data(), static_cast<std::size_t>(depth), 1, &start, &result);
    // Payloads of NaN depend on the host's order of operands.
    if (expected != expected) {
      EXPECT_NE(result, result);
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(result), d.get(at)) << "test " << t << ", row " << i << ", column " << j;
    }
  });
}

}  // namespace
}  // namespace negzero::matrix_unit
