// Kernels of the tests that do what ends a CUDA process, on the rows that a case has many of.

#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero {
namespace {

using number::FormatId;

enum class Deed { Nothing, IllegalAddress, Misaligned, Trap, Endless, FarWrite, NoWrite, WorkspaceWrite, FirstStream };

/// y[row] = the largest of x[row, *], NaN propagated, -0 < +0; more than `kMany` rows provoke the deed.
constexpr std::int64_t kMany = 12;

__device__ bool is_above(float a, float b) {
  return a > b || (a == b && __float_as_int(b) < 0 && __float_as_int(a) >= 0);
}

__global__ void max_kernel(kernel::ReduceArgs args, Deed deed, float* scratch) {
  const bool deadly = args.rows > kMany;
  if (deadly && deed == Deed::IllegalAddress) {
    *reinterpret_cast<volatile float*>(static_cast<char*>(args.y.data) + (std::int64_t{1} << 45)) = 1.0f;
  }
  if (deadly && deed == Deed::Misaligned) *reinterpret_cast<volatile double*>(static_cast<char*>(args.y.data) + 1) = 1;
#ifdef __CUDACC__
  if (deadly && deed == Deed::Trap) __trap();
#endif
  while (deadly && deed == Deed::Endless) __nanosleep(1000);
  // Past the guard zone: into whatever lies behind, another case of the batch perhaps.
  if (deadly && deed == Deed::FarWrite) static_cast<float*>(args.y.data)[2048] = 3.0f;
  if (deadly && deed == Deed::WorkspaceWrite) scratch[7] = 3.0f;
  for (std::int64_t row = 0; row < args.rows; ++row) {
    if (deed == Deed::NoWrite && row == 3) continue;
    float best = -__int_as_float(0x7f800000);
    for (std::int64_t j = 0; j < args.columns; ++j) {
      const float x = static_cast<const float*>(args.x.data)[row * args.x.strides[0] + j * args.x.strides[1]];
      if (isnan(x) || (!isnan(best) && is_above(x, best))) best = x;
    }
    static_cast<float*>(args.y.data)[row * args.y.strides[0]] = best;
  }
}

/// Throws where the process can do more than compute: write a file, make a socket or a process, signal its parent.
void reach_out() {
  const auto fails = [](long result) {
    if (result >= 0) throw 1;
  };
  fails(::open("negzero-reached-out", O_WRONLY | O_CREAT, 0600));
  fails(::open("/etc/passwd", O_RDONLY));
  fails(::socket(AF_INET, SOCK_STREAM, 0));
  fails(::kill(::getppid(), 0));
  fails(::fork());
}

bool add(std::string name, Deed deed, void (*on_the_host)() = nullptr) {
  return kernel::registry().add(
      {.name = std::move(name),
       .operation = "reduce.max",
       .about = "a kernel of the tests",
       .contract = {.zero_sign = contract::ZeroSign::Ieee},
       .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                  .extents = {{"rows", {.max = 16}}, {"columns", {.min = 1, .max = 64}}}},
       .launch = [deed, on_the_host](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
         const auto& reduce = kernel::reduce_args(args);
         if (on_the_host != nullptr && reduce.rows > kMany) on_the_host();
         float* const scratch = static_cast<float*>(workspace.allocate(7 * sizeof(float)));
         static engine::Stream* const first = &stream;
         launch(deed == Deed::FirstStream ? *first : stream, max_kernel, 1, 1, 0, reduce, deed, scratch);
         return kernel::LaunchResult::launched();
       }});
}

const bool registered[] = {
    add("deadly.nothing", Deed::Nothing),
    add("deadly.illegal_address", Deed::IllegalAddress),
    add("deadly.misaligned", Deed::Misaligned),
    add("deadly.trap", Deed::Trap),
    add("deadly.endless", Deed::Endless),
    add("deadly.far_write", Deed::FarWrite),
    add("deadly.no_write", Deed::NoWrite),
    add("deadly.workspace_write", Deed::WorkspaceWrite),
    add("deadly.abort", Deed::Nothing, [] { std::abort(); }),
    add("deadly.exit", Deed::Nothing, [] { ::_exit(0); }),
    add("deadly.throw", Deed::Nothing, [] { throw 1; }),
    add("deadly.reaches_out", Deed::Nothing, reach_out),
    add("deadly.first_stream", Deed::FirstStream),
};

}  // namespace
}  // namespace negzero
