// Sums of segments in F32, a block a segment, and the reference in F64.

#include <negzero/cuda/cuda.hpp>

#include "../common/segments.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th segment.
__global__ void segments_kernel(SegmentsProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  for (int64_t s = blockIdx.x; s < problem.rows; s += gridDim.x) {
    float sum = 0.0f;
    for (int64_t i = problem.begin(s) + threadIdx.x; i < problem.ends.at(s); i += kRowThreads) {
      sum = add(sum, problem.x.at(i));
    }
    sum = fold_block(partial, sum, Plus{});
    if (threadIdx.x == 0) problem.y.at(s) = sum;
  }
}

struct ReferenceProblem {
  int64_t segments;
  VectorView<const double> x;
  VectorView<const std::int32_t> ends;
  VectorView<double> y, y_scale;
};

/// Grid: any number of blocks along x; a thread takes every so-many-th segment. Where partial sums may exceed F32, a
/// sum may be anything, which an infinite scale says.
__global__ void segments_reference_kernel(ReferenceProblem problem) {
  for (int64_t s = first_piece(); s < problem.segments; s += piece_stride()) {
    const int64_t begin = s == 0 ? 0 : problem.ends.at(s - 1), end = problem.ends.at(s);
    double sum = 0, magnitude = 0;
    for (int64_t i = begin; i < end; ++i) {
      sum += problem.x.at(i);
      magnitude += isfinite(problem.x.at(i)) ? fabs(problem.x.at(i)) : 0;
    }
    const bool is_open = may_overflow(magnitude);
    problem.y.at(s) = is_open ? 0 : sum;
    problem.y_scale.at(s) = is_open ? INFINITY : magnitude * (static_cast<double>(end - begin) / 128 + 8);
  }
}

const bool registered[] = {
    kernel::registry().add({
        .name = "segments.sum.f32",
        .operation = kSegments,
        .about = "a block a segment, by a tree in shared memory",
        .contract = fixed_order_contract(),
        .limits = segments_limits(),
        .reference = segments_reference(),
        .launch = [](const kernel::Args& args, kernel::Workspace&,
                     engine::Stream& stream) { return launch_rows(segments_kernel, segments_problem(args), stream); },
    }),
    kernel::registry().add(
        {
            .name = "segments.sum.reference.f64",
            .operation = kSegmentsReference,
            .about = "in F64 by one thread a segment: the reference of the others",
            .contract = reference_contract(),
            .limits = {.formats = {{FormatId::F64, FormatId::F64, FormatId::F64}}},
            .launch =
                [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                  const ReferenceProblem problem{args.extent("segments"), vector_of<const double>(args, "x"),
                                                 vector_of<const std::int32_t>(args, "ends"),
                                                 vector_of<double>(args, "y"), vector_of<double>(args, "y_scale")};
                  return launch_pieces(segments_reference_kernel, problem, problem.segments, stream);
                },
        }),
};

}  // namespace
}  // namespace negzero::kernels
