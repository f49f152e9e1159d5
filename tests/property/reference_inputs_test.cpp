// What a reference is given: subnormal inputs as a contract flushes them, and NaN with their signs.

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/reference.hpp>

#include "caller.hpp"

namespace negzero::property {
namespace {

using contract::Contract;
using contract::Subnormals;
using number::Format;
using number::FormatId;
using verdict::VerdictKind;

using Function = std::function<double(double)>;

/// The verdict on one element of `y[n] <- x[n], s`, x and y of one format, by a reference that computes y from x.
VerdictKind verdict(FormatId id, std::uint64_t x, std::uint64_t observed, const Contract& contract,
                    const Function& right, operation::Scalar scalar = {FormatId::F32, 0x3f800000}) {
  const kernel::Reference said{.kernel = "right", .errors = {{"y", {}}}};
  operation::Case value;
  value.operation = *operation::operation_named("f: y[n] <- x[n], s");
  value.operation.extents()[0] = 1;
  value.operation.set_formats(std::vector{id, id});
  value.operation.scalars()[0] = scalar;
  value.tensors.emplace("x", tensor::Tensor(id, {1})).first->second.set(0, x);
  operation::pack_missing_layouts(value);
  const kernel::Kernel reference{.name = "right", .operation = line_for(said, value.operation.signature())};
  const auto launch = [&](const run::Job& job, const protocol::LaunchPlan& plan, std::byte* image) {
    double given = 0;
    for (const protocol::PlannedBuffer& buffer : plan.buffers) {
      if (buffer.name == "x") std::memcpy(&given, image + buffer.at, sizeof given);
    }
    const operation::Scalar& s = job.value->operation.scalars()[0];
    const double y = right(given) * number::to_double(number::format(s.format), s.bits);
    for (const protocol::PlannedBuffer& buffer : plan.buffers) {
      if (buffer.name == "y") std::memcpy(image + buffer.at, &y, sizeof y);
    }
    return run::Called{};
  };
  Caller caller(launch);
  std::vector<tensor::Tensor> outputs{tensor::Tensor(id, {1})};
  outputs[0].set(0, observed);
  return judge_by_reference(value, contract, {.name = "f", .operation = "f", .reference = said},
                            Referee{&reference, &caller.executor()}, outputs)
      .kind;
}

constexpr auto kCopy = [](double x) { return x; };
Contract flushing(Subnormals inputs, FormatId accumulate = FormatId::F32) {
  Contract contract;
  contract.accumulate = accumulate;
  contract.subnormal_inputs = inputs;
  return contract;
}

TEST(ReferenceInputs, SubnormalsOfF32AreZerosWhereTheContractFlushesThem) {
  using enum VerdictKind;
  EXPECT_EQ(verdict(FormatId::F32, 0x00000200, 0, flushing(Subnormals::Flush), kCopy), Pass);
  EXPECT_EQ(verdict(FormatId::F32, 0x00000200, 0x00000200, flushing(Subnormals::Flush), kCopy), Fail);
  EXPECT_EQ(verdict(FormatId::F32, 0x00000200, 0x00000200, flushing(Subnormals::Keep), kCopy), Pass);
  EXPECT_EQ(verdict(FormatId::F32, 0x00000200, 0, flushing(Subnormals::Keep), kCopy), Fail);
  EXPECT_EQ(verdict(FormatId::F32, 0x00000200, 0, flushing(Subnormals::Either), kCopy), Vacuous) << "each as it likes";
}

TEST(ReferenceInputs, NumbersOfF16AndF8AreNormalInF32) {
  using enum VerdictKind;
  for (const FormatId id : {FormatId::F16, FormatId::F8_E5M2, FormatId::F8_E4M3}) {
    for (const Subnormals inputs : {Subnormals::Keep, Subnormals::Flush, Subnormals::Either}) {
      EXPECT_EQ(verdict(id, 1, 1, flushing(inputs), kCopy), Pass) << number::format(id).name;
      EXPECT_EQ(verdict(id, 1, 0, flushing(inputs), kCopy), Fail) << number::format(id).name;
    }
  }
  // Arithmetic in F16 may flush them, and may not.
  EXPECT_EQ(verdict(FormatId::F16, 1, 1, flushing(Subnormals::Flush, FormatId::F16), kCopy), Pass);
  EXPECT_EQ(verdict(FormatId::F16, 1, 0, flushing(Subnormals::Flush, FormatId::F16), kCopy), Pass);
  EXPECT_EQ(verdict(FormatId::F16, 1, 2, flushing(Subnormals::Flush, FormatId::F16), kCopy), Fail);
}

TEST(ReferenceInputs, OfBf16EitherWayIsRight) {
  using enum VerdictKind;
  const Contract flushes = flushing(Subnormals::Flush);
  EXPECT_EQ(verdict(FormatId::BF16, 0x0021, 0x0021, flushes, kCopy), Pass) << "its conversion keeps it";
  EXPECT_EQ(verdict(FormatId::BF16, 0x0021, 0, flushes, kCopy), Pass) << "arithmetic in F32 flushes it";
  EXPECT_EQ(verdict(FormatId::BF16, 0x0021, 0x0020, flushes, kCopy), Fail);
  EXPECT_EQ(verdict(FormatId::BF16, 0x0021, 0, flushing(Subnormals::Either), kCopy), Vacuous) << "each as it likes";
  EXPECT_EQ(verdict(FormatId::BF16, 0x0021, 0, flushing(Subnormals::Keep), kCopy), Fail);
  // 1 / x of a subnormal, or of the zero that it may be.
  const auto reciprocal = [](double x) { return 0x1p-100 / x; };
  EXPECT_EQ(verdict(FormatId::BF16, 0x0040, 0x4d00, flushing(Subnormals::Flush), reciprocal), Pass) << "2^27";
  EXPECT_EQ(verdict(FormatId::BF16, 0x0040, 0x7f80, flushing(Subnormals::Flush), reciprocal), Pass);
  EXPECT_EQ(verdict(FormatId::BF16, 0x0040, 0x4d80, flushing(Subnormals::Flush), reciprocal), Fail);
}

TEST(ReferenceInputs, AScalarThatIsSubnormalMayBeZero) {
  using enum VerdictKind;
  const operation::Scalar tiny{FormatId::F32, 0x00400000};  // 2^-127
  const auto large = [](double x) { return x * 0x1p120; };
  EXPECT_EQ(verdict(FormatId::F32, 0x3f800000, 0x3c000000, flushing(Subnormals::Flush), large, tiny), Pass) << "2^-7";
  EXPECT_EQ(verdict(FormatId::F32, 0x3f800000, 0, flushing(Subnormals::Flush), large, tiny), Pass);
  EXPECT_EQ(verdict(FormatId::F32, 0x3f800000, 0x3c000001, flushing(Subnormals::Flush), large, tiny), Fail);
  EXPECT_EQ(verdict(FormatId::F32, 0x3f800000, 0, flushing(Subnormals::Keep), large, tiny), Fail);
}

TEST(ReferenceInputs, ANanKeepsItsSign) {
  using enum VerdictKind;
  const auto sign = [](double x) { return std::copysign(1.0, x); };
  for (const FormatId id : {FormatId::F16, FormatId::BF16, FormatId::F32, FormatId::F64, FormatId::F8_E5M2}) {
    const Format& format = number::format(id);
    const std::uint64_t one = number::one(format), minus = one | format.sign_mask();
    const std::uint64_t nan = number::canonical_nan(format) & ~format.sign_mask(), below = nan | format.sign_mask();
    for (const auto& [x, right, wrong] : {std::tuple(nan, one, minus), std::tuple(below, minus, one)}) {
      EXPECT_EQ(verdict(id, x, right, {}, sign), Pass) << format.name;
      EXPECT_EQ(verdict(id, x, wrong, {}, sign), Fail) << format.name;
    }
  }
  // A payload that F64 has no need of changes nothing.
  EXPECT_EQ(verdict(FormatId::F16, 0xfc01, 0xbc00, {}, sign), Pass);
}

}  // namespace
}  // namespace negzero::property
