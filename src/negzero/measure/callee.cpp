// Reads roles off types.

#include <algorithm>

#include <negzero/measure/callee.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/source/parameter_types.hpp>

namespace negzero::measure {
namespace {

constexpr std::size_t kMostPointers = 6;

}  // namespace

std::vector<std::size_t> Callee::places_of(Parameter::Role role) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].role == role) result.push_back(i);
  }
  return result;
}

Callee callee_of(const source::KernelSignature& function, std::vector<std::string> kernels) {
  using Role = Parameter::Role;
  Callee result{.name = function.name, .line = function.line, .kernels = std::move(kernels)};
  for (const source::KernelParameter& each : function.parameters) {
    Parameter parameter{.name = each.name, .type = each.element, .is_const = each.is_const};
    if (each.is_pointer) {
      parameter.format = source::format_of_type(each.element);
      const bool is_plain = std::ranges::count(each.type, '*') + std::ranges::count(each.type, '[') == 1;
      if (!parameter.format.empty() && is_plain) parameter.role = Role::Pointer;
    } else if (source::is_stream(each)) {
      parameter.role = Role::Stream;
    } else if (source::is_integer(each)) {
      parameter.role = Role::Size;
    } else if (each.element == "float" || each.element == "double") {
      parameter.role = Role::Number;
    }
    result.parameters.push_back(std::move(parameter));
  }
  return result;
}

bool can_be_measured(const Callee& callee) {
  using Role = Parameter::Role;
  const std::vector<std::size_t> pointers = callee.places_of(Role::Pointer);
  const auto may_write = [&](std::size_t place) { return !callee.parameters[place].is_const; };
  return callee.places_of(Role::Other).empty() && std::ranges::any_of(pointers, may_write) &&
         pointers.size() <= kMostPointers && callee.places_of(Role::Size).size() <= kMostSizes &&
         callee.places_of(Role::Number).size() + callee.places_of(Role::Size).size() <=
             notation::kMostScalars + sizes_with_extent(callee).size();
}

std::vector<std::size_t> sizes_with_extent(const Callee& callee) {
  std::vector<std::size_t> sizes = callee.places_of(Parameter::Role::Size);
  sizes.resize(std::min(sizes.size(), notation::kMostOwnExtents - callee.places_of(Parameter::Role::Pointer).size()));
  return sizes;
}

}  // namespace negzero::measure
