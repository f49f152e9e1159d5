// A line without a definition: what it says of tensors, its one identity, and cases of it in files, parts and limits.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/case_file/case_file.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/part.hpp>

namespace negzero::operation {
namespace {

using number::FormatId;
using testing::HasSubstr;
using Names = std::vector<std::string>;

constexpr const char* kEverything =
    "all.of_it: y[rows, k], at[rows, k] < columns <- x[rows, columns], lengths[rows] <= columns, "
    "ends[segments] <= k ascending, picks[n] < columns, epsilon, scale each rows";

const notation::Signature& signature(std::string_view line) {
  const auto found = signature_of(line);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message);
  return **found;
}

std::string mistake_of(std::string_view line) {
  const auto found = signature_of(line);
  return found ? "none" : found.error().message;
}

/// Zeros throughout, with these extents in the line's order.
Case zeros_of(std::string_view line, const std::vector<std::int64_t>& extents) {
  Case value;
  value.operation = Operation(signature(line));
  std::ranges::copy(extents, value.operation.extents().begin());
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  return value;
}

std::vector<std::uint64_t> words(const tensor::Tensor& tensor) {
  std::vector<std::uint64_t> result;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) result.push_back(tensor.get(i));
  return result;
}

TEST(Declared, SaysItsTensorsFormatsScalarsAndExtents) {
  const notation::Signature& all = signature(kEverything);
  EXPECT_TRUE(all.is_declared);
  EXPECT_EQ(all.name, "all.of_it");
  EXPECT_EQ(all.extents, (Names{"rows", "k", "columns", "segments", "n"}));
  Names tensors;
  for (const notation::TensorSignature& tensor : all.tensors) tensors.push_back(tensor.name);
  EXPECT_EQ(tensors, (Names{"x", "lengths", "ends", "picks", "y", "at"})) << "inputs first, as in a shipped line";
  using enum notation::Role;
  EXPECT_EQ(all.tensors[0].role, Input);
  EXPECT_EQ(all.tensors[1].role, Index);
  EXPECT_EQ(all.tensors[1].counts_of, 2u);
  EXPECT_FALSE(all.tensors[1].is_ascending);
  EXPECT_TRUE(all.tensors[2].is_ascending);
  EXPECT_EQ(all.tensors[3].index_below, 2u);
  EXPECT_EQ(all.tensors[5].role, Output);
  EXPECT_EQ(all.tensors[5].index_below, 2u);
  EXPECT_EQ(all.formats, (Names{"x", "y", "lengths", "ends", "picks", "at"})) << "those of numbers are always named";
  EXPECT_EQ(all.own_formats, 2u);
  ASSERT_EQ(all.scalars.size(), 2u);
  EXPECT_EQ(all.scalars[1].name, "scale");
  EXPECT_EQ(all.outputs.size(), 2u);
  EXPECT_EQ(all.outputs[0].result.kind, notation::Expression::Kind::Unknown);
  EXPECT_EQ(all.outputs[0].result.operands.size(), 6u);
  EXPECT_EQ(all.each, (std::vector<std::size_t>{0}));
  EXPECT_TRUE(all.factors.empty());
  EXPECT_FALSE(kind_of(all).has_value());
  EXPECT_EQ(Operation(all).formats()[5], FormatId::I32);
}

TEST(Declared, IsOneOperationHoweverItsLineIsSpaced) {
  const notation::Signature& softmax = signature("softmax: y[rows, columns] <- x[rows, columns] each rows");
  EXPECT_EQ(&softmax, &signature("softmax:y[ rows,columns ]<-x[rows ,columns]   each rows"));
  EXPECT_EQ(softmax.identity(), "softmax: y[rows, columns] <- x[rows, columns] each rows");
  EXPECT_EQ(&softmax, find_signature(softmax.identity()));
  EXPECT_NE(&softmax, &signature("softmax: y[rows, columns] <- x[rows, columns]")) << "another line is another one";
  EXPECT_EQ(signature(kEverything).identity(), kEverything);
  EXPECT_EQ(find_signature("softmax"), nullptr) << "a name alone says nothing";
  EXPECT_EQ(name_in(softmax.identity()), "softmax");
  EXPECT_EQ(signature("made: y[n] <-").identity(), "made: y[n] <-");
  EXPECT_EQ(signature("gemm").identity(), "gemm");
  const Operation operation(softmax);
  EXPECT_TRUE(is_of(operation, softmax.identity()));
  EXPECT_FALSE(is_of(operation, "gemm"));
  EXPECT_EQ(unlike(operation, "gemm"), "a softmax, not a gemm");
  EXPECT_THAT(unlike(operation, "softmax: y[rows, columns] <- x[rows, columns]"), HasSubstr("another line: 'softmax"));
}

