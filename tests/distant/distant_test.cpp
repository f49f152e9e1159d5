// Cases of few elements that lie up to 2^34 elements apart: offsets of 64 bits pass, offsets that wrap in 32 are
// findings that name the buffer and, watched, the line.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/run/worker_executor.hpp>

#include "../on_device.hpp"

namespace negzero::distant_test {
namespace {

using number::FormatId;
using operation::Case;
using testing::AllOf;
using testing::HasSubstr;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr std::int64_t kG = std::int64_t{1} << 30;

/// Small integers, other ones in every place, so that all sums are exact.
Case filled(const operation::Operation& operation) {
  Case result;
  result.operation = operation;
  std::int64_t next = 1;
  for (const operation::TensorSpec& spec : operation::input_specs(operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, number::from_double(tensor.format(), static_cast<double>(next++ % 61)));
    }
    result.tensors.emplace(spec.name, std::move(tensor));
  }
  operation::pack_missing_layouts(result);
  return result;
}

Case gemm(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  operation::Gemm gemm{.batch = batch, .m = m, .n = n, .k = k};
  gemm.alpha = {FormatId::F32, number::one(number::format(FormatId::F32))};
  gemm.beta = {FormatId::F32, 0};
  return filled(gemm);
}

Case with(Case value, const std::string& tensor, std::vector<std::int64_t> strides, std::int64_t offset = 0) {
  value.layouts.at(tensor).strides = std::move(strides);
  value.layouts.at(tensor).offset = offset;
  if (const base::Status status = operation::validate(value); !status.ok())
    throw std::logic_error(status.error().message);
  return value;
}

Verdict verdict_of(const std::string& name, const Case& value, kernel::Where where) {
  const kernel::Kernel* const kernel = kernel::registry().find(name, where);
  if (kernel == nullptr) {
    ADD_FAILURE() << "no kernel " << name;
    return {};
  }
  run::WorkerExecutor executor({.place = where.place});
  return property::conformance(value, *kernel, executor);
}

std::string text_of(const Verdict& verdict) {
  return verdict.failure ? verdict.failure->message : verdict.kind == VerdictKind::Pass ? "pass" : verdict.reason;
}

constexpr kernel::Where kPlain{kernel::Place::Host, false}, kWatched{kernel::Place::Host, true};

struct Wrong {
  const char* kernel;
  Case value;
  const char* plain;    ///< what a finding of a plain run says
  const char* watched;  ///< and a watched run's
};

std::vector<Case> right_cases() {
  return {
      with(gemm(1, 3, 4, 5), "a", {0, kG, 1}),
      with(gemm(1, 2, 4, 5), "a", {0, 8 * kG, 1}),
      with(gemm(1, 5, 3, 4), "a", {0, 2 * kG - 1, 1}, 7),
      with(gemm(3, 2, 3, 4), "b", {4 * kG + 5, 3, 1}),
      with(gemm(1, 2, 4, 3), "d", {0, 1, 2 * kG + 3}),
      with(with(gemm(2, 3, 3, 3), "a", {kG / 2, 3, 1}), "d", {8 * kG - 100, 5, 1}),
      with(gemm(1, 2, 2, 2), "a", {0, 2, 1}, 15 * kG),
      with(with(gemm(1, 16, 2, 16), "a", {0, kG / 2 + 1, 1000003}), "b", {0, kG - 1, 1}),
  };
}

TEST(Distant, RightKernelsPassPlainAndWatched) {
  for (const Case& value : right_cases()) {
    EXPECT_EQ(text_of(verdict_of("gemm.right", value, kPlain)), "pass");
    EXPECT_EQ(text_of(verdict_of("gemm.right", value, kWatched)), "pass");
  }
}

std::vector<Wrong> wrong_cases() {
  return {
      // Row 2 of A at 2^31 elements: as an int, 2^31 before the start.
      {"gemm.row_in", with(gemm(1, 3, 4, 5), "a", {0, kG, 1}),
       "a read at element -2147483648 of the memory of a, before its start", "element -2147483648 of a ("},
      // Row 3 at 3 (2^31 + 2^20): as an int 2^31 + 3 * 2^20 - 2^32, inside of what A spans where an offset lies before
      // it.
      {"gemm.row_in", with(gemm(1, 4, 2, 5), "a", {0, 2 * kG + (kG >> 10), 1}, 4 * kG),
       "a read at element 2148532224 of the memory of a, where none of its elements lies",
       "the memory before the offset of a, at element 2148532224 of its memory"},
      {"gemm.batch_in", with(gemm(3, 2, 3, 4), "b", {kG + 5, 3, 1}),
       "a read at element -2147483638 of the memory of b, before its start", "element -2147483638 of b ("},
      {"gemm.column_in", with(gemm(1, 2, 3, 5), "a", {0, 1, kG}),
       "a read at element -2147483648 of the memory of a, before its start", "element -2147483648 of a ("},
      {"gemm.sum_in", with(gemm(2, 2, 2, 2), "a", {3 * kG / 2, kG, 1}), " of the memory of a", " of a ("},
      {"gemm.row_out", with(gemm(1, 3, 2, 2), "d", {0, kG, 1}),
       "a write at element -2147483648 of the memory of d, before its start", "element -2147483648 of d ("},
      // 5 * 2^30 + 4096 wraps to 2^30 + 4096, between the first row and the second.
      {"gemm.row_out", with(gemm(1, 3, 2, 2), "d", {0, 5 * kG + 4096, 1}),
       "a write at element 1073745920 of the memory of d, where none of its elements lies",
       "the padding of d, at element 1073745920 of its memory"},
      {"gemm.batch_out", with(gemm(2, 2, 2, 2), "d", {3 * kG, 2, 1}),
       "a write at element -1073741824 of the memory of d, before its start", "element -1073741824 of d ("},
  };
}

TEST(Distant, AWrappedOffsetIsAFindingThatNamesTheBufferAndTheElement) {
  for (const Wrong& wrong : wrong_cases()) {
    const Verdict verdict = verdict_of(wrong.kernel, wrong.value, kPlain);
    ASSERT_EQ(verdict.kind, VerdictKind::Fail) << wrong.kernel << ": " << text_of(verdict);
    EXPECT_EQ(verdict.failure->kind, FailureClass::Crash) << text_of(verdict);
    EXPECT_THAT(text_of(verdict), HasSubstr(wrong.plain)) << wrong.kernel;
  }
}

TEST(Distant, WatchedItNamesTheLineToo) {
  for (const Wrong& wrong : wrong_cases()) {
    const Verdict verdict = verdict_of(wrong.kernel, wrong.value, kWatched);
    ASSERT_EQ(verdict.kind, VerdictKind::Fail) << wrong.kernel << ": " << text_of(verdict);
    EXPECT_THAT(text_of(verdict),
                AllOf(HasSubstr("out of bounds: "), HasSubstr("distant_kernels.cu:"), HasSubstr(wrong.watched)))
        << wrong.kernel;
  }
}

TEST(Distant, AnOffsetThatWrapsToAnotherElementIsAWrongValue) {
  // Row 1 lies 2^32 elements on: as an int it is row 0.
  const Case value = with(gemm(1, 2, 2, 3), "a", {0, 4 * kG, 1});
  for (const kernel::Where where : {kPlain, kWatched}) {
    const Verdict verdict = verdict_of("gemm.row_in", value, where);
    ASSERT_EQ(verdict.kind, VerdictKind::Fail) << text_of(verdict);
    EXPECT_EQ(verdict.failure->kind, FailureClass::WrongValue) << text_of(verdict);
  }
}

TEST(Distant, StrayWritesBesideAnIslandAreSeenInItsGuardZone) {
  // 2^32 + 10 as an int is 10: in the padding behind the first row of two elements, in its page.
  const Case value = with(gemm(1, 2, 2, 2), "d", {0, 4 * kG + 10, 1});
  const Verdict verdict = verdict_of("gemm.row_out", value, kPlain);
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::OutOfBoundsAccess) << text_of(verdict);
  EXPECT_THAT(text_of(verdict), HasSubstr("a write into the padding of d, at element 10 of its memory"));
}

