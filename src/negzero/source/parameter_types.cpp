// Compares words: a type that a file defines itself has no format.

#include <negzero/source/parameter_types.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

std::string format_of_type(const std::string& type) {
  if (type == "float") return "F32";
  if (type == "double") return "F64";
  if (is_one_of(type, {"half", "__half", "nv_half", "at::Half", "c10::Half"})) return "F16";
  if (is_one_of(type, {"__nv_bfloat16", "nv_bfloat16", "at::BFloat16", "c10::BFloat16"})) return "BF16";
  if (is_one_of(type, {"__nv_fp8_e4m3"})) return "F8_E4M3";
  if (is_one_of(type, {"__nv_fp8_e5m2"})) return "F8_E5M2";
  if (is_one_of(type, {"int", "int32_t", "std::int32_t"})) return "I32";
  if (is_one_of(type, {"unsigned", "unsigned int", "uint32_t", "std::uint32_t"})) return "U32";
  if (is_one_of(type, {"short", "int16_t", "std::int16_t"})) return "I16";
  if (is_one_of(type, {"unsigned short", "uint16_t", "std::uint16_t"})) return "U16";
  if (is_one_of(type, {"char", "signed char", "int8_t", "std::int8_t"})) return "I8";
  if (is_one_of(type, {"unsigned char", "uint8_t", "std::uint8_t"})) return "U8";
  if (type == "bool") return "BOOL";
  if (is_one_of(type, {"__nv_fp4x2_e2m1", "__nv_fp4x2_storage_t"})) return "F4";
  if (is_one_of(type, {"__nv_fp6_e2m3"})) return "F6_E2M3";
  if (is_one_of(type, {"__nv_fp6_e3m2"})) return "F6_E3M2";
  if (is_one_of(type, {"__nv_fp8_e8m0"})) return "F8_E8M0";
  if (is_one_of(type, {"int64_t", "std::int64_t", "long", "long long", "unsigned long", "unsigned long long",
                       "uint64_t", "std::uint64_t", "size_t", "std::size_t"}))
    return "I64";
  return "";
}

bool is_integer(const KernelParameter& parameter) {
  return !parameter.is_pointer &&
         is_one_of(parameter.element, {"int", "unsigned", "unsigned int", "long", "long long", "size_t", "std::size_t",
                                       "int64_t", "std::int64_t", "int32_t", "uint32_t", "uint64_t", "unsigned long"});
}

bool is_stream(const KernelParameter& parameter) {
  return !parameter.is_pointer && is_one_of(parameter.element, {"cudaStream_t", "CUstream"});
}

bool is_number(const KernelParameter& parameter) {
  return !parameter.is_pointer && is_one_of(parameter.element, {"float", "double", "half", "__half"});
}

bool is_truth(const KernelParameter& parameter) { return !parameter.is_pointer && parameter.element == "bool"; }

}  // namespace negzero::source
