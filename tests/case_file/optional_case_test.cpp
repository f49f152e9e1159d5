// Case files of lines with optional inputs: which are absent follows from the tensors that a file holds.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/operation/optional.hpp>

namespace negzero::case_file::optional_test {
namespace {

using namespace operation;
using testing::HasSubstr;
using Names = std::vector<std::string>;

constexpr const char* kLine = "norm: y[rows, n] <- x[rows, n], bias?[n], lengths?[rows] <= n";

Case case_without(const Names& absent, std::int64_t n = 3) {
  Case value;
  value.operation = Operation(variant(*find_signature(kLine), absent));
  value.operation.extent("rows") = 2;
  value.operation.extent("n") = n;
  value.operation.formats()[1] = number::FormatId::F16;
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  return value;
}

TEST(OptionalCase, ComesBackWithAndWithout) {
  for (const Names& absent : {Names{}, {"bias"}, {"lengths"}, {"bias", "lengths"}}) {
    for (const std::int64_t n : {3, 0}) {
      const Case value = case_without(absent, n);
      const auto file = write(value);
      const base::Result<Case> read = parse(file);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(*read, value);
      EXPECT_EQ(absent_inputs(read->operation.signature()), absent);
      EXPECT_EQ(write(*read), file);
    }
  }
}

TEST(OptionalCase, SaysTheWholeLine) {
  const auto archive = files::parse_safetensors(write(case_without({"bias"})));
  ASSERT_TRUE(archive);
  EXPECT_THAT(archive->metadata.at("operation"), HasSubstr(kLine));
  EXPECT_THAT(archive->metadata.at("operation"), HasSubstr("\"bias\":\"F16\""));
  EXPECT_THAT(archive->metadata.at("layout"), ::testing::Not(HasSubstr("bias")));
}

std::string error_without(const std::string& tensor, const std::string& layout) {
  auto archive = files::parse_safetensors(write(case_without({})));
  archive->tensors.erase(tensor);
  if (!layout.empty()) archive->metadata["layout"] = layout;
  const base::Result<Case> value = parse(files::write_safetensors(*archive));
  return value ? "accepted" : value.error().message;
}

TEST(OptionalCase, LacksNothingElse) {
  EXPECT_THAT(error_without("x", "{}"), HasSubstr("tensor x is missing"));
  EXPECT_THAT(error_without("bias", ""), HasSubstr("layout of \"bias\" does not belong to norm"));
  EXPECT_EQ(error_without("bias", "{}"), "accepted");
  EXPECT_EQ(error_without("lengths", "{}"), "accepted");
}

}  // namespace
}  // namespace negzero::case_file::optional_test
