// Departures of GEMMs, whose results a simulated kernel computes.

#include <cmath>
#include <limits>

#include "departures.hpp"
#include "way.hpp"

namespace negzero::hints {
namespace {

using enum number::FormatId;
using Order = Way::Order;
using Alpha = Way::Alpha;

/// The data of a GEMM of 6 x 6 outputs.
struct Data {
  std::int64_t k = 16;
  FormatId in = F32, out = F32;
  double alpha = 1, beta = 0;
  FormatId scalars = F32;
  double scale = 1, scale_b = 0;  ///< the size of factors; of b where it has another one
  std::int64_t spread = 1;        ///< binary orders of magnitude among them
  bool positive = false;
};

operation::Scalar scalar(FormatId format, double value) {
  return {format, number::from_double(number::format(format), value)};
}

/// A number with all its bits, between 1/2 and 2 in size.
double drawn(base::Random& random, const Data& data) {
  const double size = std::ldexp(1 + static_cast<double>(random.below(1 << 30)) * 0x1p-30,
                                 -static_cast<int>(random.between(0, data.spread)));
  return data.scale * (data.positive || random.one_in(2) ? size : -size);
}

tensor::Tensor drawn_tensor(FormatId format, std::vector<std::int64_t> shape, base::Random& random, const Data& data) {
  tensor::Tensor result(format, std::move(shape));
  for (std::int64_t i = 0; i < result.element_count(); ++i) {
    result.set(i, number::from_double(result.format(), drawn(random, data)));
  }
  return result;
}

Departure products(std::string plain, std::string truth, std::string words, const Way& way, const Data& data = {}) {
  constexpr std::int64_t kSide = 6;
  base::Random random(20261128);
  Departure result{std::move(plain), std::move(truth), std::move(words), {}, {}};
  operation::Gemm gemm{.m = kSide, .n = kSide, .k = data.k, .a = data.in, .b = data.in, .d = data.out};
  gemm.alpha = scalar(data.scalars, data.alpha);
  gemm.beta = scalar(data.scalars, data.beta);
  result.value.operation = gemm;
  const tensor::Tensor a = drawn_tensor(data.in, {1, kSide, data.k}, random, data);
  Data of_b = data;
  if (data.scale_b != 0) of_b.scale = data.scale_b;
  const tensor::Tensor b = drawn_tensor(data.in, {1, data.k, kSide}, random, of_b);
  const tensor::Tensor c = drawn_tensor(data.out, {1, kSide, kSide}, random, data);
  tensor::Tensor& d = result.outputs.emplace_back(data.out, std::vector<std::int64_t>{1, kSide, kSide});
  Computer computer(way, data.out);
  const auto value = [](const tensor::Tensor& of, std::int64_t i) {
    return Dyadic::from_encoding(of.format(), of.get(i));
  };
  const auto number = [](const operation::Scalar& of) {
    return Dyadic::from_encoding(number::format(of.format), of.bits);
  };
  for (std::int64_t i = 0; i < kSide * kSide; ++i) {
    std::vector<Dyadic> x, y;
    for (std::int64_t k = 0; k < data.k; ++k) {
      x.push_back(value(a, i / kSide * data.k + k));
      y.push_back(value(b, k * kSide + i % kSide));
    }
    const auto addend = data.beta == 0 ? std::nullopt : std::optional(value(c, i));
    d.set(i, computer.element(std::move(x), std::move(y), number(gemm.alpha), number(gemm.beta), addend));
  }
  result.value.tensors = {{"a", a}, {"b", b}, {"c", c}};
  operation::pack_missing_layouts(result.value);
  return result;
}

/// The chain that a simulated kernel follows where nothing else is said, with `more` of a contract.
std::string chain_with(const std::string& more = "", const std::string& contraction = "fused") {
  return R"({"wider":false,"order":"ascending","start":"plus_zero","contraction":")" + contraction + "\"" +
         (more.empty() ? "" : "," + more) + "}";
}

/// Special values and scalars that are 0: what `alpha * sum + beta * c` gives, in F32.
Departure formula(std::string truth, std::string words, std::int64_t k, float alpha, float beta,
                  const std::vector<float>& a, const std::vector<float>& c) {
  Departure result{"{}", std::move(truth), std::move(words), {}, {}};
  const auto rows = static_cast<std::int64_t>(c.size());
  operation::Gemm gemm{.m = rows, .n = 1, .k = k};
  gemm.alpha = scalar(F32, static_cast<double>(alpha));
  gemm.beta = scalar(F32, static_cast<double>(beta));
  result.value.operation = gemm;
  const auto tensor = [](std::vector<std::int64_t> shape, const auto& of) {
    tensor::Tensor made(F32, std::move(shape));
    for (std::int64_t i = 0; i < made.element_count(); ++i) {
      made.set(i, number::from_double(made.format(), static_cast<double>(of(i))));
    }
    return made;
  };
  result.value.tensors.emplace("a", tensor({1, rows, k}, [&](auto i) { return a[static_cast<std::size_t>(i)]; }));
  result.value.tensors.emplace("b", tensor({1, k, 1}, [](auto) { return 1.0F; }));
  result.value.tensors.emplace("c", tensor({1, rows, 1}, [&](auto i) { return c[static_cast<std::size_t>(i)]; }));
  result.outputs.push_back(tensor({1, rows, 1}, [&](std::int64_t i) {
    float sum = 0;
    for (std::int64_t l = 0; l < k; ++l) sum += a[static_cast<std::size_t>(i * k + l)];
    return alpha * sum + beta * c[static_cast<std::size_t>(i)];
  }));
  operation::pack_missing_layouts(result.value);
  return result;
}

}  // namespace

