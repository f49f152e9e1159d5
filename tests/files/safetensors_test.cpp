// The container: round trips, canonical bytes, and each rule of the format broken once.

#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <negzero/files/safetensors.hpp>

namespace negzero::files {
namespace {

using number::FormatId;
using testing::HasSubstr;

/// A file from the text of its header and the number of data bytes behind it.
std::vector<std::byte> file_of(const std::string& header, std::size_t data_bytes = 0) {
  std::vector<std::byte> file(8 + header.size() + data_bytes);
  tensor::store_word(file.data(), 8, header.size());
  std::memcpy(file.data() + 8, header.data(), header.size());
  return file;
}

std::string error_of(std::span<const std::byte> file) {
  const base::Result<Archive> archive = parse_safetensors(file);
  if (archive) return "accepted";
  EXPECT_EQ(archive.error().kind, base::ErrorKind::Usage);
  return archive.error().message;
}

/// Something open under a path of its own: a pipe that holds bytes and has no writer left, or a file in memory.
class Open {
 public:
  static Open pipe(std::span<const std::byte> bytes) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    return Open(ends[0]);
  }
  /// `size_bytes`: how long the file is made; what was not written are zeros that take no memory.
  static Open file(std::span<const std::byte> bytes, std::size_t size_bytes) {
    const int fd = ::memfd_create("safetensors", 0);
    EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size_bytes)), 0);
    return Open(fd);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() { ::close(fd_); }

  [[nodiscard]] base::Result<Archive> read(const HeaderCheck& check = {}) const {
    base::Result<InputFile> file = InputFile::open("/dev/fd/" + std::to_string(fd_));
    if (!file) return file.error();
    return read_safetensors(*file, check);
  }
  /// What is left in a pipe.
  [[nodiscard]] std::size_t unread_bytes() const {
    int count = -1;
    EXPECT_EQ(::ioctl(fd_, FIONREAD, &count), 0);
    return static_cast<std::size_t>(count);
  }

 private:
  explicit Open(int fd) : fd_(fd) {}
  int fd_;
};

rc::Gen<std::string> arbitrary_text() {
  return rc::gen::container<std::string>(rc::gen::oneOf(rc::gen::inRange<char>(0x20, 0x7f), rc::gen::just('\n')));
}

