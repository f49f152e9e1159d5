// What the shipped kernels declare: complete, valid, and one twin for each fault.

#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/reference.hpp>
#include <negzero/operation/operation.hpp>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST(Registration, WhatOnlyHoldsOthersIsNoneOfTheUsual) {
  for (const kernel::Kernel* kernel : kernel::registry().match({}, kernel::Place::Host)) {
    EXPECT_THAT(kernel->name, Not(::testing::HasSubstr(".reference.")));
    EXPECT_FALSE(kernel->is_faulty());
  }
}

TEST(Registration, NoErrors) { EXPECT_THAT(kernel::registry().errors(), IsEmpty()); }

TEST(Registration, EveryKernelThatShips) {
  std::vector<std::string> names;
  const std::string all = "*";
  for (const kernel::Kernel* kernel : kernel::registry().match(std::span(&all, 1), kernel::Place::Host)) {
    if (!kernel->is_faulty()) names.push_back(kernel->name);
  }
  EXPECT_THAT(names, ElementsAreArray({"convert.bf16_f32",
                                       "convert.bf16_i32.down",
                                       "convert.bf16_i32.nearest",
                                       "convert.bf16_i32.toward_zero",
                                       "convert.bf16_i32.up",
                                       "convert.f16_f32",
                                       "convert.f16_i32.down",
                                       "convert.f16_i32.nearest",
                                       "convert.f16_i32.toward_zero",
                                       "convert.f16_i32.up",
                                       "convert.f32_bf16.down",
                                       "convert.f32_bf16.nearest",
                                       "convert.f32_bf16.toward_zero",
                                       "convert.f32_bf16.up",
                                       "convert.f32_f16.down",
                                       "convert.f32_f16.nearest",
                                       "convert.f32_f16.toward_zero",
                                       "convert.f32_f16.up",
                                       "convert.f32_f16.vectors",
                                       "convert.f32_f64",
                                       "convert.f32_i32.down",
                                       "convert.f32_i32.nearest",
                                       "convert.f32_i32.toward_zero",
                                       "convert.f32_i32.up",
                                       "convert.f64_bf16",
                                       "convert.f64_f16",
                                       "convert.f64_f32.down",
                                       "convert.f64_f32.nearest",
                                       "convert.f64_f32.toward_zero",
                                       "convert.f64_f32.up",
                                       "convert.f64_i32.down",
                                       "convert.f64_i32.nearest",
                                       "convert.f64_i32.toward_zero",
                                       "convert.f64_i32.up",
                                       "convert.i32_bf16.down",
                                       "convert.i32_bf16.nearest",
                                       "convert.i32_bf16.toward_zero",
                                       "convert.i32_bf16.up",
                                       "convert.i32_f16.down",
                                       "convert.i32_f16.nearest",
                                       "convert.i32_f16.toward_zero",
                                       "convert.i32_f16.up",
                                       "convert.i32_f32.down",
                                       "convert.i32_f32.nearest",
                                       "convert.i32_f32.toward_zero",
                                       "convert.i32_f32.up",
                                       "convert.i32_f64",
                                       "dequantise.rows.f8_f32",
                                       "dequantise.rows.reference.f64",
                                       "gelu.tanh.f32",
                                       "gelu.tanh.reference.f64",
                                       "gemm.addend_f32.f16",
                                       "gemm.clamped.i32",
                                       "gemm.clamped.i8",
                                       "gemm.column_major.f32",
                                       "gemm.dp4a.i8",
                                       "gemm.dp4a.u8",
                                       "gemm.grouped.naive.f16_f32",
                                       "gemm.grouped.naive.f32",
                                       "gemm.grouped.tiled.bf16",
                                       "gemm.grouped.tiled.f32",
                                       "gemm.in_place.f32",
                                       "gemm.naive.f32",
                                       "gemm.naive.i32",
                                       "gemm.naive.u8.i8",
                                       "gemm.shared_b.f32",
                                       "gemm.split_k.f32",
                                       "gemm.tiled.bf16",
                                       "gemm.tiled.f16",
                                       "gemm.tiled.f16_acc_f16",
                                       "gemm.tiled.f32",
                                       "gemm.tiled.f64",
                                       "histogram.reference.f64",
                                       "histogram.shared.i32",
                                       "layernorm.reference.f64",
                                       "layernorm.statistics_f64.f32",
                                       "layernorm.y.reference.f64",
                                       "layernorm.y.two_pass.f32",
                                       "quantise.rows.f32_f8",
                                       "quantise.rows.reference.f64",
                                       "reduce.argmax.f32",
                                       "reduce.argmax_middle.f32",
                                       "reduce.argmin.f32",
                                       "reduce.max.ignore.f32",
                                       "reduce.max.propagate.f32",
                                       "reduce.max_index.shuffle.f32",
                                       "reduce.max_index.tree.f32",
                                       "reduce.max_index_middle.f32",
                                       "reduce.max_middle.f32",
                                       "reduce.min.ignore.f32",
                                       "reduce.min.propagate.f32",
                                       "reduce.sum.device.f32",
                                       "reduce.sum.shuffle.f16",
                                       "reduce.sum.shuffle.f32",
                                       "reduce.sum.tree.f32",
                                       "reduce.sum_batch.chain.f32",
                                       "reduce.sum_middle.tiled.f32",
                                       "residual.bias.f32",
                                       "residual.bias.reference.f64",
                                       "rmsnorm.reference.f64",
                                       "rmsnorm.rows.f32",
                                       "scan.exclusive.blelloch.f32",
                                       "scan.exclusive.chain.f32",
                                       "scan.inclusive.chain.f32",
                                       "scan.inclusive.look_back.f32",
                                       "scan.inclusive.shuffle.f32",
                                       "scatter.add.bf16",
                                       "scatter.add.f16",
                                       "scatter.add.f32",
                                       "scatter.add.f64",
                                       "scatter.add.index_i64.f32",
                                       "scatter.add.shared.f32",
                                       "scatter.max.cas.f32",
                                       "scatter.max.sign_bit.f32",
                                       "scatter.min.cas.f32",
                                       "scatter.min.sign_bit.f32",
                                       "segments.sum.f32",
                                       "segments.sum.reference.f64",
                                       "softmax.online.f32",
                                       "softmax.reference.f64",
                                       "softmax.three_pass.f32",
                                       "topk.reference.f64",
                                       "topk.rounds.f32",
                                       "transpose.reference.f64",
                                       "transpose.tiled.f32",
                                       "twin.A1.max_by_sign_bit",
                                       "twin.A5.cas_compares_bits",
                                       "twin.A9.atomic_add",
                                       "twin.B2.empty_group_written",
                                       "twin.B3.padding_row_left_out",
                                       "twin.G1.skips_c_at_beta_zero",
                                       "twin.G10.every_slice_written",
                                       "twin.G11.flag_with_fence",
                                       "twin.G14.f32_accumulator",
                                       "twin.G15.f32_multiplicands",
                                       "twin.G24.rounded_fragment",
                                       "twin.G27.pairs_in_32_bits",
                                       "twin.G6.scales_c_at_k_zero",
                                       "twin.G8.k_tail_predicated",
                                       "twin.G9.tail_left_out",
                                       "twin.I2.leading_dimension_kept",
                                       "twin.I3.aligned_loads",
                                       "twin.I4.shared_matrix_kept",
                                       "twin.I5.leading_dimension_of_columns",
                                       "twin.I6.beta_once",
                                       "twin.I7.index_read_whole",
                                       "twin.I8.addend_whole",
                                       "twin.O1.softmax_with_maximum",
                                       "twin.O10.counts_added_by_atomics",
                                       "twin.O11.seeded_by_own_first",
                                       "twin.O12.gelu_of_limits",
                                       "twin.O2.online_minus_infinity_kept",
                                       "twin.O3.variance_by_differences",
                                       "twin.O4.epsilon_inside_root",
                                       "twin.O5.tanh_itself",
                                       "twin.O6.bias_along_columns",
                                       "twin.O7.zero_row_kept",
                                       "twin.O8.topk_by_total_order",
                                       "twin.O9.tile_after_barrier",
                                       "twin.Q1.rounds_low_bits",
                                       "twin.R1.infinity_identity",
                                       "twin.R10.whole_warps",
                                       "twin.R12.syncwarp",
                                       "twin.R13.shared_after_barrier",
                                       "twin.R24.leading_stride_kept",
                                       "twin.R3.sentinel_loses",
                                       "twin.R4.nan_propagates",
                                       "twin.S4.carry_crosses_warps"}));
}

