// Draws from a stream, by rules of this folder alone.

#include "drawn.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <negzero/contract/fields.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::oracle_paths {

namespace {

using contract::Takes;
using number::Format;
using number::FormatId;
using operation::Case;

using Json = nlohmann::ordered_json;

std::vector<Json> values_of(const contract::Field& field) {
  std::vector<Json> list;
  for (const std::string_view word : field.takes.words) list.emplace_back(std::string(word));
  switch (field.takes.kind) {
    case Takes::Kind::Word:
    case Takes::Kind::Text:
      break;
    case Takes::Kind::Truth:
      return {true, false};
    case Takes::Kind::WholeNumber:
      return {0, 1, 2, 5};
    case Takes::Kind::Formula:
      return {2, 3, 5, 9};
    case Takes::Kind::Bits:
      return {"0x0", "0x3c00", "0x7fc00000"};
    case Takes::Kind::Promotion:
      return {Json{{"every", 1}, {"format", "F32"}}, Json{{"every", 2}, {"format", "F32"}},
              Json{{"every", 3}, {"format", "F64"}}};
    case Takes::Kind::Roundings:
      return {Json::array({"F16"}), Json::array({"BF16"}), Json::array({"F32"}), Json::array({"F32", "F16"}),
              Json::array({Json{{"format", "F16"}, {"rounding", "toward_zero"}}})};
  }
  return list;
}

template <class List>
const auto& one_of(base::Random& random, const List& list) {
  return list[random.below(std::size(list))];
}

/// Numbers of one tensor have a style, so that sums of them cancel, tie, overflow or underflow.
struct Style {
  int center = 0, spread = 3, specials = 0;
  bool is_nan = false;  ///< every number

  /// `beside`: a format of the case, near whose smallest normal number some styles are.
  static Style draw(const Format& format, const Format& beside, base::Random& random) {
    Style style;
    const int low = format.eta_exponent(), high = format.max_exponent();
    constexpr int kSpreads[] = {0, 1, 3, 8, 40};
    style.spread = one_of(random, kSpreads);
    if (random.one_in(4)) style.center = beside.min_normal_exponent() + static_cast<int>(random.between(-2, 2));
    if (random.one_in(8)) style.center = high - 1;
    if (random.one_in(8)) style.center = (low + high) / 2;
    if (random.one_in(6)) style.specials = 8;
    style.is_nan = random.one_in(40);
    return style;
  }
};

std::uint64_t drawn_number(const Format& format, const Style& style, base::Random& random) {
  if (format.is_integer()) {
    if (random.one_in(5)) {
      const std::int64_t from_end = random.between(0, 9);
      const std::int64_t end = number::ordinal(format, number::max_finite(format));
      return number::from_ordinal(format, random.one_in(2) ? end - from_end : from_end - end - 1);
    }
    return static_cast<std::uint64_t>(random.between(-9, 9)) & format.word_mask();
  }
  const bool negative = random.one_in(2);
  if (style.is_nan) return number::canonical_nan(format);
  if (style.specials != 0 && random.one_in(static_cast<std::uint64_t>(style.specials))) {
    if (random.one_in(3)) return number::canonical_nan(format) ^ (negative ? format.sign_mask() : 0);
    return format.has_infinity ? number::infinity(format, negative) : number::max_finite(format, negative);
  }
  if (random.one_in(12)) return number::zero(format, negative);
  const int exponent = style.center + static_cast<int>(random.between(-style.spread, style.spread));
  // Significands with few bits meet ties and cancel; the others are full.
  const int bits = format.precision() - 1;
  std::uint64_t fraction = random.next() & ((std::uint64_t{1} << bits) - 1);
  if (random.one_in(2)) fraction &= random.next() & random.next();
  const exact::Dyadic value =
      exact::Dyadic(static_cast<std::int64_t>((std::uint64_t{1} << bits) | fraction), exponent - bits);
  return (negative ? -value : value).round_to(format, {.overflow = number::Overflow::Saturate});
}

void fill(Case& value, base::Random& random) {
  const bool updates = value.operation.signature().is_update;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    const Format& format = tensor.format();
    const Format& beside = number::format(one_of(random, value.operation.formats()));
    const Style style = Style::draw(format, beside.is_integer() || format.is_integer() ? format : beside, random);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, drawn_number(format, style, random));
    const bool are_places = spec.name == "index" || spec.name == "rows";
    if (are_places) {
      const auto bound = static_cast<std::uint64_t>(updates ? value.operation.extent("destinations")
                                                            : value.operation.extent("capacity") + 1);
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, random.below(bound));
    } else if (random.one_in(4) && tensor.element_count() > 1) {
      // Pairs that cancel.
      for (std::int64_t i = 1; i < tensor.element_count(); i += 2)
        tensor.set(i, tensor.get(i - 1) ^ format.sign_mask());
    }
    value.tensors.emplace(spec.name, std::move(tensor));
  }
}