TEST(Distant, HostCodeThatReadsAnIslandIsSeen) {
  const Verdict verdict = verdict_of("gemm.peeking", with(gemm(1, 3, 4, 5), "a", {0, kG, 1}), kPlain);
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_THAT(text_of(verdict), HasSubstr("host code read byte 8589934592 of a"));
}

TEST(Distant, ReductionsTooAndManyLaunchesOfOneWorker) {
  const operation::Operation reduce = operation::Reduce{operation::ReduceKind::Sum, 3, 5, FormatId::F32, FormatId::F32};
  run::WorkerExecutor executor({});
  const kernel::Kernel& right = *kernel::registry().find("sum.right", kPlain);
  const kernel::Kernel& wrong = *kernel::registry().find("sum.row", kPlain);
  for (int i = 0; i < 20; ++i) {
    const Case value = with(filled(reduce), "x", {(1 + i % 7) * kG + i, 1}, i);
    EXPECT_EQ(text_of(property::conformance(value, right, executor)), "pass");
  }
  EXPECT_EQ(property::conformance(with(filled(reduce), "x", {kG + 1, 1}), wrong, executor).kind, VerdictKind::Fail);
}

TEST(Distant, RunsInThisProcessToo) {
  run::HostExecutor executor;
  const kernel::Kernel& kernel = *kernel::registry().find("gemm.right", kPlain);
  for (const Case& value : right_cases()) EXPECT_EQ(text_of(property::conformance(value, kernel, executor)), "pass");
}