std::vector<Departure> departures_of_products() {
  using R = number::Rounding;
  const auto to = [](FormatId format, R rounding = R::NearestEven) { return Stop{format, rounding}; };
  const std::string f64 = R"({"accumulate":"F64","wider":false})";
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  return {
      products("{}", R"({"multiplicand":"tf32_truncate"})", R"(multiplicand "tf32_truncate")",
               {.factors = to(TF32, R::TowardZero)}),
      products("{}", R"({"multiplicand":"tf32_nearest_away"})", R"("tf32_nearest_away")",
               {.factors = to(TF32, R::NearestAway)}),
      products("{}", R"({"multiplicand":"tf32_nearest_even"})", R"(multiplicand "tf32_nearest_even")",
               {.factors = to(TF32)}),
      products("{}", R"({"multiplicand":"bf16"})", R"(multiplicand "bf16")", {.factors = to(BF16)}),
      products("{}", R"({"multiplicand":"f16"})", R"("f16")", {.factors = to(F16)}, {.scale = 0x1p-12}),
      products("{}", R"({"multiplicand":"tf32_or_exact"})", R"(multiplicand "tf32_or_exact")",
               {.factors = to(TF32), .every_second = true}),
      products("{}", R"({"multiplicand":"tf32_any"})", R"(multiplicand "tf32_any")",
               {.factors = to(TF32), .other_factors = to(TF32, R::TowardZero)}),
      products("{}", R"({"accumulate":"F16"})", R"(accumulate "F16")", {.sum = to(F16)}),
      products("{}", R"({"accumulate":"BF16"})", R"(accumulate "BF16")", {.sum = to(BF16)}),
      products("{}", R"({"accumulate":"F16"})", R"(accumulate "F16")", {.sum = to(F16)}, {.in = F16}),
      products("{}", R"({"accumulate":"F16"})", R"(accumulate "F16")", {.sum = to(F16)}, {.in = F16, .out = F16}),
      products("{}", R"({"accumulate":"BF16"})", R"(accumulate "BF16")", {.sum = to(BF16)}, {.in = BF16, .out = BF16}),
      products(f64, R"({"accumulate":"F32"})", R"(accumulate "F32")", {}, {.in = F64, .out = F64}),
      products(R"({"accumulate":"F16","wider":false})", R"({"accumulate":"F32"})", R"(accumulate "F32")", {},
               {.k = 1, .in = F16}),
      products("{}", R"({"accumulate_rounding":"toward_zero"})", R"(accumulate_rounding "toward_zero")",
               {.sum = to(F32, R::TowardZero)}, {.k = 3}),
      products("{}", R"({"accumulate_rounding":"faithful"})", R"(accumulate_rounding "faithful")", {.faithful = true},
               {.k = 3}),
      products(chain_with("", "separate"), R"({"compensated":true})", "compensated", {.fused = false, .kahan = true},
               {.k = 24}),
      products(chain_with(), R"({})", R"(order "any")", {.order = Order::Down}),
      products(chain_with("", "separate"), R"({})", R"(order "any")", {.order = Order::Pairs}),
      products(chain_with("", "separate"), chain_with(), R"(contraction "fused")", {}),
      products(chain_with(), chain_with("", "separate"), R"(contraction "separate")", {.fused = false}),
      products(chain_with(), R"({"wider":false,"order":"ascending","start":"c","contraction":"fused"})", R"(start "c")",
               {.starts_at_c = true}, {.beta = 1}),
      products(chain_with(R"("accumulate":"F16")"),
               chain_with(R"("accumulate":"F16","promote":{"every":8,"format":"F32"})"), "promote",
               {.sum = to(F16), .slice = 8}),
      products(R"({"alpha":"epilogue"})", R"({"alpha":"operand"})", R"(alpha "operand")", {.alpha = Alpha::Operand},
               {.k = 2, .alpha = 1.7}),
      products("{}", R"({"alpha":"partial"})", R"(alpha "partial")", {.alpha = Alpha::Slices, .slice = 1},
               {.k = 2, .alpha = 1.7}),
      products(R"({"beta":"epilogue","wider":false})", R"({"beta":"leaf"})", R"(beta "leaf")", {.starts_at_c = true},
               {.k = 2, .beta = 1}),
      products("{}", R"({"scalar_format":"F16"})", R"(scalar_format "F16")", {.scalars = F16}, {.k = 2, .alpha = 1.7}),
      products("{}", R"({"scalar_format":"BF16"})", R"(scalar_format "BF16")", {.scalars = BF16},
               {.alpha = 1.3, .beta = 0.7}),
      products(R"({"accumulate":"F64"})", R"({"accumulate":"F64","scalar_format":"F32"})", R"(scalar_format "F32")",
               {.sum = to(F64), .scalars = F32}, {.in = F64, .out = F64, .alpha = 1.7, .scalars = F64}),
      products("{}", R"({"intermediate":["F16"]})", R"(intermediate ["F16"])", {.at_result = F16}),
      products("{}", R"({"intermediate":["BF16"]})", R"(intermediate ["BF16"])", {.at_result = BF16},
               {.alpha = 1.5, .beta = 0.7}),
      products("{}", R"({"intermediate":["F16"],"intermediate_at":"sum"})",
               R"(intermediate ["F16"] and intermediate_at "sum")", {.at_sum = F16}, {.beta = 0.7}),
      products("{}", R"({"intermediate":["BF16"],"intermediate_at":"sum"})",
               R"(intermediate ["BF16"] and intermediate_at "sum")", {.at_sum = BF16}, {.alpha = 1.5, .beta = 0.7}),
      products("{}", R"({"intermediate":["F8_E4M3"]})", R"(intermediate ["F8_E4M3"])", {.at_result = F8_E4M3}),
      products("{}", R"({"output_rounding":"toward_zero"})", R"(output_rounding "toward_zero")",
               {.output = {.rounding = R::TowardZero}}, {.in = F16, .out = F16}),
      products("{}", R"({"output_rounding":"down"})", R"(output_rounding "down")", {.output = {.rounding = R::Down}},
               {.in = BF16, .out = BF16}),
      products("{}", R"({"output_rounding":"up"})", R"(output_rounding "up")", {.output = {.rounding = R::Up}},
               {.in = F16, .out = F16}),
      products("{}", R"({"subnormal_inputs":"flush"})", R"(subnormal_inputs "flush")", {.flushes_inputs = true},
               {.k = 2, .scale = 0x1p-126, .scale_b = 0x1p20}),
      products("{}", R"({"subnormal_results":"flush"})", R"(subnormal_results "flush")", {.flushes_results = true},
               {.k = 4, .scale_b = 0x1p-124}),
      products("{}", R"({"overflow":"saturate"})", R"(overflow "saturate")",
               {.output = {.overflow = number::Overflow::Saturate}}, {.out = F16, .scale = 160}),
      products("{}", R"({"tensor_core":"may"})", R"(tensor_core "may")", {.step = 16, .kept = 13, .bits = 14},
               {.in = F8_E4M3, .spread = 6}),
      products("{}", R"({"tensor_core":"may"})", R"(tensor_core "may")", {.step = 8, .kept = 24, .bits = 24},
               {.k = 4, .in = F16, .spread = 8, .positive = true}),
      products("{}", R"({"multiplicand":"tf32_nearest_even","tensor_core":"may"})",
               R"(multiplicand "tf32_nearest_even" and tensor_core "may")",
               {.factors = to(TF32), .step = 4, .kept = 24, .bits = 24}, {.k = 4, .spread = 8, .positive = true}),
      products("{}", R"({"slice_format":"BF16"})", R"(slice_format "BF16")", {.slice = 16, .stored = BF16},
               {.k = 64, .in = BF16}),
      products("{}", R"({"slice_format":"F16"})", R"(slice_format "F16")", {.slice = 32, .stored = F16},
               {.k = 64, .in = F16}),
      products("{}", R"({"slice_format":"BF16"})", R"(slice_format "BF16")", {.slice = 16, .stored = BF16},
               {.k = 64, .in = BF16, .out = BF16}),
      formula(R"({"reads_a_b_at_alpha_zero":true})", "reads_a_b_at_alpha_zero", 1, 0, 1, {1, kNan, kInf}, {1, 2, 3}),
      formula(R"({"reads_c_at_beta_zero":true})", "reads_c_at_beta_zero", 1, 1, 0, {1, 2, 3}, {kNan, 2, -kInf}),
      formula(R"({"scalars":"formula"})", R"(scalars "formula")", 0, kInf, 1, {}, {1, 2, 3}),
      formula(R"({"scalars":"formula"})", R"(scalars "formula")", 1, 0, 0, {kNan, 1, 1}, {1, kInf, 2}),
  };
}

}  // namespace negzero::hints
