// GEMM of F16 whose C stays in F32: what is carried from one product to the next keeps its bits until D is stored.

#include <negzero/cuda/cuda.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

kernel::LaunchResult launch_addend(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F16WithF32Addend>(chain_gemm_kernel<F16WithF32Addend>, args, stream);
}

const bool registered = kernel::registry().add({
    .name = "gemm.addend_f32.f16",
    .operation = "gemm",
    .about = "F16 factors and results, C in F32, one fma chain an output in F32",
    .contract = chain_contract(),
    .limits = {.formats = {{FormatId::F16, FormatId::F16, FormatId::F16, FormatId::F32}}},
    .launch = launch_addend,
});

}  // namespace
}  // namespace negzero::kernels
