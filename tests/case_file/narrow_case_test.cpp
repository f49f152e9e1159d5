// Case files of tensors below a byte: bytes as U8, with the format in the layout; what is not that is named.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/files/safetensors.hpp>

namespace negzero::case_file::narrow_test {
namespace {

using namespace operation;
using number::FormatId;
using testing::HasSubstr;

constexpr const char* kLine = "scaled: y[rows, n] <- codes[rows, n], scale[rows]";

Case case_of(FormatId codes, FormatId scale, FormatId y = FormatId::F32, std::int64_t n = 3) {
  Case value;
  value.operation = Operation(*find_signature(kLine));
  value.operation.extent("rows") = 2;
  value.operation.extent("n") = n;
  value.operation.formats()[0] = codes;
  value.operation.formats()[1] = scale;
  value.operation.formats()[2] = y;
  for (const TensorSpec& spec : input_specs(value.operation)) {
    tensor::Tensor& tensor = value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape)).first->second;
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, static_cast<std::uint64_t>(5 * i + 1) % 16);
  }
  pack_missing_layouts(value);
  return value;
}

files::Archive archive_of(const Case& value) { return *files::parse_safetensors(write(value)); }

std::string error_of(const files::Archive& archive) {
  const base::Result<Case> read = parse(files::write_safetensors(archive));
  return read ? "" : read.error().message;
}

TEST(NarrowCase, ComesBackFromBytes) {
  using enum FormatId;
  for (const FormatId codes : {I4, U4, F4, F6_E2M3, F6_E3M2, F8_E8M0}) {
    for (const FormatId y : {F32, F4, F8_E8M0}) {
      for (const std::int64_t n : {0, 1, 3, 4}) {
        const Case value = case_of(codes, F8_E8M0, y, n);
        const auto file = write(value);
        const base::Result<Case> read = parse(file);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(*read, value);
        EXPECT_EQ(write(*read), file);
      }
    }
  }
}

TEST(NarrowCase, HoldsBytesAndNamesTheFormatAndTheLastExtent) {
  const files::Archive archive = archive_of(case_of(FormatId::U4, FormatId::F8_E8M0));
  const tensor::Tensor& codes = archive.tensors.at("codes");
  EXPECT_EQ(codes.format_id(), FormatId::U8);
  EXPECT_EQ(codes.shape(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(codes.words(), (std::vector<std::uint64_t>{0x61, 0x0b, 0x50, 0x0a}));
  EXPECT_EQ(archive.tensors.at("scale").format_id(), FormatId::F8_E8M0);
  EXPECT_THAT(archive.metadata.at("layout"),
              HasSubstr(R"("codes":{"format":"U4","offset":0,"shape":[2,3],"strides":[3,1]})"));
  EXPECT_THAT(archive.metadata.at("layout"), HasSubstr(R"("scale":{"offset":0,"shape":[2],"strides":[1]})"));
}

TEST(NarrowCase, WhatIsNoSuchFileIsNamed) {
  const files::Archive good = archive_of(case_of(FormatId::U4, FormatId::F6_E2M3));
  files::Archive archive = good;
  archive.metadata["operation"].replace(archive.metadata["operation"].find("\"U4\""), 4, "\"F3_X\"");
  EXPECT_THAT(error_of(archive), HasSubstr("\"F3_X\" is none of F64,"));

  archive = good;
  archive.tensors["codes"] = tensor::Tensor(FormatId::U8, {2, 3});
  EXPECT_EQ(error_of(archive), "tensor codes is U8[2, 3] where U4[2, 3] is stored as U8[2, 2]");
  archive.tensors["codes"] = tensor::Tensor(FormatId::I8, {2, 2});
  EXPECT_THAT(error_of(archive), HasSubstr("is I8[2, 2] where U4"));

  archive = good;
  archive.tensors["scale"].set(1, 0x40);
  EXPECT_EQ(error_of(archive), "scale[1] = 0x40, and F6_E2M3 has 6 bits");

  const auto with_layout = [&](const std::string& before, const std::string& after) {
    files::Archive changed = good;
    std::string& text = changed.metadata["layout"];
    text.replace(text.find(before), before.size(), after);
    return error_of(changed);
  };
  const std::string own = R"("format":"U4","offset":0,"shape":[2,3],"strides":[3,1])";
  EXPECT_THAT(with_layout("U4", "I4"), HasSubstr("field format is I4, and the operation says U4"));
  EXPECT_THAT(with_layout("U4", "F3_X"), HasSubstr("field format = \"F3_X\" is none of"));
  EXPECT_EQ(with_layout(own, R"("offset":0,"shape":[2,3],"strides":[3,1])"), "") << "the operation says it, too";
  EXPECT_EQ(with_layout(own, R"("offset":2,"shape":[2,3],"strides":[3,1])"), "");
  const std::string cure = "layout of codes: U4, two elements a byte, lies packed behind an even offset";
  EXPECT_EQ(with_layout(own, R"("offset":1,"shape":[2,3],"strides":[3,1])"), cure);
  EXPECT_EQ(with_layout(own, R"("offset":0,"shape":[2,3],"strides":[4,1])"), cure);
}

TEST(NarrowCase, PaddingOfAFileMeansNothing) {
  files::Archive archive = archive_of(case_of(FormatId::U4, FormatId::F32));
  archive.tensors["codes"].set(1, archive.tensors["codes"].get(1) | 0xf0);
  const base::Result<Case> read = parse(files::write_safetensors(archive));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, case_of(FormatId::U4, FormatId::F32));
}

TEST(NarrowCase, ShippedOperationsHaveNoneOfThem) {
  for (const FormatId format : {FormatId::F4, FormatId::F6_E2M3, FormatId::F6_E3M2, FormatId::F8_E8M0, FormatId::U4}) {
    Operation operation = *operation_named("reduce.sum");
    operation.set_formats(std::vector{format, format});
    const base::Status status = validate(operation);
    ASSERT_FALSE(status) << number::format(format).name;
    EXPECT_THAT(status.error().message, HasSubstr(std::string(number::format(format).name)));
  }
}

}  // namespace
}  // namespace negzero::case_file::narrow_test
