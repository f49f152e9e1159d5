// The program with a kernel for every row of the table, which loses the last term there and is right elsewhere.
//
//     planted_kernels check 'gemm.*' --seed 1 --shrink-time 0s
//
// measures how many of them 1,000 cases find: more than whether a case of that kind is drawn, since its numbers have to
// tell too.

#include <cmath>
#include <cstdint>

#include <negzero/campaign/examiner.hpp>
#include <negzero/cli/app.hpp>
#include <negzero/kernel/kernel.hpp>

#include "../on_device.hpp"
#include "coincidences.hpp"

namespace {

using namespace negzero;
using coincidences::Coincidence;
using coincidences::Shape;

/// What a launch wrapper sees of its case.
Shape shape_of(const kernel::Args& args, const notation::Signature& signature) {
  Shape shape;
  for (const std::string& name : signature.extents) shape.extents.emplace(name, args.extent(name));
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (tensor.role == notation::Role::Initial) continue;
    const kernel::Operand& operand = args.operand(tensor.name);
    tensor::Layout layout;
    for (std::size_t d = 0; d < tensor.extents.size(); ++d) {
      layout.shape.push_back(shape[signature.extents[tensor.extents[d]].c_str()]);
      layout.strides.push_back(operand.strides[d]);
    }
    // As far as it matters: where in a wide load the first element stands.
    layout.offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(operand.data) / sizeof(float) %
                                              static_cast<std::uintptr_t>(coincidences::kWide));
    shape.layouts.emplace(tensor.name, layout);
  }
  return shape;
}

void multiply(const kernel::GemmArgs& args, bool is_wrong) {
  const auto at = [](const kernel::Operand& operand, std::int64_t i, std::int64_t j, std::int64_t k) -> float& {
    return operand.as<float>()[i * operand.strides[0] + j * operand.strides[1] + k * operand.strides[2]];
  };
  const float alpha = args.alpha.as<float>(), beta = args.beta.as<float>();
  const std::int64_t terms = args.k - (is_wrong ? 1 : 0);
  for (std::int64_t b = 0; b < args.batch; ++b) {
    for (std::int64_t i = 0; i < args.m; ++i) {
      for (std::int64_t j = 0; j < args.n; ++j) {
        float sum = 0;
        for (std::int64_t k = 0; k < terms && alpha != 0; ++k) sum += at(args.a, b, i, k) * at(args.b, b, k, j);
        float value = alpha == 0 || args.k == 0 ? 0.0f : alpha * sum;
        if (beta != 0) value += beta * at(args.c, b, i, j);
        at(args.d, b, i, j) = value;
      }
    }
  }
}

void reduce(const kernel::ReduceArgs& args, bool adds, bool is_wrong) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    float result = adds ? 0.0f : -INFINITY;
    for (std::int64_t j = 0; j < args.columns - (is_wrong ? 1 : 0); ++j) {
      const float x = args.x.as<float>()[i * args.x.strides[0] + j * args.x.strides[1]];
      if (adds) result += x;
      if (!adds && (x > result || std::isnan(x))) result = x;
      if (!adds && std::isnan(result)) break;
    }
    args.y.as<float>()[i * args.y.strides[0]] = result;
  }
}

void scatter(const kernel::ScatterArgs& args, bool adds, bool is_wrong) {
  for (std::int64_t i = 0; i < args.updates - (is_wrong ? 1 : 0); ++i) {
    const float x = args.x.as<float>()[i * args.x.strides[0]];
    const auto place = args.index.as<std::int32_t>()[i * args.index.strides[0]];
    float& out = args.out.as<float>()[place * args.out.strides[0]];
    if (adds) out += x;
    if (!adds && !std::isnan(out) && (x > out || std::isnan(x))) out = x;
  }
}

void run(const kernel::Args& args, const Coincidence& row) {
  const bool is_wrong = row.holds(shape_of(args, *operation::find_signature(row.operation)));
  const bool adds = !row.operation.ends_with("max");
  if (row.operation == "gemm") return multiply(kernel::gemm_args(args), is_wrong);
  if (row.operation.starts_with("reduce.")) return reduce(kernel::reduce_args(args), adds, is_wrong);
  scatter(kernel::scatter_args(args), adds, is_wrong);
}

bool add_all() {
  for (const Coincidence& row : coincidences::coincidences()) {
    kernel::Kernel planted;
    planted.name = row.name;
    planted.operation = row.operation;
    planted.about = "loses the last term at a coincidence";
    planted.contract.all_nan = contract::AllNan::Any;
    planted.contract.zero_sign = contract::ZeroSign::Any;
    planted.limits = row.limits;
    planted.launch = [row](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
      on_device(stream, [&] { run(args, row); });
      return kernel::LaunchResult::launched();
    };
    kernel::registry().add(planted);
  }
  return true;
}

const bool registered = add_all();

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = campaign::serve_if_called(argc, argv)) return *status;
  return cli::run(argc, argv);
}
