// The texts of exported files: memory as negzero lays it out, comparisons, and what cannot be written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/as_code/cuda_file.hpp>
#include <negzero/as_code/memory.hpp>
#include <negzero/as_code/numpy_file.hpp>
#include <negzero/as_code/plain_file.hpp>
#include <negzero/as_code/values.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/poison.hpp>

namespace negzero::as_code {
namespace {

using number::FormatId;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

oracle::Permitted exactly(std::uint64_t word) {
  oracle::Permitted set(FormatId::F32);
  set.only = {word};
  return set;
}

/// d = a b + beta c of 1 x 1 x 1, which permits 6 alone.
Finding product(bool reads_c) {
  Finding finding{.kernel = "my.product"};
  operation::Gemm gemm{.m = 1, .n = 1, .k = 1};
  gemm.beta.bits = reads_c ? 0x3f800000 : 0;
  finding.value.operation = gemm;
  for (const auto& [name, word] :
       {std::pair("a", 0x40000000), std::pair("b", 0x40400000), std::pair("c", 0x40800000)}) {
    tensor::Tensor tensor(FormatId::F32, {1, 1, 1});
    tensor.set(0, static_cast<std::uint64_t>(word));
    finding.value.tensors.emplace(name, tensor);
  }
  operation::pack_missing_layouts(finding.value);
  finding.failure_class = verdict::FailureClass::WrongValue;
  finding.permitted = {{exactly(0x40c00000)}};
  return finding;
}

const Buffer& named(const std::vector<Buffer>& buffers, const std::string& name) {
  return *std::ranges::find(buffers, name, &Buffer::name);
}

TEST(Memory, HoldsElementsWhereTheirLayoutSaysAndPoisonAround) {
  Finding finding = product(true);
  finding.value.layouts.at("a").offset = 2;
  const std::vector<Buffer> buffers = buffers_of(finding);
  const std::uint64_t around = operation::input_poison_word(operation::Poison::Nan, number::format(FormatId::F32));
  EXPECT_EQ(named(buffers, "a").words, (std::vector<std::uint64_t>{around, around, 0x40000000}));
  EXPECT_EQ(named(buffers, "d").words, std::vector<std::uint64_t>{0xffffffff});
  EXPECT_EQ(named(buffers, "c").words, std::vector<std::uint64_t>{0x40800000});
  EXPECT_EQ(pointer_to(named(buffers, "a"), "float"), "reinterpret_cast<float*>(a_memory + 2)");
}

TEST(Memory, IsPoisonWhereAnInputMustNotBeRead) {
  const std::vector<Buffer> buffers = buffers_of(product(false));
  EXPECT_NE(named(buffers, "c").words, std::vector<std::uint64_t>{0x40800000});
}

TEST(Memory, OfAnInputInTheOutputIsTheOutputs) {
  Finding finding = product(true);
  finding.value.in_place = "c";
  const std::vector<Buffer> buffers = buffers_of(finding);
  EXPECT_EQ(named(buffers, "c").lies_in, "d");
  EXPECT_EQ(named(buffers, "d").words, std::vector<std::uint64_t>{0x40800000});
  EXPECT_EQ(pointer_to(named(buffers, "c"), "float"), "reinterpret_cast<float*>(d_memory)");
}

TEST(Plain, ConditionsAreOfEncodings) {
  EXPECT_EQ(condition("w", FormatId::F32, {{0x80000000, 0x80000000}}), "w == 0x80000000");
  EXPECT_EQ(condition("w", FormatId::F32, {{0xbf900000, 0xbf800000}}), "(w >= 0xbf800000 && w <= 0xbf900000)");
  EXPECT_EQ(condition("w", FormatId::F16, {{0x8001, 0x0002}}),
            "(w >= 0x8000 && w <= 0x8001) || (w >= 0x0000 && w <= 0x0002)");
  EXPECT_EQ(condition("w", FormatId::I32, {{0xfffffffe, 1}}),
            "(w >= 0xfffffffe && w <= 0xffffffff) || (w >= 0x00000000 && w <= 0x00000001)");
}

TEST(CudaFile, IsPlainWhereTheCaseIsSmallAndHasGuardsElsewhere) {
  Finding finding = product(true);
  const Launch launch{.kernels = "#include \"/k.cu\"\n", .statements = "  k<<<1, 1>>>();\n"};
  const auto plain = cuda_file(finding, launch, CudaForm::Program);
  ASSERT_TRUE(plain.ok());
  EXPECT_THAT(*plain, AllOf(HasSubstr("if (!(h_d[0] == 0x40c00000))"), HasSubstr("k<<<1, 1>>>();"),
                            HasSubstr("h_a[1] = {0x40000000};  // 2"), Not(HasSubstr("GUARD"))));
  finding.failure_class = verdict::FailureClass::OutOfBoundsAccess;
  const auto guarded = cuda_file(finding, launch, CudaForm::Program);
  EXPECT_THAT(*guarded, AllOf(HasSubstr("-DGUARD=0"), HasSubstr("--tool memcheck --error-exitcode 1"),
                              HasSubstr("{0, {{0x40c00000, 0x40c00000}}, \"d[0, 0, 0]: permitted 6 (0x40c00000)\"}")));
  const auto test = cuda_file(finding, launch, CudaForm::Test);
  EXPECT_THAT(*test, AllOf(HasSubstr("TEST(my_product, out_of_bounds_access) {"),
                           HasSubstr("EXPECT_EQ(d_tensor.wrong("), Not(HasSubstr("main("))));
}

TEST(CudaFile, HasTheWaysThatFailuresAreSeen) {
  Finding finding = product(true);
  const Launch launch{.statements = "  k<<<1, 1>>>();\n"};
  finding.failure_class = verdict::FailureClass::Hang;
  EXPECT_THAT(*cuda_file(finding, launch, CudaForm::Program), HasSubstr("cudaStreamQuery"));
  finding.failure_class = verdict::FailureClass::DataRace;
  EXPECT_THAT(*cuda_file(finding, launch, CudaForm::Program),
              AllOf(HasSubstr("--tool racecheck"), HasSubstr("i < most"), Not(HasSubstr("cudaStreamQuery"))));
  finding.failure_class = verdict::FailureClass::UnwrittenOutput;
  finding.permitted.clear();
  EXPECT_THAT(*cuda_file(finding, launch, CudaForm::Program), HasSubstr("not left as it was"));
}

TEST(CudaFile, OfMoreWordsThanAFileHoldsIsRefused) {
  Finding finding = product(true);
  finding.value.layouts.at("a").offset = std::int64_t{kMostWords};
  const auto large = cuda_file(finding, {}, CudaForm::Program);
  ASSERT_FALSE(large.ok());
  EXPECT_THAT(large.error().message, HasSubstr("`negzero shrink` makes a smaller case"));
  finding = product(true);
  finding.value.history.emplace_back();
  EXPECT_THAT(cuda_file(finding, {}, CudaForm::Program).error().message, HasSubstr("only after other launches"));
}

TEST(NumpyFile, NeedsWhatTheKernelGaveOrACall) {
  Finding finding = product(true);
  EXPECT_THAT(numpy_file(finding, "").error().message, AllOf(HasSubstr("--observed"), HasSubstr("--call")));
  tensor::Tensor observed(FormatId::F32, {1, 1, 1});
  observed.set(0, 0x40c00000);
  finding.observed = {observed};
  EXPECT_THAT(numpy_file(finding, "").error().message, HasSubstr("is permitted"));
  finding.observed[0].set(0, 0x40c00001);
  EXPECT_THAT(*numpy_file(finding, ""), HasSubstr("d = np.array([0x40c00001], np.uint32).view(np.float32)"));
  EXPECT_THAT(*numpy_file(finding, "d = a @ b"), AllOf(HasSubstr("\nd = a @ b\n"), Not(HasSubstr("0x40c00001"))));
}

TEST(Values, OfZerosThatARaceMayHaveBecomeOthers) {
  operation::Case value = product(true).value;
  EXPECT_FALSE(give_values(value));
  value.tensors.at("a").set(0, 0x80000000);
  EXPECT_TRUE(give_values(value));
  EXPECT_EQ(value.tensors.at("a").get(0), 0x3f800000u);
  EXPECT_EQ(value.tensors.at("b").get(0), 0x40400000u);
}

TEST(Names, AreOfAnyText) {
  EXPECT_EQ(identifier("faulty.A1.max"), "faulty_A1_max");
  EXPECT_EQ(identifier("64x64"), "case_64x64");
  EXPECT_EQ(identifier("..."), "case_");
}

}  // namespace
}  // namespace negzero::as_code
