// Heat maps: every cell says in words what it holds, and its colour says the same.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/report/heat_map.hpp>

#include "markup.hpp"
#include "reports.hpp"

namespace negzero::report {
namespace {

using namespace report_test;
using ::testing::HasSubstr;
using ::testing::Not;

campaign::Grid grid(number::FormatId format, std::vector<std::uint64_t> words) {
  tensor::Tensor tensor(format, {static_cast<std::int64_t>(words.size())});
  tensor.assign(words);
  return campaign::grid_of("x", tensor, -1);
}

TEST(ValueMap, SpecialValuesHaveColoursOfTheirOwn) {
  const std::string map = value_map("x", grid(number::FormatId::F32, {0x7fc00000, 0x7f800000, 0xff800000, 0x80000000}));
  EXPECT_THAT(map, HasSubstr("<td class=\"special\">nan<small>0x7fc00000</small></td>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"special\">inf<small>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"special\">-inf<small>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"zero\">-0<small>0x80000000</small></td>"));
}

TEST(ValueMap, ShadesGoFromTheLeastMagnitudeToTheGreatest) {
  // 2^-4, -2^-2, 1, 2^2, -2^4
  const std::string map =
      value_map("x", grid(number::FormatId::F32, {0x3d800000, 0xbe800000, 0x3f800000, 0x40800000, 0xc1800000}));
  for (const std::string part : {"\"p1\">0.0625", "\"n2\">-0.25", "\"p3\">1", "\"p4\">4", "\"n5\">-16"}) {
    EXPECT_THAT(map, HasSubstr(part));
  }
}

TEST(ValueMap, ExtremesOfEveryFormatAreDrawn) {
  for (const number::Format& format : number::all_formats()) {
    if (format.id == number::FormatId::TF32) continue;
    const std::string map = value_map("x", grid(format.id, {number::max_finite(format), number::min_subnormal(format),
                                                            number::zero(format), number::max_finite(format, true)}));
    EXPECT_EQ(map.find("\"zero\"") == std::string::npos, format.is_power()) << format.name;
    if (format.precision() > 1)
      EXPECT_THAT(map, ::testing::AllOf(HasSubstr("\"p1\""), HasSubstr("\"p5\""))) << format.name;
    if (format.is_signed()) EXPECT_THAT(map, HasSubstr("\"n5\"")) << format.name;
  }
}

TEST(ValueMap, NoElementsIsSaid) {
  EXPECT_THAT(value_map("x", grid(number::FormatId::F32, {})), HasSubstr("no elements"));
}

TEST(ErrorMap, CountsStepsAndNamesWhatNoStepCounts) {
  const std::string map = error_map(observation("d"));
  EXPECT_THAT(map, HasSubstr("<td class=\"e0\">0</td><td class=\"e1\">1</td><td class=\"e1\">sign</td>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"special\">NaN</td>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"e5\">2^31.6</td>")) << "-inf for 1";
  EXPECT_THAT(map, HasSubstr("<td class=\"none\">-</td>")) << "no exact result";
}

TEST(ErrorMap, ShadesFollowTheirBounds) {
  campaign::Observation seen;
  std::vector<std::uint64_t> words;
  for (const std::uint64_t steps : {1u, 2u, 4u, 5u, 256u, 257u, 65536u, 65537u}) words.push_back(0x3f800000 + steps);
  seen.output = grid(number::FormatId::F32, words);
  seen.judged.assign(words.size(), {0x3f800000, true, ""});
  const std::string map = error_map(seen);
  for (const std::string part : {"\"e1\">1<", "\"e2\">2<", "\"e2\">4<", "\"e3\">5<", "\"e3\">256<", "\"e4\">257<",
                                 "\"e4\">65536<", "\"e5\">65537<"}) {
    EXPECT_THAT(map, HasSubstr(part));
  }
}

TEST(PermittedMap, SaysWhichAreNotAndWhatWouldBe) {
  const std::string map = permitted_map(observation("d"));
  EXPECT_EQ(count(map, "<td class=\"no\">no</td>"), 3u);
  EXPECT_EQ(count(map, "<td class=\"yes\">yes</td>"), 3u);
  EXPECT_THAT(map, HasSubstr("d[1, 0] = nan (0x7fc00000), permitted d"));
}

TEST(PermittedMap, SpellsOutAFewAndCountsTheOthers) {
  campaign::Observation seen;
  seen.output = grid(number::FormatId::F32, std::vector<std::uint64_t>(20, 0));
  seen.judged.assign(20, {0x3f800000, false, "1"});
  const std::string map = permitted_map(seen);
  EXPECT_EQ(count(map, "permitted 1"), 8u);
  EXPECT_THAT(map, HasSubstr("and 12 more"));
}

TEST(GridName, SaysWhichPartIsDrawn) {
  const tensor::Tensor tensor(number::FormatId::F16, {2, 50, 100});
  EXPECT_EQ(grid_name(campaign::grid_of("d", tensor, -1)),
            "d F16[2, 50, 100], of 100 x 100 only rows 0 to 31 and columns 0 to 31");
  const campaign::Grid last = campaign::grid_of("d", tensor, 2 * 50 * 100 - 1);
  EXPECT_EQ(grid_name(last), "d F16[2, 50, 100], of 100 x 100 only rows 68 to 99 and columns 68 to 99");
  EXPECT_THAT(value_map("d", last), HasSubstr("<th scope=\"row\">1, 49</th>"));
  EXPECT_EQ(grid_name(campaign::grid_of("d", tensor::Tensor(number::FormatId::F16, {2, 3}), 5)), "d F16[2, 3]");
}

}  // namespace
}  // namespace negzero::report
