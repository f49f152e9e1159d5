// Departures of reductions, conversions and scatters: each a few numbers and what such a kernel gives for them.

#include <limits>

#include <negzero/base/random.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/number/encoding.hpp>

#include "departures.hpp"

namespace negzero::hints {
namespace {

using number::FormatId;
using enum number::FormatId;
using Kind = operation::ReduceKind;
using Numbers = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

tensor::Tensor filled(FormatId format, std::vector<std::int64_t> shape, const Numbers& values) {
  tensor::Tensor result(format, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.set(static_cast<std::int64_t>(i), number::from_double(result.format(), values[i]));
  }
  return result;
}

/// Rows of `columns` numbers, and what was given for each.
Departure rows(std::string plain, std::string truth, std::string words, Kind kind, std::int64_t columns,
               const Numbers& x, const Numbers& y, FormatId in = F32, FormatId out = F32) {
  Departure result{std::move(plain), std::move(truth), std::move(words), {}, {}};
  const auto count = static_cast<std::int64_t>(y.size());
  const bool is_index = kind == Kind::Argmax || kind == Kind::Argmin;
  result.value.operation = operation::Reduce{kind, count, columns, in, is_index ? I32 : out};
  result.value.tensors.emplace("x", filled(in, {count, columns}, x));
  result.outputs.push_back(filled(is_index ? I32 : out, {count}, y));
  operation::pack_missing_layouts(result.value);
  return result;
}

/// Means of three numbers, each of which is divided before they are added.
Departure means_of_terms() {
  base::Random random(3);
  Numbers x, y;
  for (int row = 0; row < 16; ++row) {
    float sum = 0;
    for (int j = 0; j < 3; ++j) {
      const float each = 1 + static_cast<float>(random.below(1 << 23)) * 0x1p-23F;
      x.push_back(static_cast<double>(each));
      sum += each / 3;
    }
    y.push_back(static_cast<double>(sum));
  }
  return rows("{}", R"({"mean":"terms"})", R"(mean "terms")", Kind::Mean, 3, x, y);
}

Departure converted(std::string plain, std::string truth, std::string words, const Numbers& x, const Numbers& y,
                    FormatId out, FormatId in = F32) {
  Departure result{std::move(plain), std::move(truth), std::move(words), {}, {}};
  operation::Operation convert(*operation::find_signature("convert"));
  const auto count = static_cast<std::int64_t>(x.size());
  convert.extent("count") = count;
  convert.formats()[0] = in;
  convert.formats()[1] = out;
  result.value.operation = convert;
  result.value.tensors.emplace("x", filled(in, {count}, x));
  result.outputs.push_back(filled(out, {count}, y));
  operation::pack_missing_layouts(result.value);
  return result;
}

Departure added(std::string truth, std::string words, const Numbers& init, const Numbers& x, const Numbers& out) {
  Departure result{"{}", std::move(truth), std::move(words), {}, {}};
  const auto count = static_cast<std::int64_t>(init.size());
  result.value.operation = operation::Scatter{.updates = count, .destinations = count};
  Numbers places;
  for (std::int64_t i = 0; i < count; ++i) places.push_back(static_cast<double>(i));
  result.value.tensors.emplace("x", filled(F32, {count}, x));
  tensor::Tensor index(I32, {count});
  for (std::int64_t i = 0; i < count; ++i) index.set(i, static_cast<std::uint64_t>(i));
  result.value.tensors.emplace("index", index);
  result.value.tensors.emplace("init", filled(F32, {count}, init));
  result.outputs.push_back(filled(F32, {count}, out));
  operation::pack_missing_layouts(result.value);
  return result;
}

}  // namespace

std::vector<Departure> departures_of_others() {
  const Numbers nans{kNan, 1, 2, 3, kNan, kNan}, ties{5, 5, 1, 2, 7, 7};
  const double tie = 1 + 0x1p-11;
  const float third = 1.0F / 3;
  return {
      rows("{}", R"({"nan":"ignore"})", R"(nan "ignore")", Kind::Max, 2, {kNan, 1, 3, 2}, {1, 3}),
      rows(R"({"nan":"ignore"})", "{}", R"(nan "propagate")", Kind::Max, 2, {kNan, 1, 3, 2}, {kNan, 3}),
      rows(R"({"nan":"ignore","all_nan":"nan"})", R"({"nan":"ignore","all_nan":"identity"})", R"(all_nan "identity")",
           Kind::Max, 2, {kNan, kNan, 3, 2}, {-kInf, 3}),
      rows("{}", R"({"zero_sign":"any"})", R"(zero_sign "any")", Kind::Max, 2, {-0.0, 0.0, 1, 2}, {-0.0, 2}),
      rows(R"({"ties":"first"})", R"({"ties":"last"})", R"(ties "last")", Kind::Argmax, 3, ties, {1, 2}),
      rows("{}", R"({"subnormal_inputs":"flush"})", R"(subnormal_inputs "flush")", Kind::Max, 2,
           {0x1p-130, -1, 0x1p-140, 0x1p-141}, {0, 0}),
      means_of_terms(),
      rows(R"({"mean":"divide","wider":false})", R"({"mean":"reciprocal","wider":false})", R"(mean "reciprocal")",
           Kind::Mean, 3, {1, 2, 4, 5, 5, 3}, {static_cast<double>(7 * third), static_cast<double>(13 * third)}),
      rows("{}", R"({"mean_may_overflow":true})", "mean_may_overflow", Kind::Mean, 2, {3e38, 3e38, 0.1, 0.7},
           {kInf, static_cast<double>((0.1F + 0.7F) / 2)}),
      rows(R"({"accumulate":"I32"})", R"({"accumulate":"I32","integer_overflow":"saturate"})",
           R"(integer_overflow "saturate")", Kind::Sum, 2, {2147483647, 5, 1, 2}, {2147483647, 3}, I32, I32),
      converted("{}", R"({"output_rounding":"nearest_away"})", R"(output_rounding "nearest_away")", {tie, -tie, 1.5},
                {1 + 0x1p-10, -1 - 0x1p-10, 1.5}, F16),
      converted("{}", R"({"intermediate":["BF16"]})", R"(intermediate ["BF16"])", {1 + 0x1p-7, 1 + 0x1p-9, 3},
                {1 + 0x1p-7, 1, 3}, F16),
      converted("{}", R"({"overflow":"nan"})", R"(overflow "nan")", {1e6, 2, -1e9}, {kNan, 2, kNan}, F16),
      added(R"({"subnormal_results":"flush"})", R"(subnormal_results "flush")", {-0x1p-126, 0x1p-120, 1},
            {0x1.8p-126, 0x1p-126, 2}, {0, 0x1p-120 + 0x1p-126, 3}),
  };
}

}  // namespace negzero::hints
