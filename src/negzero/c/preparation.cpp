// Lays the inputs of a case out one after the other, has them changed, and takes them back.

#include <array>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <negzero/c/plan_text.hpp>
#include <negzero/c/preparation.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::c {
namespace {

/// Every tensor begins at a multiple of so many bytes.
constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t at) { return (at + kAlignment - 1) / kAlignment * kAlignment; }

std::size_t bytes_of(const operation::Case& value) {
  std::size_t bytes = kAlignment;
  for (const auto& [name, tensor] : value.tensors) bytes += aligned(tensor.bytes().size());
  return bytes;
}

/// The inputs and scalars as the plan of a launch has them (negzero.h), all packed.
std::string plan_of(const operation::Case& value) {
  std::string text = fmt::format(R"({{"begin":0,"end":{},"buffers":{{)", bytes_of(value));
  std::size_t at = 0;
  const char* comma = "";
  for (const auto& [name, tensor] : value.tensors) {
    text += comma;
    text += buffer_text(name, "input", tensor.format(), tensor::Layout::packed(tensor.shape()), at);
    at += aligned(tensor.bytes().size());
    comma = ",";
  }
  return text + R"(},"scalars":)" + scalars_text(value.operation) + R"(,"configuration":{})" +
         extents_text(value.operation) + "}";
}

/// Copies the bytes of all tensors to where the plan has them, or back.
template <typename Copy>
void each_tensor(operation::Case& value, std::byte* memory, Copy&& copy) {
  for (auto& [name, tensor] : value.tensors) {
    const std::span<std::byte> bytes = tensor.bytes();
    if (!bytes.empty()) copy(bytes, memory);
    memory += aligned(bytes.size());
  }
}

/// Lays tensors whose elements would not stay as they are, as some share memory, out so that none do. Returns whether
/// all stay then.
bool keep_apart(operation::Case& value, const operation::Limits& limits) {
  for (int turn = 0; turn < 2; ++turn) {
    operation::Case unified = value;
    operation::unify_shared_elements(unified);
    if (unified.tensors == value.tensors) {
      value.layouts = std::move(unified.layouts);
      return true;
    }
    for (const auto& [name, tensor] : value.tensors) {
      if (unified.tensors.at(name) != tensor) value.layouts.erase(name);
    }
    operation::lay_missing_plainly(value, limits);
  }
  return false;
}

}  // namespace

bool Preparation::prepare(operation::Case& value) {
  if (const std::size_t wanted = bytes_of(value); wanted > size_bytes_) {
    memory_ = static_cast<std::byte*>(function_.memory(function_.user, wanted));
    size_bytes_ = memory_ != nullptr ? wanted : 0;
    is_stopped_ = memory_ == nullptr;
    if (is_stopped_) return false;
  }
  const std::string plan = plan_of(value);
  each_tensor(value, memory_,
              [](std::span<std::byte> bytes, std::byte* at) { std::memcpy(at, bytes.data(), bytes.size()); });
  std::array<char, 4096> message{};
  const negzero_launch launch{
      {plan.data(), plan.size()}, {nullptr, 0}, memory_, size_bytes_, message.data(), message.size()};
  is_stopped_ = function_.launch(function_.user, &launch) != NEGZERO_RAN;
  if (is_stopped_) return false;
  operation::Case prepared = value;
  each_tensor(prepared, memory_,
              [](std::span<std::byte> bytes, const std::byte* at) { std::memcpy(bytes.data(), at, bytes.size()); });
  if (!keep_apart(prepared, limits_)) {
    problem_ = "elements that lie in the same memory, or that ascend, must be given so; give a case of the operation";
  } else if (const base::Status valid = operation::validate(prepared); !valid) {
    problem_ = valid.error().message + "; give a case of the operation";
  } else if (const auto why = operation::values_outside(limits_, prepared)) {
    problem_ = *why + ", as its values are declared; keep to them, or declare others";
  } else {
    value = std::move(prepared);
    return true;
  }
  return false;
}

bool Preparation::leaves(const operation::Case& value) {
  operation::Case prepared = value;
  return prepare(prepared) && prepared.tensors == value.tensors;
}

}  // namespace negzero::c