/// Of a file of kernels of NVIDIA's libraries, its path in the project; else nothing. nvcc names whole paths.
std::string vendor_file(const std::string& file) {
  for (const char* folder : {"kernels/vendor/", "systems/cute_linear_attention/"}) {
    const std::size_t at = file.rfind(folder);
    if (at != std::string::npos) return file.substr(at);
  }
  return "";
}

TEST(Registration, NvccBuildsEveryKernelOrNone) {
  // Kernels of NVIDIA's libraries are those of no host.
  const auto is_vendors = [](const kernel::Kernel& kernel) { return !vendor_file(kernel.file).empty(); };
  auto names = [&](kernel::Place place) {
    std::vector<std::string> result;
    for (const kernel::Kernel* kernel : kernel::registry().match(std::vector<std::string>{"*"}, place)) {
      EXPECT_FALSE(place == kernel::Place::Host && is_vendors(*kernel)) << kernel->name;
      if (!is_vendors(*kernel)) result.push_back(kernel->name);
    }
    return result;
  };
#ifdef NEGZERO_CUDA
  std::vector<std::string> wanted = names(kernel::Place::Host);
  if (*NEGZERO_CUDA_EXCEPT != '\0') {  // The catalogue of faults, where nvcc is to be quick.
    const auto is_spared = [](const std::string& name) {
      return name.starts_with("faulty.") || name.starts_with("twin.");
    };
    std::erase_if(wanted, is_spared);
  }
  EXPECT_FALSE(wanted.empty());
  EXPECT_EQ(names(kernel::Place::Device), wanted);
#else
  EXPECT_THAT(names(kernel::Place::Device), IsEmpty());
#endif
}

