// What an H200 gave for single instructions, held against the simulator and against the oracle.
//
// golden/*.safetensors: a slice of a record of each instruction, with a[test, row, k], b[test, column, k] and c,
// d[test, row, column]. NEGZERO_GOLDEN names a folder with whole records instead.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <negzero/files/safetensors.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::tensor_core {
namespace {

using contract::TensorCore;
using number::FormatId;

struct Instruction {
  const char* file;
  contract::Unit unit;
  bool needs_the_rule = true;  ///< the ordinary set refuses some of the slice
};
constexpr Instruction kInstructions[] = {
    {"mma_f16_f32", contract::Unit::Hopper},         {"mma_bf16_f32", contract::Unit::Hopper},
    {"mma_tf32_f32", contract::Unit::Hopper},        {"mma_e4m3_f32", contract::Unit::Hopper, false},
    {"mma_e5m2_f32", contract::Unit::Hopper, false}, {"mma_f16_f16", contract::Unit::Hopper, false},
    {"wgmma_f16_f32", contract::Unit::Hopper},       {"wgmma_bf16_f32", contract::Unit::Hopper},
    {"wgmma_tf32_f32", contract::Unit::Hopper},      {"wgmma_e4m3_f32", contract::Unit::Hopper},
    {"wgmma_e5m2_f32", contract::Unit::Hopper},      {"wgmma_f16_f16", contract::Unit::Hopper, false}};

/// Test `t` of a record as a GEMM of one instruction: d = a b + c.
operation::Case case_of(const files::Archive& record, std::int64_t t) {
  const tensor::Tensor &a = record.tensors.at("a"), &b = record.tensors.at("b"), &c = record.tensors.at("c");
  operation::Gemm gemm;
  gemm.m = a.shape()[1];
  gemm.n = b.shape()[1];
  gemm.k = a.shape()[2];
  gemm.a = a.format_id();
  gemm.b = b.format_id();
  gemm.d = c.format_id();
  gemm.beta = gemm.alpha;
  tensor::Tensor own_a(gemm.a, {1, gemm.m, gemm.k}), own_b(gemm.b, {1, gemm.k, gemm.n}),
      own_c(gemm.d, {1, gemm.m, gemm.n});
  for (std::int64_t i = 0; i < gemm.m * gemm.k; ++i) own_a.set(i, a.get(t * gemm.m * gemm.k + i));
  for (std::int64_t j = 0; j < gemm.n; ++j) {
    for (std::int64_t k = 0; k < gemm.k; ++k) own_b.set(k * gemm.n + j, b.get((t * gemm.n + j) * gemm.k + k));
  }
  for (std::int64_t i = 0; i < gemm.m * gemm.n; ++i) own_c.set(i, c.get(t * gemm.m * gemm.n + i));
  operation::Case value;
  value.operation = gemm;
  value.tensors.emplace("a", std::move(own_a));
  value.tensors.emplace("b", std::move(own_b));
  value.tensors.emplace("c", std::move(own_c));
  return value;
}

contract::Contract contract_for(const operation::Case& value, TensorCore tensor_core, contract::Unit unit) {
  contract::Contract contract;
  contract.tensor_core = tensor_core;
  contract.unit = unit;
  contract.wider = false;
  if (value.tensors.at("a").format_id() == FormatId::F32) contract.multiplicand = contract::Multiplicand::Tf32Truncate;
  contract.accumulate = value.tensors.at("c").format_id();
  contract.zero_sign = contract::ZeroSign::Ieee;
  return contract;
}

class Golden : public testing::TestWithParam<Instruction> {};

TEST_P(Golden, EveryElementIsPermitted) {
  const char* const folder = std::getenv("NEGZERO_GOLDEN");
  const std::string path =
      std::string(folder != nullptr ? folder : NEGZERO_GOLDEN_DIR) + "/" + GetParam().file + ".safetensors";
  auto file = files::InputFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto record = files::read_safetensors(*file);
  ASSERT_TRUE(record.ok()) << record.error().message;
  const tensor::Tensor& d = record->tensors.at("d");
  std::int64_t elements = 0, refused_by_the_ordinary_set = 0;
  for (std::int64_t t = 0; t < d.shape()[0]; ++t) {
    const operation::Case value = case_of(*record, t);
    const auto judge = [&](TensorCore tensor_core, contract::Unit unit) {
      return oracle::Oracle::make(value, contract_for(value, tensor_core, unit));
    };
    const auto any = judge(TensorCore::May, contract::Unit::Any), own = judge(TensorCore::Only, GetParam().unit),
               ordinary = judge(TensorCore::No, contract::Unit::Any);
    ASSERT_TRUE(any.ok() && own.ok() && ordinary.ok()) << (own.ok() ? "" : own.error().message);
    const std::int64_t count = d.shape()[1] * d.shape()[2];
    for (std::int64_t i = 0; i < count; ++i, ++elements) {
      const std::uint64_t word = d.get(t * count + i);
      EXPECT_TRUE(any->permitted(i).contains(word)) << t << " " << i << ": " << any->explain(i);
      EXPECT_TRUE(own->permitted(i).contains(word)) << t << " " << i << ": " << own->explain(i);
      refused_by_the_ordinary_set += ordinary->permitted(i).contains(word) ? 0 : 1;
    }
  }
  RecordProperty("elements", std::to_string(elements));
  RecordProperty("refused by the ordinary set", std::to_string(refused_by_the_ordinary_set));
  EXPECT_GT(elements, 500);
  EXPECT_TRUE(refused_by_the_ordinary_set > 0 || !GetParam().needs_the_rule);
}

INSTANTIATE_TEST_SUITE_P(, Golden, testing::ValuesIn(kInstructions),
                         [](const auto& test) { return std::string(test.param.file); });

}  // namespace
}  // namespace negzero::tensor_core
