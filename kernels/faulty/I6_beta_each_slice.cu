// I6: C lies where D is, and each slice of k scales again what the slices before have left there.

#include <negzero/kernel/fault.hpp>

#include "../common/gemm_in_place.cuh"

namespace negzero::kernels {
namespace {

const bool registered = kernel::add_fault({.id = "I6",
                                           .slug = "beta_each_slice",
                                           .twin_slug = "beta_once",
                                           .about = "scales C, which lies in D, once for each slice of k",
                                           .twin_about = "scales C, which lies in D, before the first slice",
                                           .seen_in = "class of G6",
                                           .operation = "gemm",
                                           .contract = gemm_in_place_contract(),
                                           .limits = gemm_in_place_limits(),
                                           .faulty = launch_gemm_in_place<true>,
                                           .twin = launch_gemm_in_place<false>});

}  // namespace
}  // namespace negzero::kernels