rc::Gen<Archive> arbitrary_archive() {
  return rc::gen::exec([] {
    static const std::vector<FormatId> kDtypes{FormatId::F64,     FormatId::F32,     FormatId::F16, FormatId::BF16,
                                               FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::I32, FormatId::I64};
    Archive archive;
    const int tensors = *rc::gen::inRange(0, 5);
    for (int i = 0; i < tensors; ++i) {
      const std::string name = *arbitrary_text();
      if (name == "__metadata__") continue;
      const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
      const auto shape = *rc::gen::container<std::vector<std::int64_t>>(rank, rc::gen::inRange<std::int64_t>(0, 4));
      tensor::Tensor value(*rc::gen::elementOf(kDtypes), shape);
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
  RC_ASSERT(*Open::file(file, file.size()).read() == archive);
  RC_ASSERT(*Open::pipe(file).read() == archive);
  RC_ASSERT(tensor::load_word(file.data(), 8) % 8 == 0u);
}

TEST(Safetensors, WritesTheseBytes) {
  Archive archive;
  tensor::Tensor narrow(FormatId::F16, {1});
  narrow.set(0, 0x8000);
  archive.tensors.emplace("a", narrow);
  tensor::Tensor wide(FormatId::F32, {1});
  wide.set(0, 0x3f800000);
  archive.tensors.emplace("b", wide);
  archive.metadata["k"] = "v";
  const std::string header = R"({"__metadata__":{"k":"v"},"a":{"data_offsets":[4,6],"dtype":"F16","shape":[1]},)"
                             R"("b":{"data_offsets":[0,4],"dtype":"F32","shape":[1]}})"
                             "    ";
  ASSERT_EQ(header.size() % 8, 0u);
  std::vector<std::byte> expected = file_of(header, 6);
  tensor::store_word(expected.data() + 8 + header.size(), 4, 0x3f800000);
  tensor::store_word(expected.data() + 8 + header.size() + 4, 2, 0x8000);
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
  tensor::store_word(file.data(), 8, 0);
  EXPECT_THAT(error_of(file), HasSubstr("does not start with {"));
  tensor::store_word(file.data(), 8, 3);
  EXPECT_THAT(error_of(file), HasSubstr("header length 3 exceeds the file"));
  tensor::store_word(file.data(), 8, 100'000'001);
  EXPECT_THAT(error_of(file), HasSubstr("header length 100000001 exceeds 100000000"));
  tensor::store_word(file.data(), 8, ~std::uint64_t{0});
  EXPECT_THAT(error_of(file), HasSubstr("header length 18446744073709551615 exceeds"));
  tensor::store_word(file.data(), 8, 1);
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
    const std::vector<std::byte> file = file_of(broken.header, broken.data_bytes);
    const std::string message = error_of(file);
    EXPECT_THAT(message, HasSubstr(broken.message)) << broken.header;
    EXPECT_EQ(Open::file(file, file.size()).read().error().message, message) << broken.header;
    EXPECT_FALSE(Open::pipe(file).read().ok()) << broken.header;
  }
}

TEST(Safetensors, JudgesAHeaderBeforeItReadsOn) {
  const std::string fine = R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2500],"data_offsets":[0,10000]}})";
  const HeaderCheck refuse = [](Header& header) -> base::Status {
    return base::usage_error(header.metadata.at("k") + std::to_string(header.tensors.at("a").shape.at(0)));
  };
  const Open whole = Open::pipe(file_of(fine, 10000));
  EXPECT_EQ(whole.read(refuse).error().message, "v2500");
  EXPECT_EQ(whole.unread_bytes(), 10000u);
  EXPECT_EQ(parse_safetensors(file_of(fine, 10000), refuse).error().message, "v2500");

  const Open broken = Open::pipe(file_of(R"({"a":{"dtype":"Q7","shape":[1],"data_offsets":[0,4]}})", 10000));
  EXPECT_THAT(broken.read().error().message, HasSubstr("dtype"));
  EXPECT_EQ(broken.unread_bytes(), 10000u);

  std::vector<std::byte> video(10000, std::byte{0x47});
  const Open other = Open::pipe(video);
  EXPECT_THAT(other.read().error().message, HasSubstr("header length"));
  EXPECT_EQ(other.unread_bytes(), 10000u - 8);

  // A pipe that claims to hold gigabytes costs what comes through it.
  const Open liar =
      Open::pipe(file_of(R"({"a":{"dtype":"F32","shape":[2000000000],"data_offsets":[0,8000000000]}})", 10000));
  EXPECT_THAT(liar.read().error().message, HasSubstr("which has 10000 bytes (is the file truncated?)"));
}

TEST(Safetensors, AWrongFileCostsNoMemory) {
  const auto most_kib = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  constexpr std::size_t kGib = std::size_t{1} << 30;
  const auto header = file_of(R"({"__metadata__":{"k":"v"},"a":{"dtype":"I32","shape":[268435456],)"
                              R"("data_offsets":[0,1073741824]}})");
  const Open file = Open::file(header, header.size() + kGib);
  const Open shorter = Open::file(header, header.size() + kGib - 1);
  const long before = most_kib();
  EXPECT_FALSE(file.read([](Header&) -> base::Status { return base::usage_error("no"); }).ok());
  EXPECT_FALSE(shorter.read().ok());
  EXPECT_LT(most_kib() - before, 64 << 10) << "KiB";
}

TEST(Safetensors, BoundsTheValuesOfAHeader) {
  std::string header = R"({"a":{"dtype":"F32","shape":[1)";
  for (int i = 0; i < 1'100'000; ++i) header += ",1";
  EXPECT_THAT(error_of(file_of(header + "],\"data_offsets\":[0,4]}}", 4)), HasSubstr("more than 1048576 values"));
}

}  // namespace
}  // namespace negzero::files
