// The lines that ship, and any text that is like one of them: signatures that operations can be made of, or errors.

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include <negzero/notation/signature.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::operation {
namespace {

/// Each line with one character gone, doubled or replaced, and each beginning of it: a signature that can be used, or
/// an error.
TEST(ShippedLines, AnyTextIsSafe) {
  int good = 0;
  const auto read = [&](const std::string& line) {
    const auto signature = notation::parse_signature(line);
    if (!signature) {
      EXPECT_FALSE(signature.error().message.empty());
      return;
    }
    ++good;
    const Operation operation(*signature);
    for (std::size_t i = 0; i < signature->tensors.size(); ++i) {
      EXPECT_EQ(operation.shape_of(i).size(), signature->tensors[i].extents.size());
      (void)operation.format_of(i);
    }
    EXPECT_EQ(operation.formats().size(), signature->formats.size());
  };
  for (const notation::Signature& signature : signatures()) {
    const std::string line = signature.name + ": " + signature.definition;
    for (std::size_t i = 0; i < line.size(); ++i) {
      read(line.substr(0, i));
      read(line.substr(0, i) + line.substr(i + 1));
      for (const char c : std::string("x[]()<:,+*= \0", 13)) read(line.substr(0, i) + c + line.substr(i + 1));
    }
  }
  EXPECT_GT(good, 50);
}

TEST(ShippedLines, AFormatIsUsualHoweverFewAreNamed) {
  using number::FormatId;
  constexpr FormatId kNamed[] = {FormatId::F16, FormatId::BF16, FormatId::F64, FormatId::F8_E4M3, FormatId::F32};
  for (const notation::Signature& signature : signatures()) {
    const std::size_t result = signature.tensors[signature.outputs.front().tensor].format;
    for (std::size_t slot = 0; slot < signature.formats.size(); ++slot) {
      for (std::size_t named = 0; named <= std::min(slot, std::size(kNamed)); ++named) {
        const bool follows = slot >= signature.own_formats && result < named;
        EXPECT_EQ(signature.usual_format(slot, std::span(kNamed).first(named)), signature.holds_indices(slot)
                                                                                    ? FormatId::I32
                                                                                : follows ? kNamed[result]
                                                                                          : FormatId::F32)
            << signature.name << " " << signature.formats[slot] << " behind " << named;
      }
    }
  }
}

TEST(ShippedLines, AnIndexIsI32UnlessItsFormatIsNamed) {
  EXPECT_EQ(Operation(*find_signature("reduce.max_index")).formats()[2], number::FormatId::I32);
}

TEST(ShippedLines, EveryOperationIsFoundByItsName) {
  for (const notation::Signature& signature : signatures()) {
    EXPECT_EQ(find_signature(signature.name), &signature);
    const auto again = notation::parse_signature(signature.name + ": " + signature.definition);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->formats, signature.formats);
  }
  EXPECT_EQ(find_signature("reduce"), nullptr);
}

}  // namespace
}  // namespace negzero::operation
