// Cases of tensors whose elements do not fill bytes: where they lie, what they hold, which codes come up.

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/tensor/half_bytes.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;

Request request_of(FormatId codes, FormatId scale) {
  Request request;
  request.operation = "scaled: y[rows, n] <- codes[rows, n], scale[rows, (n + 31) / 32]";
  request.limits.formats = {{codes, scale, FormatId::F32}};
  return request;
}

TEST(Narrow, CasesAreValidWhateverLayoutsLimitsPermit) {
  for (const FormatId codes : {FormatId::I4, FormatId::U4, FormatId::F4, FormatId::F6_E2M3}) {
    for (const operation::LayoutOrder order : {operation::LayoutOrder::Any, operation::LayoutOrder::RowMajor}) {
      Request request = request_of(codes, FormatId::F8_E8M0);
      request.limits.inputs.order = request.limits.output.order = order;
      std::set<std::int64_t> offsets;
      bool is_strided = false;
      for (std::uint64_t index = 0; index < 600; ++index) {
        const operation::Case value = expand(request, draw(request, 1, index));
        const base::Status valid = operation::validate(value);
        ASSERT_TRUE(valid) << valid.error().message << " at " << index;
        ASSERT_EQ(operation::outside(request.limits, value), std::nullopt) << index;
        const tensor::Layout& layout = value.layouts.at("codes");
        if (number::format(codes).is_half_byte()) {
          ASSERT_TRUE(tensor::is_byte_layout(layout)) << index;
        }
        offsets.insert(layout.offset);
        is_strided = is_strided || value.layouts.at("y") != tensor::Layout::packed(value.layouts.at("y").shape);
      }
      EXPECT_GT(offsets.size(), 4u) << "they begin elsewhere, too";
      EXPECT_TRUE(is_strided) << "others lie as they may";
    }
  }
}

TEST(Narrow, EveryCodeComesUp) {
  for (const FormatId id :
       {FormatId::I4, FormatId::U4, FormatId::F4, FormatId::F6_E2M3, FormatId::F6_E3M2, FormatId::F8_E8M0}) {
    const Request request = request_of(id, FormatId::F32);
    std::set<std::uint64_t> seen;
    for (std::uint64_t index = 0; index < 1500; ++index) {
      const operation::Case value = expand(request, draw(request, 2, index));
      for (const std::uint64_t word : value.tensors.at("codes").words()) seen.insert(word);
    }
    EXPECT_EQ(seen.size(), std::size_t{1} << number::format(id).bits) << number::format(id).name;
  }
}

TEST(Narrow, SpecialsAreEndsZeroPointsAndPowersThatAreNone) {
  const auto grid = [](FormatId id) { return special_grid(number::format(id)); };
  EXPECT_THAT(grid(FormatId::U4), testing::IsSupersetOf({0, 1, 7, 8, 15}));
  EXPECT_THAT(grid(FormatId::I4), testing::IsSupersetOf({0, 1, 7, 8, 15}));
  EXPECT_THAT(grid(FormatId::F4), testing::IsSupersetOf({0, 8, 1, 9, 7, 15, 2}));
  EXPECT_THAT(grid(FormatId::F6_E3M2), testing::IsSupersetOf({0, 0x20, 1, 0x21, 3, 4, 0x1f, 0x3f}));
  EXPECT_THAT(grid(FormatId::F8_E8M0), testing::IsSupersetOf({0, 126, 127, 128, 254, 255}));
}

}  // namespace
}  // namespace negzero::generate
