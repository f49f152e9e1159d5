// The macros of PyTorch's extensions: AT_DISPATCH over the types of elements, and bindings to Python, which nothing
// calls here.

#pragma once

#include <negzero/cuda/torch_types.hpp>

namespace at {

using namespace c10;

// Never called: of the type of C++ that has this scalar type.
#define NEGZERO_SCALAR(type, name, python) \
  template <ScalarType which>              \
  requires(which == ScalarType::name) type negzero_type_of();
NEGZERO_SCALAR_TYPES(NEGZERO_SCALAR)
#undef NEGZERO_SCALAR

}  // namespace at

#define AT_DISPATCH_CASE(type, ...)                             \
  case type: {                                                  \
    using scalar_t = decltype(::at::negzero_type_of<(type)>()); \
    return __VA_ARGS__();                                       \
  }
#define AT_DISPATCH_SWITCH(type, name, ...)                            \
  [&] {                                                                \
    const ::at::ScalarType negzero_type = (type);                      \
    switch (negzero_type) {                                            \
      __VA_ARGS__                                                      \
      default:                                                         \
        AT_ERROR("\"", name, "\" not implemented for ", negzero_type); \
    }                                                                  \
  }()

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)              \
  AT_DISPATCH_CASE(::at::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(::at::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)            \
  AT_DISPATCH_CASE(::at::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(::at::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(::at::ScalarType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::at::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(::at::ScalarType::Short, __VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(other, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(other, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(one, other, type, name, ...)                                 \
  AT_DISPATCH_SWITCH(type, name,                                                                     \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(one, __VA_ARGS__) \
                         AT_DISPATCH_CASE(other, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
  AT_DISPATCH_FLOATING_TYPES_AND(::at::ScalarType::Half, type, name, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name,               \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(other, type, name, ...)                                                      \
  AT_DISPATCH_SWITCH(type, name,                                                                               \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
                         AT_DISPATCH_CASE(other, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(one, other, type, name, ...)                                                \
  AT_DISPATCH_SWITCH(type, name,                                                                               \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
                         AT_DISPATCH_CASE(one, __VA_ARGS__) AT_DISPATCH_CASE(other, __VA_ARGS__))

#define NEGZERO_JOINED(a, b) a##b
#define NEGZERO_BINDING(name, argument) \
  template <typename Module>            \
  [[maybe_unused]] static void NEGZERO_JOINED(negzero_binding_of_, name)(Module & argument)
#define PYBIND11_MODULE(name, argument) NEGZERO_BINDING(name, argument)
#define TORCH_LIBRARY(name, argument) NEGZERO_BINDING(name, argument)
#define TORCH_LIBRARY_FRAGMENT(name, argument) NEGZERO_BINDING(name, argument)
#define TORCH_LIBRARY_IMPL(name, key, argument) NEGZERO_BINDING(name##key, argument)
#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME negzero_extension
#endif
