// Shapes in documents: counts in JSON, text and table, and a last line that says where cases have one shape.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/report/shapes.hpp>

#include "reports.hpp"

namespace negzero::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Ten cases of one shape of a GEMM, and `others` of another.
generate::ShapeCounts counts(int others, const operation::Limits& limits = {}) {
  generate::ShapeCounts shapes({.operation = "gemm", .limits = limits, .contract = {}, .mix = {}});
  for (int i = 0; i < 10; ++i) shapes.add({{1, 128, 256, 32}, 99});
  for (int i = 0; i < others; ++i) shapes.add({{2, 31, 33, 100}, std::int64_t{1} << 33});
  return shapes;
}

std::string last_line(std::vector<campaign::KernelReport> kernels) {
  campaign::CheckReport report = report_test::check_report("x");
  report.kernels = std::move(kernels);
  const std::string text = console_text(document_of(report, {}));
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

campaign::KernelReport kernel(const std::string& name, generate::ShapeCounts shapes) {
  campaign::KernelReport report;
  report.name = name;
  report.cases = report.pass = shapes.cases();
  report.shapes = std::move(shapes);
  return report;
}

TEST(Shapes, AreCountedInJsonTextAndTable) {
  const nlohmann::ordered_json document = shapes_json(counts(2));
  EXPECT_EQ(document["cases"], 12);
  EXPECT_EQ(document["distinct"], 2);
  EXPECT_EQ(document["commonest"]["extents"]["n"], 256);
  EXPECT_EQ(document["commonest"]["cases"], 10);
  EXPECT_EQ(document["tiles"]["m"].dump(), R"({"tile":32,"below_one":2,"one":0,"two":0,"three":0,"more":10})");
  EXPECT_EQ(document["longest_row"], 100);
  EXPECT_EQ(document["largest_offset"], std::int64_t{1} << 33);
  EXPECT_EQ(document["past_2_31"], 2);
  EXPECT_EQ(document["collapsed"], false);
  const std::string text = shapes_text(counts(2));
  EXPECT_THAT(text, HasSubstr("12 cases, 2 shapes; 83.3 % have batch=1 m=128 n=256 k=32\n"));
  EXPECT_THAT(text, HasSubstr("longest row 100, largest offset 8589934592, 2 cases past 2^31\n"));
  KernelEntry entry;
  entry.name = "mine";
  entry.checked = Checked{.shapes = counts(2)};
  EXPECT_THAT(shapes_table({entry}).rows,
              ElementsAre(ElementsAre("mine", "2", "batch=1 m=128 n=256 k=32", "83.3 %", "100", "8589934592", "2")));
}

TEST(Shapes, OfWhichOneHasNineCasesOfTenAreInTheLastLine) {
  EXPECT_THAT(last_line({kernel("mine", counts(1))}),
              HasSubstr(", 90.9 % of the cases of mine have one shape (batch=1 m=128 n=256 k=32)\n"));
  EXPECT_THAT(last_line({kernel("mine", counts(2))}), Not(HasSubstr("one shape")));
  EXPECT_THAT(last_line({kernel("a", counts(0)), kernel("b", counts(2)), kernel("c", counts(0))}),
              HasSubstr(", 2 kernels have one shape in 90 % of their cases or more (a, c)\n"));
  operation::Limits fixed;
  for (const auto& [extent, value] : {std::pair{"batch", 1}, {"m", 128}, {"n", 256}, {"k", 32}}) {
    fixed.extents[extent] = {.min = value, .max = value};
  }
  EXPECT_THAT(last_line({kernel("mine", counts(0, fixed))}), Not(HasSubstr("one shape"))) << "it has no other";
  operation::Limits large;
  for (const char* const extent : {"m", "n", "k"}) large.extents[extent] = {.min = 256};
  EXPECT_THAT(last_line({kernel("mine", counts(0, large))}),
              HasSubstr("its least case has 16777216 products or elements, and none larger is drawn"));
}

}  // namespace
}  // namespace negzero::report
