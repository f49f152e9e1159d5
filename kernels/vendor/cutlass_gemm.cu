// CUTLASS's GEMM by tensor cores: F16 with F16 and F32 accumulators, TF32, split K and stream K.
//
// K is at least 1. Without products the formula still has alpha * 0, which is NaN for an infinite alpha, and no
// contract has a word for that; and stream K divides by 0 on the host
// (findings/libraries/cutlass_stream_k_of_k_zero.cu).

#include <utility>

#include <cutlass/gemm/threadblock/threadblock_swizzle.h>
#include <cutlass/gemm/threadblock/threadblock_swizzle_streamk.h>

#include <negzero/cuda/cuda.hpp>

#include "cutlass.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

using Identity = cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>;
using StreamK = cutlass::gemm::threadblock::ThreadblockSwizzleStreamK;
constexpr auto kF32 = FormatId::F32, kF16 = FormatId::F16;

/// Blocks of a grid along z.
constexpr int64_t kMostBatch = 65535;

struct Call {
  const char *name, *about;
  FormatId factors, scalars;
  bool is_aligned = false;  ///< rows begin at multiples of 16 bytes
};

contract::Contract on_cores(FormatId accumulate, contract::Multiplicand multiplicand = contract::Multiplicand::Exact) {
  return {.multiplicand = multiplicand,
          .accumulate = accumulate,
          .tensor_core = contract::TensorCore::May,
          .reads_a_b_at_alpha_zero = true,
          .determinism = contract::Determinism::RunToRun};
}

kernel::Kernel kernel_of(const Call& call, contract::Contract contract) {
  const int64_t multiple = call.is_aligned ? 8 : 1;
  const operation::LayoutLimit rows{.order = operation::LayoutOrder::RowMajor,
                                    .broadcast = false,
                                    .offset_multiple = multiple,
                                    .stride_multiple = multiple,
                                    .alignment = multiple};
  const operation::ExtentLimit rows_of_b{.min = multiple, .multiple = multiple, .tiles = {32, 64}};
  contract.scalar_format = call.scalars;
  return {.name = call.name,
          .operation = "gemm",
          .about = call.about,
          .contract = std::move(contract),
          .limits = {.formats = {{call.factors, call.factors, call.factors}},
                     .extents = {{"batch", {.max = kMostBatch}},
                                 {"m", {.tiles = {64}}},
                                 {"n", {.multiple = multiple, .tiles = {64}}},
                                 {"k", rows_of_b}},
                     .inputs = rows,
                     .output = rows}};
}

/// One product in one go, or a batch of them.
template <class Types>
bool add_whole(const Call& call, contract::Contract contract) {
  kernel::Kernel kernel = kernel_of(call, std::move(contract));
  kernel.launch = [](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
    const kernel::GemmArgs gemm = kernel::gemm_args(args);
    if (gemm.batch == 0 || gemm.m == 0 || gemm.n == 0) return kernel::LaunchResult::launched();
    return run_cutlass<Types, Identity>(gemm, 1, workspace, stream);
  };
  return kernel::registry().add(std::move(kernel));
}

/// One product in slices of K, which D holds between them where the swizzle is the identity: sums may be rounded to its
/// format then. With alpha = 1, for each slice is scaled, and no bound covers that on tensor cores.
template <class Types, class Swizzle>
bool add_sliced(const Call& call, contract::Contract contract) {
  kernel::Kernel kernel = kernel_of(call, std::move(contract));
  kernel.limits.extents["batch"] = {.min = 1, .max = 1};
  kernel.limits.alpha = operation::ScalarLimit::One;
  kernel.limits.configuration = {{"slices", {2, 3, 5, 1}}};
  kernel.launch = [](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
    const kernel::GemmArgs gemm = kernel::gemm_args(args);
    if (gemm.m == 0 || gemm.n == 0) return kernel::LaunchResult::launched();
    return run_cutlass<Types, Swizzle>(gemm, static_cast<int>(args.option("slices")), workspace, stream);
  };
  return kernel::registry().add(std::move(kernel));
}

using cutlass::half_t;

const bool registered[] = {
    add_whole<Unaligned<half_t, float>>({"cutlass.gemm.f16_acc_f32", "CUTLASS, F16 summed in F32", kF16, kF32},
                                        on_cores(kF32)),
    add_whole<Aligned<half_t, float>>(
        {"cutlass.gemm.f16_acc_f32_aligned", "CUTLASS, F16 summed in F32, by asynchronous copies", kF16, kF32, true},
        on_cores(kF32)),
    add_whole<Unaligned<half_t, half_t>>({"cutlass.gemm.f16_acc_f16", "CUTLASS, F16 summed in F16", kF16, kF16},
                                         on_cores(kF16)),
    add_whole<Tf32>({"cutlass.gemm.tf32", "CUTLASS, F32 as TF32", kF32, kF32},
                    on_cores(kF32, contract::Multiplicand::Tf32Any)),
    add_sliced<Unaligned<half_t, float>, Identity>(
        {"cutlass.gemm.split_k.f16_acc_f32", "CUTLASS, F16 summed in F32, slices of K one after another", kF16, kF32},
        on_cores(kF16)),
    add_sliced<Unaligned<half_t, float>, StreamK>(
        {"cutlass.gemm.stream_k.f16_acc_f32", "CUTLASS, F16 summed in F32, stream K", kF16, kF32}, on_cores(kF32)),
};

}  // namespace
}  // namespace negzero::kernels
