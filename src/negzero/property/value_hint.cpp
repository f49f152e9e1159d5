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

/// "1e18".
std::string proposed(const number::Format& format) {
  const double greatest = number::to_double(format, number::max_finite(format));
  return fmt::format("1e{}", static_cast<int>(std::floor(std::log10(greatest) / 2 - 1)));
}

std::string declaration(DeclaredBy by, const std::vector<std::string>& names, const std::vector<std::string>& ends) {
  constexpr std::string_view kBegins[] = {"values ", ".values = {", "values={"}, kFinishes[] = {"", "}", "}"};
  std::string text(kBegins[static_cast<std::size_t>(by)]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ", ";
    switch (by) {
      case DeclaredBy::Line:
        text += fmt::format("{0} -{1}..{1}", names[i], ends[i]);
        break;
      case DeclaredBy::Registration:
        text += fmt::format("{{\"{0}\", {{-{1}, {1}}}}}", names[i], ends[i]);
        break;
      case DeclaredBy::Python:
        text += fmt::format("\"{0}\": (-{1}, {1})", names[i], ends[i]);
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

std::optional<std::string> value_hint(const operation::Case& value, const verdict::Failure& failure, DeclaredBy by) {
  using verdict::FailureClass;
  const bool is_of_values = failure.kind == FailureClass::WrongValue || failure.kind == FailureClass::WrongSpecialValue;
  if (!is_of_values || failure.rule.family() == "meta") return std::nullopt;
  std::string squares, sizes;
  std::vector<std::string> names, ends;
  for (const operation::TensorSignature& tensor : value.operation.signature().tensors) {
    const auto found = value.tensors.find(tensor.name);
    if (tensor.role == operation::Role::Index || found == value.tensors.end()) continue;
    const auto word = overflowing(found->second);
    if (!word) continue;
    const number::Format& format = found->second.format();
    names.push_back(tensor.name);
    ends.push_back(proposed(format));
    squares += fmt::format("{}the square of {} = {} overflows {}", names.size() > 1 ? ", " : "", tensor.name,
                           number::to_decimal(format, *word), format.name);
    sizes += fmt::format("{}|{}| never exceeds {}", names.size() > 1 ? " and " : "", tensor.name, ends.back());
  }
  if (names.empty()) return std::nullopt;
  return fmt::format("{}; if {} (or less), declare it: {}", squares, sizes, declaration(by, names, ends));
}

}  // namespace negzero::property
