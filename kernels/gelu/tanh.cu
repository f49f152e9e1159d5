// GELU with tanh in F32, a thread an element, and its reference in F64.

#include <negzero/cuda/cuda.hpp>

#include "../common/gelu.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Grid: any number of blocks along x; a thread takes every so-many-th element.
__global__ void gelu_kernel(GeluProblem problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float x = problem.x.at(i);
    problem.y.at(i) = x == -INFINITY ? -0.0f : gelu_product(x, tanhf(gelu_argument(x)));
  }
}

struct ReferenceProblem {
  int64_t count;
  VectorView<const double> x;
  VectorView<double> y, y_scale;
};

/// The same grid.
__global__ void gelu_reference_kernel(ReferenceProblem problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const double x = problem.x.at(i), z = kSqrtTwoOverPi * (x + kCubic * x * x * x);
    problem.y.at(i) = x == -INFINITY ? -0.0 : 0.5 * x * (1 + tanh(z));
    problem.y_scale.at(i) = x == -INFINITY ? 0 : fabs(x);
  }
}

const bool registered[] = {
    kernel::registry().add({
        .name = "gelu.tanh.f32",
        .operation = kGelu,
        .about = "a thread an element, by tanhf; 0 of -infinity",
        .contract = fixed_order_contract(),
        .limits = gelu_limits(),
        .reference = gelu_reference(),
        .launch =
            [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
              const GeluProblem problem = gelu_problem(args);
              return launch_pieces(gelu_kernel, problem, problem.count, stream);
            },
    }),
    kernel::registry().add(
        {
            .name = "gelu.tanh.reference.f64",
            .operation = kGeluReference,
            .about = "in F64 by a thread an element: the reference of the others",
            .contract = reference_contract(),
            .limits = {.formats = {{FormatId::F64, FormatId::F64, FormatId::F64}}},
            .launch =
                [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                  const ReferenceProblem problem{args.extent("count"), vector_of<const double>(args, "x"),
                                                 vector_of<double>(args, "y"), vector_of<double>(args, "y_scale")};
                  return launch_pieces(gelu_reference_kernel, problem, problem.count, stream);
                },
        }),
};

}  // namespace
}  // namespace negzero::kernels
