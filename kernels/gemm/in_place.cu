// GEMM as the BLAS have it: C is updated where it lies, and D is another name for it.

#include "../common/gemm_in_place.cuh"

namespace negzero::kernels {
namespace {

const bool registered = kernel::registry().add({
    .name = "gemm.in_place.f32",
    .operation = "gemm",
    .about = "updates C in place, a slice of 32 of k after the other",
    .contract = gemm_in_place_contract(),
    .limits = gemm_in_place_limits(),
    .launch = launch_gemm_in_place<false>,
});

}  // namespace
}  // namespace negzero::kernels
