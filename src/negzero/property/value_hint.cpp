// The tensors of a failing case whose squares overflow, and the words that keep them smaller.

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

/// The word of the largest finite magnitude of a tensor whose square exceeds its format; nothing where none does.
std::optional<std::uint64_t> overflowing(const tensor::Tensor& tensor) {
  const number::Format& format = tensor.format();
  // Nothing is computed in a format of a byte.
  if (format.is_integer() || format.bits <= 8) return std::nullopt;
  const double root = std::sqrt(number::to_double(format, number::max_finite(format)));
  std::optional<std::uint64_t> largest;
  double most = root;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double size = std::abs(number::to_double(format, tensor.get(i)));
    if (!(size > most) || std::isinf(size)) continue;
    most = size;
    largest = tensor.get(i);
  }
  return largest;
}

/// 1e18 of F32, 1e2 of F16: a power of ten whose square the format holds, and some of which it can add where it is
/// wide.
std::string proposed(const number::Format& format) {
  const double exponents = std::log10(number::to_double(format, number::max_finite(format)));
  return fmt::format("1e{}", static_cast<int>(std::floor(exponents / 2 - (exponents > 30 ? 1 : 0))));
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
  const bool is_by_reference = failure.rule.family() == "reference" && failure.kind == FailureClass::WrongValue;
  if ((!is_by_reference && failure.kind != FailureClass::WrongSpecialValue) || failure.rule.family() == "meta") {
    return std::nullopt;
  }
  std::string squares, sizes;
  std::vector<Proposed> ranges;
  for (const operation::TensorSignature& tensor : value.operation.signature().tensors) {
    const auto found = value.tensors.find(tensor.name);
    if (tensor.role == operation::Role::Index || found == value.tensors.end()) continue;
    const auto word = overflowing(found->second);
    if (!word) continue;
    const number::Format& format = found->second.format();
    const std::string limit = proposed(format);
    const operation::ValueRange& said = limits.values[tensor.name];
    // Who declares none but larger numbers means them.
    if (said.least > std::stod(limit) || said.greatest < -std::stod(limit)) continue;
    ranges.push_back({tensor.name, end_of(said.least, limit, true), end_of(said.greatest, limit, false)});
    const bool is_first = ranges.size() == 1;
    squares += fmt::format("{}the square of {} = {} overflows {}", is_first ? "" : ", ", tensor.name,
                           number::to_decimal(format, *word), format.name);
    sizes += fmt::format("{}|{}| never exceeds {}", is_first ? "" : " and ", tensor.name, limit);
  }
  if (ranges.empty()) return std::nullopt;
  return fmt::format("{}; if {} (or less), declare it: {}", squares, sizes, declaration(by, ranges));
}

}  // namespace negzero::property
