// Metamorphic properties of reductions along any dimension: they hold for kernels that are right, and each sees one
// that is wrong.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/property/metamorphic.hpp>
#include <negzero/run/local_executor.hpp>

#include "../on_device.hpp"

namespace negzero::property::along {
namespace {

using verdict::Verdict;
using verdict::VerdictKind;

/// The elements of a line, in ascending order.
using Elements = std::vector<float>;
using Fold = std::function<float(const Elements&)>;

float sum(const Elements& line) {
  float result = 0;
  for (const float x : line) result += x;
  return result;
}
float greatest(const Elements& line) {
  float best = -INFINITY;
  for (const float x : line) best = std::isnan(x) || x > best ? x : best;
  return best;
}

/// Of three dimensions, of which the middle or the first one is reduced.
kernel::Kernel kernel_of(const std::string& operation, Fold fold) {
  kernel::Kernel kernel;
  kernel.name = "test.along";
  kernel.operation = operation;
  kernel.contract.order = contract::Order::Ascending;
  kernel.contract.determinism = contract::Determinism::GpuToGpu;
  kernel.contract.position_invariant = true;
  kernel.contract.zero_sign = contract::ZeroSign::Ieee;
  kernel.launch = [operation, fold = std::move(fold)](const kernel::Args& args, kernel::Workspace&,
                                                      engine::Stream& stream) {
    const bool is_batch = operation == "reduce.sum_batch";
    const kernel::Operand &x = args.operand("x"), &y = args.operand("y");
    const std::size_t reduced = is_batch ? 0 : 1, outer = 1 - reduced;
    const std::int64_t terms = args.extent(is_batch ? "batch" : "columns");
    const std::int64_t rows = args.extent(is_batch ? "rows" : "outer"),
                       inner = args.extent(is_batch ? "columns" : "inner");
    on_device(stream, [&] {
      for (std::int64_t o = 0; o < rows; ++o) {
        for (std::int64_t i = 0; i < inner; ++i) {
          Elements line;
          for (std::int64_t j = 0; j < terms; ++j) {
            line.push_back(x.as<const float>()[o * x.strides[outer] + j * x.strides[reduced] + i * x.strides[2]]);
          }
          y.as<float>()[o * y.strides[0] + i * y.strides[1]] = fold(line);
        }
      }
    });
    return kernel::LaunchResult::launched();
  };
  return kernel;
}

/// Small distinct integers: every order and every scaling is exact.
operation::Case integer_case(const kernel::Kernel& kernel) {
  operation::Case value;
  value.operation = *operation::operation_named(kernel.operation);
  const std::int64_t extents[] = {3, 4, 5};
  std::ranges::copy(extents, value.operation.extents().begin());
  tensor::Tensor x(number::FormatId::F32, value.operation.shape_of(0));
  base::Random random(7);
  for (std::int64_t i = 0; i < x.element_count(); ++i) {
    x.set(i, number::from_double(x.format(), static_cast<double>(random.between(1, 40))));
  }
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

std::optional<Verdict> verdict_of(const std::string& name, const kernel::Kernel& kernel, std::uint64_t seed) {
  for (const Metamorphic& property : metamorphic_properties()) {
    if (property.name() != name) continue;
    run::HostExecutor executor;
    return hold(property, integer_case(kernel), kernel, executor, base::Random(seed));
  }
  ADD_FAILURE() << "no property called " << name;
  return std::nullopt;
}

void expect_holds(const std::string& name, const kernel::Kernel& kernel) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto verdict = verdict_of(name, kernel, seed);
    ASSERT_TRUE(verdict) << name << " claims nothing of " << kernel.operation;
    EXPECT_EQ(verdict->kind, VerdictKind::Pass)
        << kernel.operation << ", " << name << (verdict->failure ? ": " + verdict->failure->message : "");
  }
}

/// At least one of 20 draws shows it.
void expect_broken(const std::string& name, const kernel::Kernel& kernel) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto verdict = verdict_of(name, kernel, seed);
    ASSERT_TRUE(verdict) << name << " claims nothing of " << kernel.operation;
    if (verdict->kind == VerdictKind::Fail) return;
  }
  ADD_FAILURE() << name << " sees nothing wrong with " << kernel.operation;
}

TEST(Along, PropertiesHoldForPlainKernels) {
  for (const char* const operation : {"reduce.sum_middle", "reduce.sum_batch"}) {
    for (const char* const name : {"run_twice", "scale", "negate", "pad_k", "nan_row", "other_rows"}) {
      expect_holds(name, kernel_of(operation, sum));
    }
  }
  for (const char* const name : {"run_twice", "scale", "nan_row", "select_again", "other_rows"}) {
    expect_holds(name, kernel_of("reduce.max_middle", greatest));
  }
}

TEST(Along, EachSeesWhatBreaksIt) {
  for (const char* const operation : {"reduce.sum_middle", "reduce.sum_batch"}) {
    expect_broken("scale", kernel_of(operation, [](const Elements& line) { return sum(line) + 1; }));
    expect_broken("negate", kernel_of(operation, [](const Elements& line) { return std::fabs(sum(line)); }));
    expect_broken("pad_k", kernel_of(operation, [](const Elements& line) { return sum(line) / float(line.size()); }));
  }
  expect_broken("select_again", kernel_of("reduce.max_middle", [](const Elements& line) { return line.back(); }));
}

TEST(Along, NanRowSeesALeakToTheLineBeside) {
  // What was read last is kept for the next line, as in a buffer that is not cleared.
  const auto before = std::make_shared<float>(0.0f);
  expect_broken("nan_row", kernel_of("reduce.sum_middle", [before](const Elements& line) {
                  const float result = sum(line) + 0 * *before;
                  *before = line.back();
                  return result;
                }));
}

}  // namespace
}  // namespace negzero::property::along
