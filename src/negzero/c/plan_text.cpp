// Buffers and scalars of a plan as JSON.

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/c/plan_text.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::c {

std::string buffer_text(std::string_view name, const char* use, const number::Format& format,
                        const tensor::Layout& layout, std::uint64_t at) {
  return fmt::format(R"("{}":{{"use":"{}","format":"{}","shape":[{}],"strides":[{}],"at":{}}})", name, use, format.name,
                     fmt::join(layout.shape, ","), fmt::join(layout.strides, ","), at);
}

std::string extents_text(const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  // Bytes do not say how many elements of 4 bits their last dimension has.
  bool has_parameters = std::ranges::any_of(
      operation.formats(), [](number::FormatId format) { return number::format(format).is_half_byte(); });
  std::string text;
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    has_parameters = has_parameters || signature.is_parameter(e);
    text += fmt::format(R"({}"{}":{})", text.empty() ? "" : ",", signature.extents[e], operation.extents()[e]);
  }
  return has_parameters ? R"(,"extents":{)" + text + "}" : "";
}

std::string scalars_text(const operation::Operation& operation) {
  std::string text = "{";
  const auto& names = operation.signature().scalars;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const operation::Scalar& scalar = operation.scalars()[i];
    text += fmt::format(R"({}"{}":["{}","{:#x}"])", i == 0 ? "" : ",", names[i].name,
                        number::format(scalar.format).name, scalar.bits);
  }
  return text + "}";
}

}  // namespace negzero::c
