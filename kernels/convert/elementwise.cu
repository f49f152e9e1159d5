// Conversions by CUDA's own functions, a thread an element: every rounding that they come in.

#include <string>
#include <type_traits>

#include <negzero/cuda/cuda.hpp>

#include "../common/elements.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using number::Rounding;

template <typename Element>
constexpr FormatId kFormat = FormatId::F32;
template <>
constexpr FormatId kFormat<double> = FormatId::F64;
template <>
constexpr FormatId kFormat<__half> = FormatId::F16;
template <>
constexpr FormatId kFormat<__nv_bfloat16> = FormatId::BF16;
template <>
constexpr FormatId kFormat<int> = FormatId::I32;

/// The conversions of one rounding: CUDA spells it in the name of the function.
template <Rounding kRounding>
struct By;

#define NEGZERO_CONVERSIONS(rounding, suffix)                                                       \
  template <>                                                                                       \
  struct By<Rounding::rounding> {                                                                   \
    __device__ static void convert(double x, float& y) { y = __double2float_##suffix(x); }          \
    __device__ static void convert(double x, int& y) { y = __double2int_##suffix(x); }              \
    __device__ static void convert(float x, __half& y) { y = __float2half_##suffix(x); }            \
    __device__ static void convert(float x, __nv_bfloat16& y) { y = __float2bfloat16_##suffix(x); } \
    __device__ static void convert(float x, int& y) { y = __float2int_##suffix(x); }                \
    __device__ static void convert(__half x, int& y) { y = __half2int_##suffix(x); }                \
    __device__ static void convert(__nv_bfloat16 x, int& y) { y = __bfloat162int_##suffix(x); }     \
    __device__ static void convert(int x, float& y) { y = __int2float_##suffix(x); }                \
    __device__ static void convert(int x, __half& y) { y = __int2half_##suffix(x); }                \
    __device__ static void convert(int x, __nv_bfloat16& y) { y = __int2bfloat16_##suffix(x); }     \
  };
NEGZERO_CONVERSIONS(NearestEven, rn)
NEGZERO_CONVERSIONS(TowardZero, rz)
NEGZERO_CONVERSIONS(Down, rd)
NEGZERO_CONVERSIONS(Up, ru)
#undef NEGZERO_CONVERSIONS

/// Conversions that come in one rounding only, or need none.
struct Plain {
  __device__ static void convert(float x, double& y) { y = x; }
  __device__ static void convert(int x, double& y) { y = x; }
  __device__ static void convert(__half x, float& y) { y = __half2float(x); }
  __device__ static void convert(__nv_bfloat16 x, float& y) { y = __bfloat162float(x); }
  __device__ static void convert(double x, __half& y) { y = __double2half(x); }
  __device__ static void convert(double x, __nv_bfloat16& y) { y = __double2bfloat16(x); }
};

template <class How, typename X, typename Y>
__global__ void convert_kernel(Elements<X, Y> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    How::convert(problem.x[i * problem.x_stride], problem.y[i * problem.y_stride]);
  }
}

template <class How, typename X, typename Y>
kernel::LaunchResult launch_convert(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_elements(convert_kernel<How, X, Y>, args, stream);
}

template <class How, typename X, typename Y>
bool add_convert(std::string name, std::string about, Rounding rounding) {
  return kernel::registry().add({
      .name = "convert." + std::move(name),
      .operation = "convert",
      .about = std::move(about),
      .contract = {.output_rounding = rounding,
                   .zero_sign = contract::ZeroSign::Ieee,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{kFormat<X>, kFormat<Y>}}, .extents = {{"count", {.tiles = {kElementThreads}}}}},
      .launch = launch_convert<How, X, Y>,
  });
}

template <Rounding kRounding>
bool add_all(const std::string& suffix, const std::string& rounded) {
  using Way = By<kRounding>;
  const auto add = [&]<typename X, typename Y>(const std::string& pair, X, Y) {
    add_convert<Way, X, Y>(pair + "." + suffix, "a thread an element, " + rounded, kRounding);
  };
  add("f64_f32", double{}, float{});
  add("f64_i32", double{}, int{});
  add("f32_f16", float{}, __half{});
  add("f32_bf16", float{}, __nv_bfloat16{});
  add("f32_i32", float{}, int{});
  add("f16_i32", __half{}, int{});
  add("bf16_i32", __nv_bfloat16{}, int{});
  add("i32_f32", int{}, float{});
  add("i32_f16", int{}, __half{});
  add("i32_bf16", int{}, __nv_bfloat16{});
  return true;
}

const bool registered[] = {
    add_all<Rounding::NearestEven>("nearest", "rounded to nearest, ties to even"),
    add_all<Rounding::TowardZero>("toward_zero", "rounded toward zero"),
    add_all<Rounding::Down>("down", "rounded down"),
    add_all<Rounding::Up>("up", "rounded up"),
    add_convert<Plain, float, double>("f32_f64", "a thread an element, exact", Rounding::NearestEven),
    add_convert<Plain, int, double>("i32_f64", "a thread an element, exact", Rounding::NearestEven),
    add_convert<Plain, __half, float>("f16_f32", "a thread an element, exact", Rounding::NearestEven),
    add_convert<Plain, __nv_bfloat16, float>("bf16_f32", "a thread an element, exact", Rounding::NearestEven),
    add_convert<Plain, double, __half>("f64_f16", "a thread an element, rounded once", Rounding::NearestEven),
    add_convert<Plain, double, __nv_bfloat16>("f64_bf16", "a thread an element, rounded once", Rounding::NearestEven),
};

}  // namespace
}  // namespace negzero::kernels
