// Generators of the parts of a case, and of cases from them.

#include "arbitrary_case.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace negzero::operation {
namespace {

rc::Gen<std::string> arbitrary_text() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(
                          rc::gen::element<std::string>("a", "*", ".", "\"", "\\", "\n", "{", "é", "𝄞", " ")),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part;
                        return text;
                      });
}

rc::Gen<number::FormatId> float_format() {
  using number::FormatId;
  return rc::gen::element(FormatId::F64, FormatId::F32, FormatId::F16, FormatId::BF16, FormatId::F8_E4M3,
                          FormatId::F8_E5M2);
}

rc::Gen<Scalar> arbitrary_scalar() {
  return rc::gen::exec([] {
    Scalar scalar;
    scalar.format = *float_format();
    scalar.bits = *rc::gen::arbitrary<std::uint64_t>() & number::format(scalar.format).word_mask();
    return scalar;
  });
}

rc::Gen<Operation> arbitrary_operation() {
  return rc::gen::exec([]() -> Operation {
    const auto extent = rc::gen::inRange<std::int64_t>(0, 4);
    const auto& names = operation_names();
    Operation operation = *operation_named(names[*rc::gen::inRange<std::size_t>(0, names.size())]);
    const notation::Signature& signature = operation.signature();
    for (std::int64_t& value : operation.extents()) value = *extent;
    // Where there is no place to go to, there is nothing that goes there.
    for (const notation::TensorSignature& tensor : signature.tensors) {
      if (!tensor.index_below || operation.extents()[*tensor.index_below] > 0) continue;
      for (const std::size_t along : tensor.extents) operation.extents()[along] = 0;
    }
    for (std::size_t i = 0; i < signature.formats.size(); ++i) {
      operation.formats()[i] = signature.holds_indices(i)
                                   ? *rc::gen::element(number::FormatId::I32, number::FormatId::I64)
                                   : *float_format();
    }
    // A selection keeps the format.
    for (const notation::OutputSignature& output : signature.outputs) {
      if (!output.combine || !selects(*output.combine) || gives_index(*output.combine)) continue;
      operation.formats()[signature.tensors[output.tensor].format] = operation.formats()[0];
    }
    for (Scalar& scalar : operation.scalars()) scalar = *arbitrary_scalar();
    return operation;
  });
}

/// Strides that leave gaps, in the order of dimensions or transposed; inputs may broadcast.
rc::Gen<tensor::Layout> arbitrary_layout(const std::vector<std::int64_t>& shape, bool input) {
  return rc::gen::exec([shape, input] {
    tensor::Layout layout = tensor::Layout::packed(shape);
    layout.offset = *rc::gen::inRange<std::int64_t>(0, 4);
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      order.insert(order.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(d) + 1), d);
    }
    std::int64_t span = 1;
    for (const std::size_t d : order) {
      const bool broadcast = input && *rc::gen::inRange(0, 4) == 0;
      layout.strides[d] = broadcast ? 0 : span + *rc::gen::inRange<std::int64_t>(0, 2);
      span += std::max<std::int64_t>(shape[d] - 1, 0) * layout.strides[d];
    }
    return layout;
  });
}

rc::Gen<Expectation> arbitrary_expectation() {
  return rc::gen::exec([] {
    Expectation expectation;
    expectation.kernel = *arbitrary_text();
    expectation.executor = *rc::gen::element<std::string>("*", "host", "cuda");
    expectation.verdict = static_cast<verdict::VerdictKind>(*rc::gen::inRange(0, 5));
    if (expectation.verdict == verdict::VerdictKind::Fail) {
      expectation.failure_class = static_cast<verdict::FailureClass>(*rc::gen::inRange(0, 14));
    }
    expectation.rule = *arbitrary_text();
    return expectation;
  });
}

}  // namespace

rc::Gen<Case> arbitrary_case() {
  return rc::gen::exec([] {
    Case value;
    value.operation = *arbitrary_operation();
    for (const TensorSpec& spec : input_specs(value.operation)) {
      tensor::Tensor elements(spec.format, spec.shape);
      for (std::byte& byte : elements.bytes()) byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
      for (std::int64_t i = 0; spec.index_below && i < elements.element_count(); ++i) {
        elements.set(i, static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(0, *spec.index_below)));
      }
      value.tensors.emplace(spec.name, std::move(elements));
      value.layouts.emplace(spec.name, *arbitrary_layout(spec.shape, true));
    }
    for (const TensorSpec& output : output_specs(value.operation)) {
      value.layouts.emplace(output.name, *arbitrary_layout(output.shape, false));
    }
    unify_shared_elements(value);
    value.kernel = *arbitrary_text();
    value.contract = *arbitrary_text();
    value.strategy = *arbitrary_text();
    value.poison = *rc::gen::element(Poison::Nan, Poison::Large);
    value.schedule = {.order = static_cast<Schedule::Order>(*rc::gen::inRange(0, 3)),
                      .preempt = *rc::gen::arbitrary<bool>(),
                      .seed = *rc::gen::arbitrary<std::uint64_t>()};
    for (const char* const option : {"algorithm", "split_k", "workspace"}) {
      if (*rc::gen::inRange(0, 4) == 0) value.configuration[option] = *rc::gen::arbitrary<std::int64_t>();
    }
    value.seed = *rc::gen::element<std::uint64_t>(0, 1, (std::uint64_t{1} << 53) + 1, ~std::uint64_t{0});
    value.index = *rc::gen::arbitrary<std::uint64_t>();
    value.expect = *rc::gen::container<std::vector<Expectation>>(arbitrary_expectation());
    if (*rc::gen::arbitrary<bool>()) value.found = *arbitrary_expectation();
    value.unknown = *rc::gen::container<std::map<std::string, std::string>>(
        rc::gen::map(arbitrary_text(), [](const std::string& text) { return std::string("future.") + text; }),
        arbitrary_text());
    return value;
  });
}

}  // namespace negzero::operation
