// The tensors of a failing case whose squares or exponentials overflow, and the words that keep them smaller.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/property/value_hint.hpp>

namespace negzero::property {
namespace {

/// The word of the largest finite magnitude of a tensor that exceeds `bound`; nothing where none does.
std::optional<std::uint64_t> largest_beyond(const tensor::Tensor& tensor, double bound) {
  std::optional<std::uint64_t> largest;
  double most = bound;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double size = std::abs(number::to_double(tensor.format(), tensor.get(i)));
    if (!(size > most) || std::isinf(size)) continue;
    most = size;
    largest = tensor.get(i);
  }
  return largest;
}

/// What a kernel may compute of an element that is too large for it, and the magnitude that it could take.
struct TooLarge {
  std::string says{};   ///< the square of x = 3.8e+22 overflows F32
  std::string limit{};  ///< 1e18
};

/// The limit of F32 is 1e18, and of F16 1e2: a power of ten whose square the format holds, and some of which it can add
/// where it is wide.
std::optional<TooLarge> too_large_to_square(const std::string& name, const tensor::Tensor& tensor) {
  const number::Format& format = tensor.format();
  const double greatest = number::to_double(format, number::max_finite(format));
  const auto word = largest_beyond(tensor, std::sqrt(greatest));
  if (!word) return std::nullopt;
  const double exponents = std::log10(greatest);
  return TooLarge{
      fmt::format("the square of {} = {} overflows {}", name, number::to_decimal(format, *word), format.name),
      fmt::format("1e{}", static_cast<int>(std::floor(exponents / 2 - (exponents > 30 ? 1 : 0))))};
}

/// exp(x) overflows where x exceeds the logarithm of the greatest number, 88.7 of F32, and is subnormal or 0 where -x
/// does. Numbers of 16 bits are often raised in F32, so its logarithm counts where they exceed it. The limit is the
/// logarithm rounded down to one digit: 80 of F32, 700 of F64, 10 of F16.
std::optional<TooLarge> too_large_to_raise(const std::string& name, const tensor::Tensor& tensor) {
  const number::Format& own = tensor.format();
  const number::Format& wide = own.bits < 32 ? number::format(number::FormatId::F32) : own;
  for (const number::Format* format : {&wide, &own}) {
    const double logarithm = std::log(number::to_double(*format, number::max_finite(*format)));
    const auto word = largest_beyond(tensor, logarithm);
    if (!word) continue;
    const double digit = std::pow(10, std::floor(std::log10(logarithm)));
    return TooLarge{fmt::format("the exponential of {} = {} {} {}", name, number::to_decimal(own, *word),
                                number::to_double(own, *word) > 0 ? "overflows" : "underflows", format->name),
                    fmt::format("{}", std::floor(logarithm / digit) * digit)};
  }
  return std::nullopt;
}

/// The end of a range: what it has already where that is nearer to 0, else the proposed one.
std::string end_of(double declared, const std::string& wanted, bool is_low) {
  const double limit = std::stod(wanted);
  if (std::abs(declared) < limit) return fmt::format("{}", declared);
  return (is_low ? "-" : "") + wanted;
}

/// One tensor with the range that is proposed for it.
struct Proposed {
  std::string name, low, high;
};

std::string declaration(DeclaredBy by, const std::vector<Proposed>& ranges) {
  constexpr std::string_view kBegins[] = {"values ", ".values = {", "values={"}, kFinishes[] = {"", "}", "}"};
  std::string text(kBegins[static_cast<std::size_t>(by)]);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i > 0) text += ", ";
    const auto& [name, low, high] = ranges[i];
    switch (by) {
      case DeclaredBy::Line:
        text += fmt::format("{} {}..{}", name, low, high);
        break;
      case DeclaredBy::Registration:
        text += fmt::format("{{\"{}\", {{{}, {}}}}}", name, low, high);
        break;
      case DeclaredBy::Python:
        text += fmt::format("\"{}\": ({}, {})", name, low, high);
        break;
    }
  }
  return text + std::string(kFinishes[static_cast<std::size_t>(by)]);
}

/// The hint on the inputs of a case that are too large for a kernel that computes that of them.
std::optional<std::string> hint_on(const operation::Case& value, const operation::Limits& limits, DeclaredBy by,
                                   std::optional<TooLarge> (&too_large)(const std::string&, const tensor::Tensor&)) {
  std::string reasons, sizes;
  std::vector<Proposed> ranges;
  for (const notation::TensorSignature& tensor : value.operation.signature().tensors) {
    const auto found = value.tensors.find(tensor.name);
    if (tensor.role == notation::Role::Index || found == value.tensors.end()) continue;
    // Nothing is computed in a format of a byte.
    if (found->second.format().is_integer() || found->second.format().bits <= 8) continue;
    const std::optional<TooLarge> large = too_large(tensor.name, found->second);
    if (!large) continue;
    const operation::ValueRange& said = limits.values[tensor.name];
    // Who declares none but larger numbers means them.
    if (said.least > std::stod(large->limit) || said.greatest < -std::stod(large->limit)) continue;
    ranges.push_back({tensor.name, end_of(said.least, large->limit, true), end_of(said.greatest, large->limit, false)});
    const bool is_first = ranges.size() == 1;
    reasons += fmt::format("{}{}", is_first ? "" : ", ", large->says);
    sizes += fmt::format("{}|{}| never exceeds {}", is_first ? "" : " and ", tensor.name, large->limit);
  }
  if (ranges.empty()) return std::nullopt;
  return fmt::format("{}; if {} (or less), declare it: {}", reasons, sizes, declaration(by, ranges));
}

/// Whether the element that failed is an infinity or a NaN.
bool observed_is_special(const operation::Case& value, const verdict::Failure& failure) {
  if (failure.element < 0) return false;
  for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
    if (spec.name != failure.output) continue;
    const number::Format& format = number::format(spec.format);
    return !format.is_integer() && !std::isfinite(number::to_double(format, failure.observed));
  }
  return false;
}

}  // namespace

DeclaredBy declared_by(const kernel::Kernel& kernel) {
  const auto has = [&](std::string_view end) {
    return std::ranges::any_of(kernel.build.named, [&](const std::string& word) { return word.ends_with(end); });
  };
  if (has(".cu") || has(".cuh") || has(".nz")) return DeclaredBy::Line;
  return kernel.file.ends_with(".py") ? DeclaredBy::Python : DeclaredBy::Registration;
}

std::optional<std::string> value_hint(const operation::Case& value, const verdict::Failure& failure,
                                      const operation::Limits& limits, DeclaredBy by) {
  using verdict::FailureClass;
  // An oracle says itself what overflows; a reference in F64 does not.
  const bool is_by_reference = failure.rule.family() == "reference";
  const bool is_special = failure.kind == FailureClass::WrongSpecialValue;
  if (!is_special && !(is_by_reference && failure.kind == FailureClass::WrongValue)) return std::nullopt;
  if (failure.rule.family() == "meta") return std::nullopt;
  // Sums and selections square nothing.
  const bool may_square = is_by_reference || value.operation.signature().factors.size() > 1;
  if (!may_square) return std::nullopt;
  if (auto hint = hint_on(value, limits, by, too_large_to_square)) return hint;
  // Operations with an oracle have no exponentials. One that is too large gives an infinity, or a NaN made of it.
  if (!is_by_reference || !observed_is_special(value, failure)) return std::nullopt;
  return hint_on(value, limits, by, too_large_to_raise);
}

}  // namespace negzero::property