constexpr FormatId kF32 = FormatId::F32, kF16 = FormatId::F16, kBF16 = FormatId::BF16, kF64 = FormatId::F64,
                   kE4M3 = FormatId::F8_E4M3, kE5M2 = FormatId::F8_E5M2, kI32 = FormatId::I32;

operation::Scalar drawn_scalar(FormatId id, base::Random& random) {
  constexpr double kScalars[] = {1, 1, 1, 0, -1, 2, 3, 0.3, -1.7, 0x1p-12, -0.0, 0x1p-130, 0x1p120};
  const Format& format = number::format(id);
  if (format.is_integer()) return {id, static_cast<std::uint64_t>(random.between(-1, 2)) & format.word_mask()};
  if (random.one_in(32)) return {id, number::infinity(format, random.one_in(2))};
  return {id, number::from_double(format, one_of(random, kScalars))};
}

operation::Operation drawn_operation(const std::string& name, base::Random& random) {
  constexpr std::int64_t kTerms[] = {0, 1, 1, 2, 2, 3, 4, 5, 8, 17};
  const std::int64_t terms = one_of(random, kTerms), few = random.between(1, 3);
  using Formats = std::vector<FormatId>;
  static const std::vector<Formats> kProducts{{kF16, kF16, kF32},    {kBF16, kBF16, kF32},  {kF32, kF32, kF32},
                                              {kF64, kF64, kF64},    {kE4M3, kE4M3, kF32},  {kE5M2, kE5M2, kF16},
                                              {kF16, kF16, kF16},    {kBF16, kBF16, kBF16}, {kF32, kF32, kF16},
                                              {kE4M3, kE4M3, kE4M3}, {kE5M2, kE4M3, kF32}};
  static const std::vector<Formats> kRows{{kF32, kF32}, {kF16, kF32},   {kF16, kF16}, {kBF16, kF32}, {kE5M2, kF32},
                                          {kF64, kF64}, {kBF16, kBF16}, {kF32, kF16}, {kF32, kE4M3}};
  operation::Operation drawn = *operation::operation_named(name);
  if (name == "gemm") {
    const Formats formats = random.one_in(12) ? Formats{kI32, kI32, kI32} : one_of(random, kProducts);
    const FormatId scalars = formats[0] == kI32 ? kI32 : formats[0] == kF64 ? kF64 : random.one_in(6) ? kF16 : kF32;
    operation::Gemm gemm{1,
                         random.between(1, 2),
                         few,
                         terms,
                         formats[0],
                         formats[1],
                         formats[2],
                         drawn_scalar(scalars, random),
                         drawn_scalar(scalars, random)};
    if (random.one_in(2)) gemm.alpha = {scalars, number::one(number::format(scalars))};
    if (random.one_in(3)) gemm.beta = {scalars, 0};
    if (formats[2] != kI32 && random.one_in(5)) gemm.c = kF32;
    return gemm;
  }
  for (std::int64_t& extent : drawn.extents()) extent = few;
  if (name == "gemm.grouped") {
    drawn.extent("k") = terms;
    drawn.set_formats(one_of(random, kProducts));
  } else if (name.starts_with("scatter")) {
    constexpr FormatId kLocations[] = {kF32, kF32, kF16, kBF16, kF64, kI32};
    drawn.extent("updates") = terms;
    drawn.set_formats(std::vector{one_of(random, kLocations)});
  } else if (name == "convert") {
    constexpr FormatId kAll[] = {kF32, kF16, kBF16, kF64, kE4M3, kE5M2, kI32};
    drawn.extent("count") = 1 + terms;
    drawn.set_formats(std::vector{one_of(random, kAll), one_of(random, kAll)});
  } else {
    drawn.extent("columns") = terms;
    Formats formats = random.one_in(10) ? Formats{kI32, kI32} : one_of(random, kRows);
    const bool selects = name.find("max") != std::string::npos || name.find("min") != std::string::npos;
    if (selects) formats[1] = formats[0];
    if (name.starts_with("reduce.arg")) formats[1] = kI32;
    drawn.set_formats(formats);
  }
  return drawn;
}

}  // namespace

const std::vector<Value>& values() {
  static const std::vector<Value> list = [] {
    std::vector<Value> all;
    for (const contract::Field& field : contract::fields()) {
      // No model is built in, and promises of equal bits permit nothing.
      if (field.name == "model" || field.name == "determinism" || field.name == "position_invariant") continue;
      for (const Json& each : values_of(field)) {
        if (each != "model") all.push_back({std::string(field.name), each});
      }
    }
    return all;
  }();
  return list;
}

const std::vector<std::string>& operations() {
  static const std::vector<std::string> list{"gemm",           "gemm.grouped",  "reduce.sum",       "reduce.mean",
                                             "reduce.max",     "reduce.argmin", "reduce.max_index", "scan.inclusive",
                                             "scan.exclusive", "scatter.add",   "scatter.max",      "convert"};
  return list;
}

