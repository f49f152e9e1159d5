// Case files from strangers: every truncation, every flipped bit, and random surgery give a valid case or a clear
// error.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::case_file {
namespace {

using namespace operation;
using File = std::vector<std::byte>;
using enum number::FormatId;

/// Whether the bytes gave a case. It must be valid and survive another round trip; an error must be the reader's fault
/// of nobody but the file, and one line of text that any report can hold.
bool accepted(const File& file) {
  const base::Result<Case> value = parse(file);
  if (!value) {
    EXPECT_EQ(value.error().kind, base::ErrorKind::Usage);
    EXPECT_FALSE(value.error().message.empty());
    EXPECT_LT(value.error().message.size(), 1000u);
    EXPECT_TRUE(files::is_utf8(value.error().message));
    EXPECT_EQ(value.error().message.find('\n'), std::string::npos);
    return false;
  }
  EXPECT_TRUE(validate(*value).ok());
  const base::Result<Case> again = parse(write(*value));
  EXPECT_TRUE(again.ok() && *again == *value);
  return true;
}

Case small_case(const Operation& operation) {
  Case value;
  value.operation = operation;
  base::Random random(5);
  for (const TensorSpec& spec : input_specs(operation)) {
    tensor::Tensor elements(spec.format, spec.shape);
    for (std::int64_t i = 0; i < elements.element_count(); ++i) {
      elements.set(i, spec.name == "index" ? random.below(2) : random.next());
    }
    value.tensors.emplace(spec.name, std::move(elements));
  }
  pack_missing_layouts(value);
  value.kernel = "faulty.g8.*";
  value.contract = R"({"preset":"f32"})";
  value.strategy = "sparse";
  value.seed = 12345678901234567890u;
  value.index = 42;
  value.expect = {{.kernel = "faulty.g8.k_tail",
                   .verdict = verdict::VerdictKind::Fail,
                   .failure_class = verdict::FailureClass::WrongValue,
                   .rule = "sum.exact"},
                  {.kernel = "twin.g8.k_tail"}};
  return value;
}

std::vector<File> small_files() {
  return {write(small_case(Gemm{.m = 1, .n = 2, .k = 2, .a = F16, .b = F16})),
          write(small_case(Reduce{.kind = ReduceKind::Argmax, .rows = 2, .columns = 3, .y = I32})),
          write(small_case(Reduce{.kind = ReduceKind::Sum, .rows = 2, .columns = 3, .x = I32, .y = I32})),
          write(small_case(Scatter{.kind = ScatterKind::Max, .updates = 3, .destinations = 2}))};
}

TEST(HostileCase, EveryTruncationIsAnError) {
  for (const File& file : small_files()) {
    ASSERT_TRUE(accepted(file));
    for (std::size_t size = 0; size < file.size(); ++size) {
      EXPECT_FALSE(accepted(File(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)))) << size;
    }
    File longer = file;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(accepted(longer));
  }
}

TEST(HostileCase, EveryFlippedBitGivesACaseOrAnError) {
  for (const File& file : small_files()) {
    std::size_t cases = 0;
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      File flipped = file;
      flipped[bit / 8] ^= std::byte{1} << bit % 8;
      cases += accepted(flipped) ? 1 : 0;
    }
    // Flips in the data are other cases; most flips in the header are errors.
    EXPECT_GT(cases, 0u);
    EXPECT_LT(cases, 4 * file.size());
  }
}

