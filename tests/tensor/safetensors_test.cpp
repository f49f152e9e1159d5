// The container: round trips, canonical bytes, and each rule of the format broken once.

#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <negzero/tensor/safetensors.hpp>

namespace negzero::tensor {
namespace {

using number::FormatId;
using testing::HasSubstr;

/// A file from the text of its header and the number of data bytes behind it.
std::vector<std::byte> file_of(const std::string& header, std::size_t data_bytes = 0) {
  std::vector<std::byte> file(8 + header.size() + data_bytes);
  store_word(file.data(), 8, header.size());
  std::memcpy(file.data() + 8, header.data(), header.size());
  return file;
}

std::string error_of(std::span<const std::byte> file) {
  const base::Result<Archive> archive = parse_safetensors(file);
  if (archive) return "accepted";
  EXPECT_EQ(archive.error().kind, base::ErrorKind::Usage);
  return archive.error().message;
}

rc::Gen<std::string> arbitrary_text() {
  return rc::gen::container<std::string>(rc::gen::oneOf(rc::gen::inRange<char>(0x20, 0x7f), rc::gen::just('\n')));
}

rc::Gen<Archive> arbitrary_archive() {
  return rc::gen::exec([] {
    static const std::vector<FormatId> kDtypes{FormatId::F64,     FormatId::F32,     FormatId::F16, FormatId::BF16,
                                               FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::I32};
    Archive archive;
    const int tensors = *rc::gen::inRange(0, 5);
    for (int i = 0; i < tensors; ++i) {
      const std::string name = *arbitrary_text();
      if (name == "__metadata__") continue;
      const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
      const auto shape = *rc::gen::container<std::vector<std::int64_t>>(rank, rc::gen::inRange<std::int64_t>(0, 4));
      Tensor value(*rc::gen::elementOf(kDtypes), shape);
      for (std::byte& byte : value.bytes()) byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
      archive.tensors.insert_or_assign(name, value);
    }
    archive.metadata = *rc::gen::container<std::map<std::string, std::string>>(arbitrary_text(), arbitrary_text());
    return archive;
  });
}

RC_GTEST_PROP(Safetensors, ReadsWhatItWrote, ()) {
  const Archive archive = *arbitrary_archive();
  const std::vector<std::byte> file = write_safetensors(archive);
  const base::Result<Archive> read = parse_safetensors(file);
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == archive);
  RC_ASSERT(write_safetensors(*read) == file);
  RC_ASSERT(load_word(file.data(), 8) % 8 == 0u);
}

TEST(Safetensors, WritesTheseBytes) {
  Archive archive;
  Tensor narrow(FormatId::F16, {1});
  narrow.set(0, 0x8000);
  archive.tensors.emplace("a", narrow);
  Tensor wide(FormatId::F32, {1});
  wide.set(0, 0x3f800000);
  archive.tensors.emplace("b", wide);
  archive.metadata["k"] = "v";
  const std::string header = R"({"__metadata__":{"k":"v"},"a":{"data_offsets":[4,6],"dtype":"F16","shape":[1]},)"
                             R"("b":{"data_offsets":[0,4],"dtype":"F32","shape":[1]}})"
                             "    ";
  ASSERT_EQ(header.size() % 8, 0u);
  std::vector<std::byte> expected = file_of(header, 6);
  store_word(expected.data() + 8 + header.size(), 4, 0x3f800000);
  store_word(expected.data() + 8 + header.size() + 4, 2, 0x8000);
  EXPECT_EQ(write_safetensors(archive), expected);
}

TEST(Safetensors, ReplacesBytesThatAreNotUtf8) {
  Archive archive;
  archive.metadata["k"] = "\xff";
  const base::Result<Archive> read = parse_safetensors(write_safetensors(archive));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->metadata.at("k"), "\xef\xbf\xbd");
}

TEST(Safetensors, AcceptsTheSmallestFile) {
  EXPECT_EQ(*parse_safetensors(file_of("{}")), Archive{});
  EXPECT_EQ(*parse_safetensors(file_of("{}      ")), Archive{});
}

TEST(Safetensors, AcceptsTensorsInAnyOrderAndEmptyOnes) {
  const std::string header =
      R"({"a":{"dtype":"I32","shape":[1],"data_offsets":[4,8]},"b":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("e":{"dtype":"F64","shape":[3,0],"data_offsets":[4,4]},"f":{"dtype":"F64","shape":[0],"data_offsets":[8,8]}})";
  const base::Result<Archive> archive = parse_safetensors(file_of(header, 8));
  ASSERT_TRUE(archive.ok()) << archive.error().message;
  EXPECT_EQ(archive->tensors.at("e").shape(), (std::vector<std::int64_t>{3, 0}));
}