Case drawn_case(const std::string& name, base::Random& random) {
  Case value;
  value.operation = drawn_operation(name, random);
  fill(value, random);
  operation::pack_missing_layouts(value);
  return value;
}

namespace {

/// Fields that mean more together than apart: how a chain runs, what is flushed, what is selected, where alpha acts.
const std::vector<std::vector<std::string>>& kinships() {
  static const std::vector<std::vector<std::string>> list{
      {"order", "start", "promote", "contraction", "beta"},
      {"subnormal_inputs", "subnormal_results", "accumulate", "intermediate", "output_rounding"},
      {"nan", "all_nan", "zero_sign", "ties", "subnormal_inputs"},
      {"order", "integer_overflow", "overflow", "accumulate_rounding"},
      {"alpha", "beta", "scalar_format", "wider", "contraction", "accumulate_rounding"}};
  return list;
}

/// Some values of the fields that one of those lists names, in which `with` is, where it is in one.
std::vector<Value> drawn_kin(const Value& with, base::Random& random) {
  std::vector<std::vector<std::string>> lists = kinships();
  const auto is_strange = [&](const auto& names) { return std::ranges::find(names, with.field) == names.end(); };
  if (!std::ranges::all_of(lists, is_strange)) std::erase_if(lists, is_strange);
  const std::vector<std::string>& names = one_of(random, lists);
  std::vector<Value> kin;
  for (const Value& each : values()) {
    if (std::ranges::find(names, each.field) != names.end()) kin.push_back(each);
  }
  std::vector<Value> drawn;
  for (std::uint64_t i = random.between(2, 5); i > 0; --i) drawn.push_back(one_of(random, kin));
  return drawn;
}

}  // namespace

std::optional<contract::Contract> drawn_contract(const Case& value, const Value& with, base::Random& random) {
  Json fields = Json::object();
  const FormatId first = value.operation.formats()[0];
  if (first == kI32 || first == kF64) fields["accumulate"] = number::format(first).name;
  if (first != kI32 && first != kF64 && random.one_in(3)) fields["accumulate"] = random.one_in(2) ? "F16" : "BF16";
  if (random.one_in(3)) {
    for (const Value& other : drawn_kin(with, random)) fields[other.field] = other.value;
  } else {
    for (std::uint64_t more = random.one_in(2) ? random.between(1, 3) : 0; more > 0; --more) {
      const Value& other = one_of(random, values());
      fields[other.field] = other.value;
    }
  }
  // What says something of tensor cores, or of slices, needs them.
  const bool is_product = value.operation.signature().factors.size() == 2;
  if (with.field == "unit" || (with.field == "slices" && is_product && random.one_in(2))) {
    fields["tensor_core"] = random.one_in(2) ? "may" : "only";
  } else if (with.field == "slices") {
    fields["slice_format"] = random.one_in(2) ? "F16" : "BF16";
  }
  fields[with.field] = with.value;
  const auto contract = contract::parse(fields.dump());
  return contract.ok() ? std::optional(*contract) : std::nullopt;
}

std::uint64_t drawn_word(const oracle::Permitted& set, base::Random& random) {
  const Format& format = number::format(set.format);
  std::uint64_t word = random.next() & format.word_mask();
  const std::vector<oracle::Interval> intervals = set.intervals();
  if (!set.only.empty()) {
    word = one_of(random, set.only);
  } else if (!intervals.empty() && !random.one_in(8)) {
    const auto& [low, high] = one_of(random, intervals);
    word = number::from_ordinal(format, random.one_in(2) ? low : high);
    if (random.one_in(6)) word = number::from_ordinal(format, low + (high - low) / 2);
  } else if (set.nan) {
    word = number::canonical_nan(format);
  } else if (set.plus_infinity || set.minus_infinity) {
    word = number::infinity(format, !set.plus_infinity);
  }
  switch (random.below(9)) {
    case 0:
      return number::next_up(format, word);
    case 1:
      return number::next_down(format, word);
    case 2:
      return word ^ format.sign_mask();
    case 3:
      return format.is_integer() ? word : number::infinity(format, random.one_in(2));
    default:
      return word;
  }
}

std::string words_of(const operation::Case& value) {
  std::string text = operation::name(value.operation);
  for (const operation::Scalar& scalar : value.operation.scalars()) {
    text += " scalar " + number::with_bits(number::format(scalar.format), scalar.bits);
  }
  for (const auto& [name, tensor] : value.tensors) {
    text += fmt::format(" {} {}[{}]", name, tensor.format().name, fmt::join(tensor.shape(), ","));
    for (const std::uint64_t word : tensor.words()) text += fmt::format(" {:x}", word);
  }
  return text;
}

}  // namespace negzero::oracle_paths