TEST(Distant, ACaseFileOfItIsAFewKilobytesAndComesBack) {
  const Case value = with(gemm(2, 2, 3, 4), "b", {8 * kG - 1, 3, 1});
  const std::string path = testing::TempDir() + "/distant.case.safetensors";
  ASSERT_TRUE(case_file::save(path, value).ok());
  EXPECT_LT(std::filesystem::file_size(path), 8192u);
  const auto loaded = case_file::load(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->layouts.at("b"), value.layouts.at("b"));
  EXPECT_EQ(loaded->tensors.at("b"), value.tensors.at("b"));
  std::filesystem::remove(path);
}

TEST(Distant, KernelsSayHowFarTheyGo) {
  kernel::Kernel kernel = *kernel::registry().find("gemm.right", kPlain);
  const Case value = with(gemm(1, 3, 4, 5), "a", {0, 2 * kG, 1});
  const auto refusal = [&] {
    run::HostExecutor executor;
    return text_of(property::conformance(value, kernel, executor));
  };
  kernel.limits.inputs = {};
  EXPECT_THAT(refusal(), HasSubstr("stride 2147483648 of a exceeds 2147483647"));
  kernel.limits.inputs = {.max_stride = tensor::kMaxSpan, .max_span = 2 * kG};
  EXPECT_THAT(refusal(), HasSubstr("a spans 4294967301 elements, more than 2147483648"));
  kernel.limits.inputs = {.max_stride = tensor::kMaxSpan};
  kernel.limits.distant = false;
  EXPECT_THAT(refusal(), HasSubstr("a spans 4294967301 elements, most of them no memory"));
}

TEST(Distant, OnAGpuRightKernelsPassAndWrongOnesAreFindings) {
  constexpr kernel::Where kDevice{kernel::Place::Device, false};
  if (kernel::registry().find("gemm.right", kDevice) == nullptr) GTEST_SKIP() << "built without CUDA";
  if (!device::probe().why_not.empty()) GTEST_SKIP() << device::probe().why_not;
  for (const Case& value : right_cases()) EXPECT_EQ(text_of(verdict_of("gemm.right", value, kDevice)), "pass");
  for (const Wrong& wrong : wrong_cases()) {
    const Verdict verdict = verdict_of(wrong.kernel, wrong.value, kDevice);
    ASSERT_EQ(verdict.kind, VerdictKind::Fail) << wrong.kernel << ": " << text_of(verdict);
    EXPECT_EQ(verdict.failure->kind, FailureClass::Crash) << text_of(verdict);
  }
}

}  // namespace
}  // namespace negzero::distant_test