TEST(Declared, AMistakeIsNamed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"softmx", "no operation is called 'softmx'"},
      {"f: y[n] = x[n]", "only shipped operations have a definition; write '<-'"},
      {"gemm: d[m] <- a[m]", "gemm is a shipped operation"},
      {"f: <- x[n]", "expected an output at '<- x[n]'"},
      {"f: y[n] <- x[n] z[n]", "expected ',' at 'z[n]'"},
      {"f: y[n] <- x[n],", "expected a tensor or a scalar at ''"},
      {"f: y[0] <- x[n]", "', column 6: expected an extent, not 0"},
      {"f: y[n] <= m <- x[n]", "an output is bounded by '<' alone"},
      {"f: y[n] < m ascending <- x[n]", "an output may be in any order"},
      {"f: y[n] <- at[n] <= n", "', column 12: at counts indices of n, an extent of its own"},
      {"f: y[n] <- x[n], x[n]", "tensor x appears twice"},
      {"f: y[n] <- s, x[n], s", "scalar s appears twice"},
      {"f: y[n] <- y[n]", "tensor y appears twice"},
      {"f: y[a, b, c, d, e, f, g] <- x[a]", "', column 4: 7 dimensions of tensor y, and at most 6"},
      {"f: y[n] <- x[n], a, b, c, d, e, f, g, h, i", "', column 42: 9 scalars, and at most 8"},
      {"f: y[n] <- x[n], an_epsilon_whose_name_has_more_than_40_letters",
       "46 letters in scalar an_epsilon_whose_name_has_more_than_40_letters, and at most 40"},
      {"f: y[n] <- x[n] each m", "each m: no tensor has that extent"},
      {"f: y[n], z[m] <- x[n] each n", "', column 10: each n: z has it not, and every output must"},
      {"f: y[n] <- x[n, n] each n", "each n: x has it more than once"},
      {"f: y[n] <- x[n], at[m] < n each n", "each n: at goes from one of its indices to another"},
      {"f: y[n] <- x[n] each n of", "unexpected text at 'of'"},
  };
  for (const auto& [line, what] : mistakes) EXPECT_THAT(mistake_of(line), HasSubstr(what)) << line;
  EXPECT_THAT(mistake_of("f: y[n] <- " + std::string(notation::kMostLine, 'x')), HasSubstr("bytes, and at most 4096"));
  // Files hold a line with its spaces, which may be too long where the line as it was written is not.
  const auto packed = [](int tensors) {
    std::string line = "f:y[n]<-";
    for (int i = 0; i < tensors; ++i) {
      line += std::string(i > 0 ? "," : "") + static_cast<char>('a' + i) + std::string(32, 'x') + "[";
      for (char d = 'a'; d < 'g'; ++d) line += std::string(d > 'a' ? "," : "") + d + std::string(32, 'n');
      line += "]";
    }
    return line;
  };
  EXPECT_LE(packed(16).size() + 16 * 6, notation::kMostLine);
  EXPECT_EQ(mistake_of(packed(16)), "none");
  EXPECT_LE(packed(17).size(), notation::kMostLine);
  EXPECT_THAT(mistake_of(packed(17)), HasSubstr("bytes, and at most 4096"));
}

TEST(Declared, FormatsAreFreeButForIndices) {
  Operation operation(signature(kEverything));
  const auto status_with = [&](std::size_t slot, FormatId format) {
    Operation other = operation;
    other.formats()[slot] = format;
    const base::Status status = validate(other);
    return status ? std::string("none") : status.error().message;
  };
  EXPECT_EQ(status_with(1, FormatId::I32), "none") << "counts of a histogram";
  EXPECT_EQ(status_with(0, FormatId::F8_E4M3), "none");
  EXPECT_EQ(status_with(2, FormatId::I64), "none");
  EXPECT_THAT(status_with(2, FormatId::F32), HasSubstr("an index is I32 or I64"));
  EXPECT_THAT(status_with(0, FormatId::TF32), HasSubstr("holds no floating-point numbers in memory"));
}

