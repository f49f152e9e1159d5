// What of a kernel's file and its headers is left when negzero is taken away.

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/as_code/pieces.hpp>
#include <negzero/as_code/registered.hpp>

namespace negzero::as_code {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

constexpr const char* kFile = R"(// A kernel.
#include <cmath>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "common/shared.cuh"

namespace negzero::kernels {
namespace {

#define TWICE(x) (2 * (x))
#define UNUSED 1

/// Doubles.
template <bool kFaulty>
__global__ void double_kernel(float* y) {
  y[0] = TWICE(helped(y[0]));
}

template <bool kFaulty>
kernel::LaunchResult launch_double(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  launch(stream, double_kernel<kFaulty>, 1, 1, 0, args.operand("y").as<float>());
  return kernel::LaunchResult::launched();
}

inline contract::Contract no_part_of_it() { return {}; }

const bool registered = kernel::add_fault({.id = "X1",
                                           .slug = "doubles",
                                           .twin_slug = "does_not",
                                           .contract = {.wider = false, .order = contract::Order::Any},
                                           .faulty = launch_double<true>,
                                           .twin = launch_double<false>});
const bool also = kernel::registry().add({.name = "double.it", .contract = no_part_of_it(), .launch =
    [](const kernel::Args& args, kernel::Workspace& w, engine::Stream& s) { return launch_double<false>(args, w, s); }});

}  // namespace
}  // namespace negzero::kernels
)";
constexpr const char* kShared = R"(#pragma once
#include <negzero/cuda/cuda.hpp>
namespace negzero::kernels {
namespace {
/// Is needed.
__device__ float helped(float x) { return x; }  // as it is
__device__ float not_needed(float x) { return x; }
}  // namespace
}  // namespace negzero::kernels
)";

Finding finding_of(const std::string& kernel) {
  Finding finding{.kernel = kernel};
  finding.value.operation = *operation::operation_named("reduce.max");
  return finding;
}

base::Result<Launch> launched(const std::string& kernel, std::map<std::string, std::string> files) {
  const auto read = [&](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  };
  return launch_of("kernels/x.cu", read, finding_of(kernel), {});
}

TEST(Registered, TheLaunchOfAKernelIsFoundByItsName) {
  EXPECT_THAT(launch_expression(kFile, "faulty.X1.doubles"), Optional(std::string("launch_double<true>")));
  EXPECT_THAT(launch_expression(kFile, "twin.X1.does_not"), Optional(std::string("launch_double<false>")));
  EXPECT_THAT(launch_expression(kFile, "double.it"), Optional(HasSubstr("return launch_double<false>(args, w, s);")));
  EXPECT_EQ(launch_expression(kFile, "twin.X1.doubles"), std::nullopt);
}

TEST(Registered, WhatTheLaunchReachesIsKeptAndNothingElse) {
  const auto launch = launched("faulty.X1.doubles", {{"kernels/x.cu", kFile}, {"kernels/common/shared.cuh", kShared}});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_THAT(launch->kernels,
              AllOf(HasSubstr("/// Doubles.\ntemplate <bool kFaulty>\n__global__ void double_kernel"),
                    HasSubstr("#define TWICE(x) (2 * (x))"), HasSubstr("/// Is needed.\n__device__ float helped"),
                    HasSubstr("return x; }  // as it is"), HasSubstr("void launch(engine::Stream&"),
                    HasSubstr("return launch_double<true>(args, workspace, stream);")));
  EXPECT_THAT(launch->kernels, AllOf(Not(HasSubstr("UNUSED")), Not(HasSubstr("not_needed")), Not(HasSubstr("contract")),
                                     Not(HasSubstr("add_fault")), Not(HasSubstr("registry")),
                                     Not(HasSubstr("#include")), Not(HasSubstr("gemm_args"))));
  EXPECT_TRUE(launch->headers.contains("<cmath>"));
  EXPECT_THAT(launch->headers, Not(::testing::Contains(HasSubstr("negzero"))));
}

TEST(Registered, WhatIsMissingIsNamed) {
  const auto message = [](const auto& result) { return result.ok() ? "" : result.error().message; };
  EXPECT_THAT(message(launched("faulty.X1.doubles", {{"kernels/x.cu", kFile}})),
              HasSubstr("kernels/common/shared.cuh is not here"));
  const std::map<std::string, std::string> files{{"kernels/x.cu", kFile}, {"kernels/common/shared.cuh", kShared}};
  EXPECT_THAT(message(launched("gemm.other", files)), HasSubstr("no registration that names gemm.other"));
  EXPECT_THAT(message(launched("x", {{"kernels/x.cu", "#include <negzero/cuda/matrix.hpp>\n"}})),
              HasSubstr("<negzero/cuda/matrix.hpp>, which has no stand-in"));
}

TEST(Pieces, ReachEachOtherThroughWords) {
  const std::vector<Piece> pieces = pieces_of("int a; int b() { return a; } int c = b(); namespace n { int d; }");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[3].scope, "n");
  const std::vector<Piece> all = reached(pieces, {"c"});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(reached(pieces, {"d"}).size(), 1u);
  EXPECT_TRUE(reached(pieces, {"e"}).empty());
}

}  // namespace
}  // namespace negzero::as_code
