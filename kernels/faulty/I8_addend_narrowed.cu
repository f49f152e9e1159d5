// I8: C, which has more bits than D, is rounded to D's format before it is scaled and added.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// F16 results and an F32 addend that loses its low bits on the way.
struct NarrowedAddend : F16WithF32Addend {
  using F16WithF32Addend::widen;
  __device__ static Value widen(float element) { return __half2float(__float2half_rn(element)); }
};

template <class Number>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<Number>(chain_gemm_kernel<Number>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "I8",
                       .slug = "addend_narrowed",
                       .twin_slug = "addend_whole",
                       .about = "rounds a C in F32 to the F16 of D before adding it",
                       .twin_about = "adds a C in F32 as it is",
                       .seen_in = "class of G24",
                       .operation = "gemm",
                       .contract = chain_contract(),
                       .limits = {.formats = {{FormatId::F16, FormatId::F16, FormatId::F16, FormatId::F32}}},
                       .faulty = launch_gemm<NarrowedAddend>,
                       .twin = launch_gemm<F16WithF32Addend>});

}  // namespace
}  // namespace negzero::kernels