TEST(Declared, TheCaseFileCarriesTheLine) {
  Case value = zeros_of(kEverything, {2, 3, 4, 2, 1});
  value.tensors.at("ends").set(1, 3);
  const auto read = case_file::parse(case_file::write(value));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, value);
  EXPECT_EQ(&read->operation.signature(), &value.operation.signature());
}

TEST(Declared, IndicesAreHeldToTheirBoundAndOrder) {
  const auto status_of = [](const Case& value) {
    const base::Status status = validate(value);
    return status ? std::string("none") : status.error().message;
  };
  Case value = zeros_of(kEverything, {2, 3, 4, 2, 1});
  EXPECT_EQ(status_of(value), "none");
  value.tensors.at("picks").set(0, 4);
  EXPECT_EQ(status_of(value), "picks[0] = 4 is outside [0, 4)");
  value.tensors.at("picks").set(0, 3);
  value.tensors.at("ends").set(0, 3);
  EXPECT_EQ(status_of(value), "ends[1] = 0 is less than the element before it, and ends is ascending");
  keep_order(value);
  EXPECT_EQ(words(value.tensors.at("ends")), (std::vector<std::uint64_t>{0, 3}));
  EXPECT_EQ(status_of(value), "none");
  value.tensors.at("ends").set(1, 4);
  EXPECT_THAT(status_of(value), HasSubstr("ends[1] = 4 is outside [0, 3], which k allows"));
}

TEST(Declared, APartKeepsIndicesInsideWhatIsLeft) {
  Case value = zeros_of("f: y[n] <- x[columns], at[n] < columns, ends[n] <= columns ascending", {3, 5});
  for (std::int64_t i = 0; i < 3; ++i) value.tensors.at("at").set(i, static_cast<std::uint64_t>(2 * i));
  for (std::int64_t i = 0; i < 3; ++i) value.tensors.at("ends").set(i, static_cast<std::uint64_t>(2 * i + 1));
  Kept kept;
  kept[1] = std::vector<std::int64_t>{0, 2};
  const Case part = part_of(value, kept);
  EXPECT_TRUE(validate(part).ok());
  EXPECT_EQ(words(part.tensors.at("at")), (std::vector<std::uint64_t>{0, 1, 1})) << "4 is gone: the last that is left";
  EXPECT_EQ(words(part.tensors.at("ends")), (std::vector<std::uint64_t>{1, 2, 2})) << "how many lie below";
}

TEST(Declared, RangesOfScalarsAreLimits) {
  const std::string line = "norm: y[n] <- x[n], epsilon";
  Limits limits;
  limits.scalars["epsilon"] = {1e-6, 0.5};
  EXPECT_TRUE(validate(limits, line).ok());
  EXPECT_EQ(describe(limits, line), "epsilon from 1e-06 to 0.5");
  Operation operation(signature(line));
  operation.scalars()[0] = limits.scalars["epsilon"].nearest(FormatId::F32, 1);
  EXPECT_EQ(operation.scalars()[0].bits, 0x3f000000u);
  EXPECT_FALSE(outside(limits, operation, {}).has_value());
  operation.scalars()[0].bits = 0x3f000001;
  EXPECT_THAT(outside(limits, operation, {}).value_or(""),
              HasSubstr("epsilon = 0.50000006 is not between 1e-06 and 0.5"));
  operation.scalars()[0].bits = number::canonical_nan(number::format(FormatId::F32));
  EXPECT_TRUE(outside(limits, operation, {}).has_value()) << "a NaN is in no range";
  EXPECT_TRUE(ScalarRange{}.accepts({FormatId::F32, 0xff800000})) << "an infinity is in one without ends";
  const double above_one = 1 + 1e-9;
  EXPECT_THAT(validate({.scalars = {{"epsilon", {above_one, above_one}}}}, line).error().message,
              HasSubstr("no F32 lies between"));
  EXPECT_THAT(validate({.scalars = {{"eps", {}}}}, line).error().message, HasSubstr("norm has no scalar eps; did you"));
  EXPECT_THAT(validate({.scalars = {{"epsilon", {1, 0}}}}, line).error().message, HasSubstr("above its greatest"));
  EXPECT_THAT(validate({.scalars = {{"alpha", {}}}}, "gemm").error().message, HasSubstr("gemm ships"));
  const Limits back = limits_of(nlohmann::json::parse(limits_json(limits).dump()));
  EXPECT_EQ(back.scalars, limits.scalars);
}

}  // namespace
}  // namespace negzero::operation