TEST(Safetensors, ChecksTheLengthOfTheHeader) {
  EXPECT_THAT(error_of({}), HasSubstr("0 bytes are too few"));
  EXPECT_THAT(error_of(std::vector<std::byte>(7)), HasSubstr("7 bytes are too few"));
  std::vector<std::byte> file = file_of("{}");
  store_word(file.data(), 8, 0);
  EXPECT_THAT(error_of(file), HasSubstr("does not start with {"));
  store_word(file.data(), 8, 3);
  EXPECT_THAT(error_of(file), HasSubstr("header length 3 exceeds the file"));
  store_word(file.data(), 8, 100'000'001);
  EXPECT_THAT(error_of(file), HasSubstr("header length 100000001 exceeds 100000000"));
  store_word(file.data(), 8, ~std::uint64_t{0});
  EXPECT_THAT(error_of(file), HasSubstr("header length 18446744073709551615 exceeds"));
  store_word(file.data(), 8, 1);
  EXPECT_THAT(error_of(file), HasSubstr("not JSON"));
}

struct Broken {
  const char* header;
  std::size_t data_bytes;
  const char* message;
};

TEST(Safetensors, NamesTheRuleThatAHeaderBreaks) {
  const Broken files[] = {
      {"[]", 0, "it is not an object"},
      {" {}", 0, "does not start with { or ["},
      {"{}x", 0, "not JSON"},
      {"{}", 1, "the tensors end at byte 0 of the data, which has 1 bytes"},
      {"{\"\xff\":{}}", 0, "not JSON"},
      {R"({"__metadata__":[]})", 0, "__metadata__ is not an object"},
      {R"({"__metadata__":{"k":1}})", 0, "key \"k\" holds no string"},
      {R"({"__metadata__":{"k":"1","k":"1"}})", 0, "the key \"k\" stands twice"},
      {R"({"__metadata__":{},"__metadata__":{}})", 0, "the key \"__metadata__\" stands twice"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{}})", 4, "the key \"a\" stands twice"},
      {R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4, "the key \"dtype\" stands twice"},
      {R"({"a":1})", 0, "tensor \"a\" is not an object"},
      {R"({"a":{}})", 0, "needs dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", 0, "needs dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1],"offsets":[0,4]}})", 4, "unknown field \"offsets\""},
      {R"({"a":{"dtype":"Q7","shape":[1],"data_offsets":[0,4]}})", 4, "dtype \"Q7\" is none of F64, F32, F16"},
      {R"({"a":{"dtype":"TF32","shape":[1],"data_offsets":[0,4]}})", 4, "dtype \"TF32\" is none of"},
      {R"({"a":{"dtype":3,"shape":[1],"data_offsets":[0,4]}})", 4, "is none of"},
      {R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", 4, "shape is not a list"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "integers from 0 up"},
      {R"({"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}})", 4, "integers from 0 up"},
      {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "not a 64-bit integer"},
      {R"({"a":{"dtype":"F32","shape":[1e30],"data_offsets":[0,4]}})", 4, "\"1e30\" is not a 64-bit integer"},
      {R"({"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]}})", 4, "not a 64-bit integer"},
      {R"({"a":{"dtype":"F32","shape":[2147483649],"data_offsets":[0,4]}})", 4, "extent 2147483649 exceeds"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0, "extent 4294967296 exceeds"},
      {R"({"a":{"dtype":"F32","shape":[65536,65536,65536,65536],"data_offsets":[0,0]}})", 0, "more than 2147483648"},
      {R"({"a":{"dtype":"F32","shape":[2147483648,2,2147483648],"data_offsets":[0,0]}})", 0, "more than 2147483648"},
      {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4, "rank 9 exceeds 8"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, "not two numbers"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})", 4, "not two numbers"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "[4, 0] do not span the 4 bytes"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,3]}})", 3, "[0, 3] do not span the 4 bytes"},
      {R"({"a":{"dtype":"F32","shape":[2147483648],"data_offsets":[0,8589934592]}})", 4, "file truncated"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,0]}})", 4, "do not span"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3, "file truncated"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 5, "which has 5 bytes"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "there is a hole"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
       12, "there is a hole"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       8, "tensors overlap"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[0],"data_offsets":[2,2]}})",
       4, "tensors overlap"},
      {R"({"a":{"dtype":"F32","shape":[[[1]]],"data_offsets":[0,4]}})", 4, "nests deeper"},
  };
  for (const Broken& broken : files) {
    EXPECT_THAT(error_of(file_of(broken.header, broken.data_bytes)), HasSubstr(broken.message)) << broken.header;
  }
}

TEST(Safetensors, BoundsTheValuesOfAHeader) {
  std::string header = R"({"a":{"dtype":"F32","shape":[1)";
  for (int i = 0; i < 1'100'000; ++i) header += ",1";
  EXPECT_THAT(error_of(file_of(header + "],\"data_offsets\":[0,4]}}", 4)), HasSubstr("more than 1048576 values"));
}

}  // namespace
}  // namespace negzero::tensor