TEST(Registration, KernelsOfNvidiasLibrariesAreThereOrSaidToBeAbsent) {
  std::set<std::string> files;
  for (const kernel::Kernel* kernel :
       kernel::registry().match(std::vector<std::string>{"cub*", "cute.*", "cutlass.*"}, kernel::Place::Device)) {
    files.insert(vendor_file(kernel->file));
  }
  for (const kernel::AbsentFile& absent : kernel::registry().absent()) files.insert(absent.file);
  EXPECT_THAT(files, UnorderedElementsAre("kernels/vendor/cub_argument.cu", "kernels/vendor/cub_extreme.cu",
                                          "kernels/vendor/cub_scan.cu", "kernels/vendor/cub_sum.cu",
                                          "kernels/vendor/cublas_gemm.cu", "kernels/vendor/cublas_grouped.cu",
                                          "kernels/vendor/cublaslt_matmul.cu", "kernels/vendor/cutlass_gemm.cu",
                                          "systems/cute_linear_attention/state_update.cu"));
}

TEST(Registration, EveryFaultHasATwinThatDeclaresTheSame) {
  const auto faults = kernels_like("faulty.*");
  EXPECT_EQ(faults.size(), 43u);
  for (const kernel::Kernel* fault : faults) {
    const std::string id = fault->name.substr(7, fault->name.find('.', 7) - 7);
    const auto twins = kernels_like("twin." + id + ".*");
    ASSERT_EQ(twins.size(), 1u) << fault->name;
    EXPECT_EQ(twins[0]->contract, fault->contract) << fault->name;
    EXPECT_EQ(twins[0]->operation, fault->operation) << fault->name;
    EXPECT_EQ(twins[0]->limits.formats, fault->limits.formats) << fault->name;
    EXPECT_EQ(twins[0]->reference, fault->reference) << fault->name;
  }
}

TEST(Registration, EveryReferenceTakesWhatItsKernelsTake) {
  std::size_t held = 0;
  for (const kernel::Kernel* kernel : kernels_like("*")) {
    if (!kernel->reference.exists()) continue;
    ++held;
    const kernel::Kernel& reference = kernel_named(kernel->reference.kernel);
    const notation::Signature* own = operation::find_signature(kernel->operation);
    const notation::Signature* line = operation::find_signature(reference.operation);
    ASSERT_TRUE(own != nullptr && line != nullptr) << kernel->name;
    const base::Status valid = kernel::validate_line(kernel->reference, *own, *line);
    EXPECT_TRUE(valid.ok()) << kernel->name << ": " << valid.error().message;
  }
  EXPECT_EQ(held, 37u) << "a new kernel of a declared operation";
}

TEST(Registration, EveryKernelDeclaresFormatsAndAValidContract) {
  for (const kernel::Kernel* kernel : kernels_like("*")) {
    EXPECT_THAT(kernel->about, Not(IsEmpty())) << kernel->name;
    EXPECT_LE(kernel->about.size(), 120u) << kernel->name;
    EXPECT_EQ(kernel->limits.formats.size(), 1u) << kernel->name;
    const base::Status valid = contract::validate(kernel->contract);
    EXPECT_TRUE(valid.ok()) << kernel->name << ": " << valid.error().message;
    EXPECT_EQ(kernel->contract.scalar_format.has_value(), kernel->operation == "gemm") << kernel->name;
  }
}

}  // namespace
}  // namespace negzero::kernels_test