/// Changes that keep more of a file's structure than flipped bits do: the header's length stays right.
File mutate(const File& file, base::Random& random) {
  static const std::vector<std::string> kPieces{"-",
                                                "-1",
                                                "1e30",
                                                "0.5",
                                                "18446744073709551616",
                                                "9223372036854775807",
                                                "2147483648",
                                                "\"",
                                                "\\\"",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                ",",
                                                ":",
                                                "null",
                                                "true",
                                                "F8_E5M2",
                                                "TF32",
                                                "\\u0000",
                                                "\\ud800",
                                                "\xff",
                                                "\xc3\xa9",
                                                "65536",
                                                "0",
                                                "00",
                                                std::string(1, '\0'),
                                                "\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"};
  File result = file;
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t header = std::min<std::size_t>(tensor::load_word(result.data(), 8), result.size() - 8);
    if (header < 2) break;
    const auto begin = result.begin() + 8 + static_cast<std::ptrdiff_t>(random.below(header));
    const auto room = static_cast<std::size_t>(result.begin() + 8 + static_cast<std::ptrdiff_t>(header) - begin);
    const auto length = static_cast<std::ptrdiff_t>(std::min<std::size_t>(random.below(12), room));
    std::ptrdiff_t growth = 0;
    switch (random.below(4)) {
      case 0: {  // a digit becomes another
        const auto digit = std::find_if(begin, begin + static_cast<std::ptrdiff_t>(room),
                                        [](std::byte b) { return b >= std::byte{'0'} && b <= std::byte{'9'}; });
        if (digit != begin + static_cast<std::ptrdiff_t>(room))
          *digit = std::byte{'0'} | static_cast<std::byte>(random.below(10));
        break;
      }
      case 1: {  // a piece goes in
        const std::string& piece = kPieces[random.below(kPieces.size())];
        const auto* bytes = reinterpret_cast<const std::byte*>(piece.data());
        result.insert(begin, bytes, bytes + piece.size());
        growth = static_cast<std::ptrdiff_t>(piece.size());
        break;
      }
      case 2:  // a stretch goes out
        result.erase(begin, begin + length);
        growth = -length;
        break;
      default: {  // a stretch stands twice
        const File copy(begin, begin + length);
        result.insert(begin, copy.begin(), copy.end());
        growth = length;
      }
    }
    tensor::store_word(result.data(), 8, header + static_cast<std::uint64_t>(growth));
  }
  return result;
}

TEST(HostileCase, RandomSurgeryGivesACaseOrAnError) {
  base::Random random(20240611);
  std::size_t cases = 0;
  constexpr int kRounds = 10'000;
  const std::vector<File> files = small_files();
  for (int i = 0; i < kRounds; ++i) cases += accepted(mutate(files[random.below(files.size())], random)) ? 1 : 0;
  // Both answers must be common enough for the loop to mean something.
  EXPECT_GT(cases, 100u);
  EXPECT_LT(cases, kRounds - 1000u);
}

TEST(HostileCase, HugeExtentsAreRefusedBeforeTheyAreAllocated) {
  // Files of a few hundred bytes that ask for as much memory as their fields can say.
  for (
      const char* operation :
      {R"({"name":"reduce.sum","extents":{"rows":2147483648,"columns":0},"formats":{"x":"F64","y":"F64"}})",
       R"({"name":"reduce.sum","extents":{"rows":2147483648,"columns":2147483648},"formats":{"x":"F64","y":"F64"}})"}) {
    files::Archive archive;
    archive.metadata = {{"negzero", "1"}, {"operation", operation}};
    archive.tensors.emplace("x", tensor::Tensor(F64, {2147483648, 0}));
    EXPECT_FALSE(accepted(files::write_safetensors(archive)));
  }
}

TEST(HostileCase, ManyUnknownTensorsAndKeysAreRefusedOrKept) {
  files::Archive archive;
  for (int i = 0; i < 20'000; ++i)
    archive.tensors.emplace(std::string("t").append(std::to_string(i)), tensor::Tensor(F8_E5M2, {0}));
  archive.metadata = {{"negzero", "1"}, {"operation", R"({"name":"gemm","extents":{},"formats":{}})"}};
  EXPECT_FALSE(accepted(files::write_safetensors(archive)));

  const base::Result<files::Archive> valid = files::parse_safetensors(small_files()[2]);
  archive = *valid;
  for (int i = 0; i < 20'000; ++i)
    archive.metadata.emplace(std::string("k").append(std::to_string(i)), std::string(10, '{'));
  EXPECT_TRUE(accepted(files::write_safetensors(archive)));
}

}  // namespace
}  // namespace negzero::case_file
