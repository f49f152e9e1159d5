// Cases and kernels for the tests of what runs them: written by hand, without generators or kernel files.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

#include "../on_device.hpp"

namespace negzero::run_test {

using kernel::Args;
using kernel::GemmArgs;
using kernel::LaunchResult;
using kernel::ReduceArgs;
using kernel::ScatterArgs;
using kernel::Workspace;
using number::FormatId;

/// A case with every element of every input set to `value(tensor, i)`, packed.
inline operation::Case make_case(const operation::Operation& operation,
                                 const std::function<double(const std::string&, std::int64_t)>& value) {
  operation::Case result;
  result.operation = operation;
  for (const operation::TensorSpec& spec : operation::input_specs(operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      const number::Format& format = tensor.format();
      const double number = value(spec.name, i);
      tensor.set(i, format.is_integer() ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                                        : number::from_double(format, number));
    }
    result.tensors.emplace(spec.name, std::move(tensor));
  }
  operation::pack_missing_layouts(result);
  return result;
}

/// x[i, j] = 10 i + j + 1.
inline operation::Case sum_case(std::int64_t rows, std::int64_t columns) {
  return make_case(operation::Reduce{operation::ReduceKind::Sum, rows, columns, FormatId::F32, FormatId::F32},
                   [columns](const std::string&, std::int64_t i) {
                     return static_cast<double>(10 * (i / columns) + i % columns + 1);
                   });
}

/// a = 1, 2, 3 ..., b = 1, c = 100, 101 ...
inline operation::Case gemm_case(std::int64_t m, std::int64_t n, std::int64_t k, float alpha, float beta) {
  operation::Gemm gemm{.batch = 1, .m = m, .n = n, .k = k};
  const number::Format& f32 = number::format(FormatId::F32);
  gemm.alpha = {FormatId::F32, number::from_double(f32, static_cast<double>(alpha))};
  gemm.beta = {FormatId::F32, number::from_double(f32, static_cast<double>(beta))};
  return make_case(gemm, [](const std::string& name, std::int64_t i) {
    return name == "a" ? static_cast<double>(i + 1) : name == "b" ? 1.0 : static_cast<double>(100 + i);
  });
}

/// out = 0, 100, 200 ..., x = 1, 2, 3 ..., all into destination i modulo `destinations`.
inline operation::Case scatter_case(std::int64_t updates, std::int64_t destinations) {
  return make_case(operation::Scatter{operation::ScatterKind::Add, updates, destinations, FormatId::F32},
                   [destinations](const std::string& name, std::int64_t i) {
                     return static_cast<double>(name == "x" ? i + 1 : name == "index" ? i % destinations : 100 * i);
                   });
}

using Launch = std::function<LaunchResult(const Args&, Workspace&, engine::Stream&)>;

inline kernel::Kernel make_kernel(std::string operation, Launch launch) {
  return {.name = "test.kernel", .operation = std::move(operation), .launch = std::move(launch)};
}

/// The same for what one thread of a launch does.
inline kernel::Kernel device_kernel(std::string operation, std::function<void(const Args&)> work) {
  return make_kernel(std::move(operation),
                     [work = std::move(work)](const Args& args, Workspace&, engine::Stream& stream) {
                       on_device(stream, [&] { work(args); });
                       return LaunchResult::launched();
                     });
}

/// y[i] = sum of x[i, *], one after the other. For one thread of a device.
inline void sum_rows(const ReduceArgs& args) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < args.columns; ++j) {
      sum += args.x.as<float>()[i * args.x.strides[0] + j * args.x.strides[1]];
    }
    args.y.as<float>()[i * args.y.strides[0]] = sum;
  }
}

/// A kernel for reductions: does the sum, then `also`, in one launch.
inline kernel::Kernel sum_kernel(std::function<void(const ReduceArgs&, Workspace&)> also = {}) {
  return make_kernel("reduce.sum",
                     [also = std::move(also)](const Args& args, Workspace& workspace, engine::Stream& stream) {
                       const auto& reduce = reduce_args(args);
                       on_device(stream, [&] {
                         sum_rows(reduce);
                         if (also) also(reduce, workspace);
                       });
                       return LaunchResult::launched();
                     });
}

/// d = alpha a b + beta c, reading what the BLAS reads. For one thread of a device.
inline void multiply(const GemmArgs& args) {
  const float alpha = args.alpha.as<float>(), beta = args.beta.as<float>();
  const auto at = [](const kernel::Operand& t, std::int64_t b, std::int64_t i, std::int64_t j) -> float& {
    return t.as<float>()[b * t.strides[0] + i * t.strides[1] + j * t.strides[2]];
  };
  for (std::int64_t b = 0; b < args.batch; ++b) {
    for (std::int64_t i = 0; i < args.m; ++i) {
      for (std::int64_t j = 0; j < args.n; ++j) {
        float sum = 0;
        for (std::int64_t k = 0; k < args.k && alpha != 0; ++k) sum += at(args.a, b, i, k) * at(args.b, b, k, j);
        at(args.d, b, i, j) = alpha * sum + (beta != 0 ? beta * at(args.c, b, i, j) : 0.0f);
      }
    }
  }
}

}  // namespace negzero::run_test
