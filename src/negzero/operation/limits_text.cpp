// Limits as one line for people.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/operation/limits.hpp>

namespace negzero::operation {
namespace {

/// "k a multiple of 16 up to 512"; empty where every extent is accepted.
std::string text_of(std::string_view name, const ExtentLimit& limit) {
  std::string text;
  const auto add = [&](const std::string& part) { (text += text.empty() ? std::string(name) + " " : " ") += part; };
  if (limit.min == limit.max) return fmt::format("{} = {}", name, limit.min);
  if (limit.power_of_two) add("a power of two");
  if (limit.multiple != 1) add(fmt::format("a multiple of {}", limit.multiple));
  if (limit.min > 0) add(fmt::format("from {}", limit.min));
  if (limit.max < tensor::kMaxElements) add(fmt::format("up to {}", limit.max));
  return text;
}

std::string text_of(std::string_view name, ScalarLimit limit) {
  constexpr const char* kWords[] = {"", "0 or 1", "0", "1"};
  return limit == ScalarLimit::Any ? "" : fmt::format("{} {}", name, kWords[static_cast<std::size_t>(limit)]);
}

/// "row-major inputs with no shared addresses, offset up to 4"; empty where every layout is accepted.
std::string text_of(std::string_view name, const LayoutLimit& limit) {
  constexpr const char* kLayouts[] = {"", "row- or column-major ", "row-major ", "column-major ", "packed "};
  std::vector<std::string> parts;
  if (!limit.broadcast) parts.emplace_back("no shared addresses");
  if (limit.max_offset == 0) {
    parts.emplace_back("no offset");
  } else if (limit.max_offset < tensor::kMaxSpan) {
    parts.push_back(fmt::format("offset up to {}", limit.max_offset));
  }
  if (limit.offset_multiple != 1) parts.push_back(fmt::format("offset a multiple of {}", limit.offset_multiple));
  if (limit.stride_multiple != 1) parts.push_back(fmt::format("strides multiples of {}", limit.stride_multiple));
  if (limit.max_stride < kMostIntStride) parts.push_back(fmt::format("strides up to {}", limit.max_stride));
  if (limit.max_span < tensor::kMaxSpan)
    parts.push_back(fmt::format("at most {} elements from end to end", limit.max_span));
  if (limit.alignment != 1) parts.push_back(fmt::format("addresses multiples of {} bytes", limit.alignment));
  if (!limit.shared.empty()) parts.push_back(fmt::format("stride 0 along {}", fmt::join(limit.shared, ", ")));
  if (limit.order == LayoutOrder::Any && parts.empty()) return "";
  std::string text = fmt::format("{}{}", kLayouts[static_cast<std::size_t>(limit.order)], name);
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? " with " : ", ") + parts[i];
  return text;
}

/// Each named tensor, those of one layout together: "column-major a, d; any b" where inputs have a limit that b lacks.
std::vector<std::string> tensors_text(const Limits& limits, const notation::Signature& signature) {
  std::vector<std::pair<std::string, LayoutLimit>> named;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    const LayoutLimit* const said = limits.tensors.find(tensor.name);
    if (said == nullptr) continue;
    const auto same = std::ranges::find(named, *said, &std::pair<std::string, LayoutLimit>::second);
    if (same != named.end()) {
      same->first += ", " + tensor.name;
    } else {
      named.emplace_back(tensor.name, *said);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [names, limit] : named) {
    const std::string text = text_of(names, limit);
    parts.push_back(text.empty() ? "any " + names : text);
  }
  return parts;
}

}  // namespace

std::string formats_text(std::span<const number::FormatId> named, const notation::Signature& signature) {
  std::string text;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::string_view name = number::format(named[i]).name;
    if (i < signature.own_formats) {
      text += fmt::format("{}{}", i == 0 ? "" : " x ", name);
    } else if (named[i] != signature.usual_format(i, named)) {
      text += fmt::format(" with {} in {}", signature.formats[i], name);
    }
  }
  return text;
}

std::string formats_text(const Limits& limits, const notation::Signature& signature) {
  std::string text;
  for (const auto& combination : limits.formats) {
    (text += text.empty() ? "" : ", ") += formats_text(combination, signature);
  }
  return text;
}

std::string describe(const Limits& limits, std::string_view operation) {
  std::vector<std::string> parts;
  if (const notation::Signature* const signature = find_signature(operation)) {
    parts.push_back(formats_text(limits, *signature));
    for (const std::string& extent : signature->extents) parts.push_back(text_of(extent, limits.extents[extent]));
    for (const auto& names : limits.equal) parts.push_back(fmt::format("{}", fmt::join(names, " = ")));
    for (const notation::Relation& relation : limits.relations) parts.push_back(relation.to_string());
    for (const auto& [names, max] : limits.products) {
      parts.push_back(fmt::format("{} up to {}", fmt::join(names, " x "), max));
    }
    for (const auto& [name, range] : limits.scalars) {
      parts.push_back(fmt::format("{} from {} to {}", name, range.least, range.greatest));
    }
    for (const auto& [name, range] : limits.values) parts.push_back(fmt::format("{} {}", name, describe(range)));
    for (const notation::ScalarSignature& scalar : signature->scalars) {
      if (!scalar.is_whole()) parts.push_back(text_of(scalar.name, scalar.is_addend ? limits.beta : limits.alpha));
    }
  }
  parts.push_back(text_of("inputs", limits.inputs));
  parts.push_back(text_of("output", limits.output));
  if (const notation::Signature* const signature = find_signature(operation)) {
    for (std::string& part : tensors_text(limits, *signature)) parts.push_back(std::move(part));
  }
  const InPlaceLimit& in_place = limits.in_place;
  if (!in_place.input.empty()) {
    parts.push_back(
        fmt::format("{} {} in the output's memory", in_place.input, in_place.always ? "always" : "perhaps"));
  }
  for (const auto& [name, values] : limits.configuration) {
    parts.push_back(fmt::format("{} {}", name, values_text(values)));
  }
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  return text.empty() ? "every case" : text;
}

}  // namespace negzero::operation
