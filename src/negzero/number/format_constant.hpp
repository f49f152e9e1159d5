// A format known at run time as a constant of a type, so that a loop over elements folds all of its fields.

#pragma once

#include <negzero/number/format.hpp>

namespace negzero::number {

template <FormatId kId>
struct FormatConstant {
  static constexpr const Format& kFormat = format(kId);
  constexpr operator const Format&() const noexcept { return kFormat; }
};

/// Calls body(FormatConstant<id>{}): the body is compiled once for each format.
template <typename Body>
void with_format(FormatId id, Body&& body) {
  using enum FormatId;
  switch (id) {
    case F64:
      return body(FormatConstant<F64>{});
    case F32:
      return body(FormatConstant<F32>{});
    case TF32:
      return body(FormatConstant<TF32>{});
    case F16:
      return body(FormatConstant<F16>{});
    case BF16:
      return body(FormatConstant<BF16>{});
    case F8_E4M3:
      return body(FormatConstant<F8_E4M3>{});
    case F8_E5M2:
      return body(FormatConstant<F8_E5M2>{});
    case I32:
      return body(FormatConstant<I32>{});
    case I64:
      return body(FormatConstant<I64>{});
    case I16:
      return body(FormatConstant<I16>{});
    case I8:
      return body(FormatConstant<I8>{});
    case U32:
      return body(FormatConstant<U32>{});
    case U16:
      return body(FormatConstant<U16>{});
    case U8:
      return body(FormatConstant<U8>{});
    case BOOL:
      return body(FormatConstant<BOOL>{});
    case I4:
      return body(FormatConstant<I4>{});
    case U4:
      return body(FormatConstant<U4>{});
    case F4:
      return body(FormatConstant<F4>{});
    case F6_E2M3:
      return body(FormatConstant<F6_E2M3>{});
    case F6_E3M2:
      return body(FormatConstant<F6_E3M2>{});
    case F8_E8M0:
      return body(FormatConstant<F8_E8M0>{});
  }
}

}  // namespace negzero::number
