// Every metamorphic property can fail: kernels made to break exactly one of them.

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/property/metamorphic.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/shrink/shrink.hpp>

#include "../on_device.hpp"

namespace negzero::property {
namespace {

using contract::Contract;
using kernel::Args;
using kernel::GemmArgs;
using kernel::ReduceArgs;
using operation::Gemm;
using operation::Reduce;
using verdict::Verdict;
using verdict::VerdictKind;

/// A contract that makes every promise a property may build on.
Contract strict() {
  Contract contract;
  contract.order = contract::Order::Ascending;
  contract.alpha = contract::AlphaPlace::Epilogue;
  contract.determinism = contract::Determinism::GpuToGpu;
  contract.position_invariant = true;
  contract.zero_sign = contract::ZeroSign::Ieee;
  return contract;
}

using GemmElement = std::function<float(const GemmArgs&, std::int64_t b, std::int64_t i, std::int64_t j)>;

float at(const kernel::Operand& t, std::int64_t b, std::int64_t i, std::int64_t j) {
  return t.as<const float>()[b * t.strides[0] + i * t.strides[1] + j * t.strides[2]];
}

float dot(const GemmArgs& g, std::int64_t b, std::int64_t i, std::int64_t j) {
  float sum = 0;
  for (std::int64_t k = 0; k < g.k; ++k) sum = std::fma(at(g.a, b, i, k), at(g.b, b, k, j), sum);
  return sum;
}

kernel::Kernel gemm_kernel(GemmElement element) {
  kernel::Kernel kernel;
  kernel.name = "test.gemm";
  kernel.operation = "gemm";
  kernel.contract = strict();
  kernel.launch = [element = std::move(element)](const Args& args, kernel::Workspace&, engine::Stream& stream) {
    const auto& g = gemm_args(args);
    on_device(stream, [&] {
      for (std::int64_t b = 0; b < g.batch; ++b) {
        for (std::int64_t i = 0; i < g.m; ++i) {
          for (std::int64_t j = 0; j < g.n; ++j) {
            g.d.as<float>()[b * g.d.strides[0] + i * g.d.strides[1] + j * g.d.strides[2]] = element(g, b, i, j);
          }
        }
      }
    });
    return kernel::LaunchResult::launched();
  };
  return kernel;
}

kernel::Kernel max_kernel(std::function<float(float, float)> step) {
  kernel::Kernel kernel;
  kernel.name = "test.max";
  kernel.operation = "reduce.max";
  kernel.contract = strict();
  kernel.launch = [step = std::move(step)](const Args& args, kernel::Workspace&, engine::Stream& stream) {
    const auto& r = reduce_args(args);
    on_device(stream, [&] {
      for (std::int64_t i = 0; i < r.rows; ++i) {
        float best = -INFINITY;
        for (std::int64_t j = 0; j < r.columns; ++j) {
          best = step(best, r.x.as<const float>()[i * r.x.strides[0] + j * r.x.strides[1]]);
        }
        r.y.as<float>()[i * r.y.strides[0]] = best;
      }
    });
    return kernel::LaunchResult::launched();
  };
  return kernel;
}

/// A 2-batch Gemm (or a Reduce) of small distinct integers: every order and every scaling is exact.
operation::Case integer_case(const kernel::Kernel& kernel) {
  operation::Case value;
  if (kernel.operation == "gemm") {
    value.operation = Gemm{.batch = 2, .m = 3, .n = 4, .k = 5};
  } else {
    value.operation = Reduce{.kind = operation::ReduceKind::Max, .rows = 3, .columns = 7};
  }
  const number::Format& f32 = number::format(number::FormatId::F32);
  base::Random random(7);
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, number::from_double(f32, static_cast<double>(random.between(1, 40))));
    }
    value.tensors.emplace(spec.name, std::move(tensor));
  }
  operation::pack_missing_layouts(value);
  return value;
}

std::optional<Verdict> verdict_of(const std::string& name, const kernel::Kernel& kernel, const operation::Case& value,
                                  std::uint64_t seed) {
  for (const Metamorphic& property : metamorphic_properties()) {
    if (property.name() != name) continue;
    run::HostExecutor executor;
    return hold(property, value, kernel, executor, base::Random(seed));
  }
  ADD_FAILURE() << "no property called " << name;
  return std::nullopt;
}

std::optional<Verdict> verdict_of(const std::string& name, const kernel::Kernel& kernel, std::uint64_t seed = 3) {
  return verdict_of(name, kernel, integer_case(kernel), seed);
}

void expect_holds(const std::string& name, const kernel::Kernel& kernel) {
  const auto verdict = verdict_of(name, kernel);
  ASSERT_TRUE(verdict) << name << " claims nothing here";
  EXPECT_EQ(verdict->kind, VerdictKind::Pass) << name << (verdict->failure ? ": " + verdict->failure->message : "");
}

void expect_broken(const std::string& name, const kernel::Kernel& kernel) {
  const auto verdict = verdict_of(name, kernel);
  ASSERT_TRUE(verdict) << name << " claims nothing here";
  EXPECT_EQ(verdict->kind, VerdictKind::Fail) << name;
  ASSERT_TRUE(verdict->failure);
  EXPECT_EQ(verdict->failure->rule.id(), "meta." + name);
  EXPECT_FALSE(verdict->failure->message.empty());
}

TEST(Metamorphic, HoldForAPlainGemm) {
  for (const char* name : {"run_twice", "scale", "negate", "permute_rows", "permute_columns", "embed", "batch",
                           "pad_rows", "pad_columns", "other_rows", "other_columns", "pad_k", "transpose", "nan_row"}) {
    expect_holds(name, gemm_kernel(dot));
  }
}

TEST(Metamorphic, ChangesKeepToTheValuesOfTheLimits) {
  kernel::Kernel kernel = gemm_kernel(dot);
  const operation::ValueRange range{2, 41};
  kernel.limits.values = {{"a", range}, {"b", range}, {"c", range}};
  operation::Case value = integer_case(kernel);
  for (auto& [name, tensor] : value.tensors) {
    const number::Format& format = tensor.format();
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, number::from_double(format, number::to_double(format, tensor.get(i)) + 1));
    }
  }
  // New lines hold what lies nearest to one.
  for (const char* name : {"run_twice", "permute_rows", "embed", "batch", "pad_rows", "pad_columns", "other_rows",
                           "other_columns", "transpose"}) {
    const auto verdict = verdict_of(name, kernel, value, 3);
    ASSERT_TRUE(verdict) << name << " claims nothing here";
    EXPECT_EQ(verdict->kind, VerdictKind::Pass) << name;
  }
  for (const char* name : {"negate", "pad_k", "nan_row"}) {
    EXPECT_FALSE(verdict_of(name, kernel, value, 3)) << name << " makes other values";
  }
  kernel.limits.values = {};
  kernel.admits = [](const operation::Case&) { return false; };
  EXPECT_FALSE(verdict_of("permute_rows", kernel, value, 3)) << "the kernel takes no such case";
}

TEST(Metamorphic, HoldForAPlainMax) {
  const auto max = max_kernel([](float a, float b) { return std::isnan(b) || b > a ? b : a; });
  for (const char* name : {"run_twice", "scale", "other_rows", "nan_row", "select_again"}) {
    expect_holds(name, max);
  }
}

TEST(Metamorphic, RunTwiceSeesAKernelWithMemory) {
  auto calls = std::make_shared<int>(0);
  expect_broken("run_twice",
                gemm_kernel([calls](const GemmArgs&, auto, auto, auto) { return static_cast<float>(++*calls); }));
}

TEST(Metamorphic, ScaleSeesAnAddedConstant) {
  expect_broken("scale", gemm_kernel([](const GemmArgs& g, auto b, auto i, auto j) { return dot(g, b, i, j) + 1; }));
}

TEST(Metamorphic, NegateSeesALostSign) {
  expect_broken("negate",
                gemm_kernel([](const GemmArgs& g, auto b, auto i, auto j) { return std::fabs(dot(g, b, i, j)); }));
}

TEST(Metamorphic, PermutationsSeeADependenceOnThePosition) {
  const auto row =
      gemm_kernel([](const GemmArgs& g, auto b, auto i, auto j) { return dot(g, b, i, j) + static_cast<float>(i); });
  expect_broken("permute_rows", row);
  expect_holds("permute_columns", row);
  const auto column =
      gemm_kernel([](const GemmArgs& g, auto b, auto i, auto j) { return dot(g, b, i, j) + static_cast<float>(j); });
  expect_broken("permute_columns", column);
  expect_holds("permute_rows", column);
}

TEST(Metamorphic, EmbedSeesAnIgnoredLeadingDimension) {
  expect_broken("embed", gemm_kernel([](const GemmArgs& g, std::int64_t b, std::int64_t i, std::int64_t j) {
                  GemmArgs packed = g;
                  packed.a.strides[1] = g.k;
                  packed.a.strides[0] = g.m * g.k;
                  return dot(packed, b, i, j);
                }));
}

TEST(Metamorphic, BatchSeesTheWrongMatrix) {
  expect_broken("batch", gemm_kernel([](const GemmArgs& g, auto, auto i, auto j) {
                  return dot(g, g.batch - 1, i, j) + static_cast<float>(g.batch);
                }));
}

TEST(Metamorphic, PaddingSeesADependenceOnTheExtent) {
  expect_broken("pad_rows", gemm_kernel([](const GemmArgs& g, auto b, auto i, auto j) {
                  return dot(g, b, i, j) + static_cast<float>(g.m);
                }));
  expect_broken("pad_columns", gemm_kernel([](const GemmArgs& g, auto b, auto i, auto j) {
                  return dot(g, b, i, j) + static_cast<float>(g.n);
                }));
  expect_broken("pad_k", gemm_kernel([](const GemmArgs& g, auto b, auto i, auto j) {
                  return dot(g, b, i, j) + static_cast<float>(g.k);
                }));
}

/// A GEMM that takes another way where `changes(row, rows)`: there its last bit is another one.
kernel::Kernel gemm_changing(std::function<bool(std::int64_t, std::int64_t)> changes) {
  return gemm_kernel([changes = std::move(changes)](const GemmArgs& g, auto b, std::int64_t i, auto j) {
    const float sum = dot(g, b, i, j);
    return changes(i, g.m) ? std::nextafter(sum, INFINITY) : sum;
  });
}

TEST(Metamorphic, OtherRowsSeesWhereTheNumberOfRowsChangesTheWay) {
  expect_broken("other_rows", gemm_changing([](auto, std::int64_t rows) { return rows != 3; }));
  // Each number of rows is drawn for some case, and is the one that the message names.
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const std::int64_t rows : {1, 2, 17, 33, 128, 257, 1024}) {
      const auto verdict = verdict_of("other_rows", gemm_changing([=](auto, auto m) { return m == rows; }), seed);
      ASSERT_TRUE(verdict);
      if (verdict->kind == VerdictKind::Pass) continue;
      EXPECT_EQ(verdict->failure->failing_elements, 2 * 4) << "one row of two batches of four columns";
      const std::string where = rows == 1 ? " alone (M = 1) against row " : fmt::format(" of {} against row ", rows);
      EXPECT_NE(verdict->failure->message.find(where), std::string::npos) << verdict->failure->message;
      seen.insert(rows);
    }
  }
  EXPECT_EQ(seen.size(), 7u);
}

TEST(Metamorphic, OtherColumnsSeesWhereTheNumberOfColumnsChangesTheWay) {
  const auto changing = [](std::int64_t columns) {
    return gemm_kernel([=](const GemmArgs& g, auto b, auto i, auto j) {
      const float sum = dot(g, b, i, j);
      return g.n == columns ? std::nextafter(sum, INFINITY) : sum;
    });
  };
  expect_broken("other_columns", changing(4));  // of the case itself
  expect_holds("other_rows", changing(4));
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const std::int64_t columns : {1, 2, 17, 33, 128, 257, 1024}) {
      const auto verdict = verdict_of("other_columns", changing(columns), seed);
      ASSERT_TRUE(verdict);
      if (verdict->kind == VerdictKind::Pass) continue;
      EXPECT_EQ(verdict->failure->failing_elements, 2 * 3) << "one column of two batches of three rows";
      const std::string where =
          columns == 1 ? " alone (N = 1) against column " : fmt::format(" of {} against column ", columns);
      EXPECT_NE(verdict->failure->message.find(where), std::string::npos) << verdict->failure->message;
      seen.insert(columns);
    }
  }
  EXPECT_EQ(seen.size(), 7u);
}

TEST(Metamorphic, OtherRowsSeesWhereTheRowLies) {
  int failures = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto verdict = verdict_of("other_rows", gemm_changing([](auto row, auto) { return row >= 16; }), seed);
    failures += verdict->kind == VerdictKind::Fail ? 1 : 0;
  }
  EXPECT_GT(failures, 5);
}

TEST(Metamorphic, OtherRowsSeesAReductionThatDependsOnItsRows) {
  kernel::Kernel counting = max_kernel([](float a, float b) { return std::fmax(a, b); });
  counting.launch = [](const Args& args, kernel::Workspace&, engine::Stream& stream) {
    const auto& r = reduce_args(args);
    on_device(stream, [&] {
      for (std::int64_t i = 0; i < r.rows; ++i) r.y.as<float>()[i * r.y.strides[0]] = static_cast<float>(r.rows);
    });
    return kernel::LaunchResult::launched();
  };
  expect_broken("other_rows", counting);
}

TEST(Metamorphic, OtherRowsKeepsWithinTheKernelsLimits) {
  kernel::Kernel few = gemm_changing([](auto, std::int64_t rows) { return rows != 3; });
  for (const auto& [limit, nearest] : std::vector<std::pair<operation::ExtentLimit, std::set<std::string>>>{
           {{.min = 2, .max = 4}, {" of 2 ", " of 4 "}},
           {{.min = 3, .max = 16, .multiple = 3}, {" of 15 "}},
           {{.max = 60, .multiple = 3}, {" of 18 ", " of 33 ", " of 60 "}}}) {
    few.limits.extents["m"] = limit;
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto verdict = verdict_of("other_rows", few, seed);
      if (!verdict || !verdict->failure) continue;
      const std::string& message = verdict->failure->message;
      const std::size_t end = message.find(" against row "), begin = message.rfind(" of ", end);
      seen.insert(message.substr(begin, end + 1 - begin));
    }
    EXPECT_EQ(seen, nearest);
  }
}

TEST(Metamorphic, AnInputInTheOutputStaysThereInOtherMemoryAndInOtherRows) {
  kernel::Kernel kernel = gemm_kernel(
      [](const GemmArgs& g, std::int64_t, std::int64_t, std::int64_t) { return g.c.data == g.d.data ? 1.0f : 2.0f; });
  kernel.limits.in_place = {.input = "c", .always = true};
  operation::Case value = integer_case(kernel);
  value.in_place = "c";
  value.operation.scalars()[1].bits = 0x3f800000;
  for (const char* const name : {"embed", "other_rows", "permute_rows"}) {
    const auto verdict = verdict_of(name, kernel, value, 3);
    ASSERT_TRUE(verdict) << name;
    EXPECT_EQ(verdict->kind, VerdictKind::Pass) << name << (verdict->failure ? verdict->failure->message : "");
  }
}

TEST(Metamorphic, OtherRowsLeavesRowsThatAreOneInMemory) {
  kernel::Kernel kernel = gemm_kernel(dot);
  kernel.limits.tensors["a"] = {.shared = {"m"}};
  operation::Case value = integer_case(kernel);
  value.layouts.at("a").strides = {5, 0, 1};
  operation::unify_shared_elements(value);
  for (std::uint64_t seed = 0; seed < 8; ++seed) EXPECT_FALSE(verdict_of("other_rows", kernel, value, seed));
}

TEST(Metamorphic, TransposeSeesAnAsymmetricProduct) {
  expect_broken("transpose", gemm_kernel([](const GemmArgs& g, std::int64_t b, std::int64_t i, std::int64_t j) {
                  return dot(g, b, i, j) + at(g.a, b, i, 0);
                }));
}

TEST(Metamorphic, NanRowSeesALeak) {
  expect_broken("nan_row", gemm_kernel([](const GemmArgs& g, std::int64_t b, std::int64_t i, std::int64_t j) {
                  float leak = 0;
                  for (std::int64_t r = 0; r < g.m; ++r) leak += 0 * dot(g, b, r, j);
                  return dot(g, b, i, j) + leak;
                }));
}

TEST(Metamorphic, SelectAgainSeesTheLastInsteadOfTheLargest) {
  expect_broken("select_again", max_kernel([](float, float b) { return b; }));
}

/// The element at which a property fails for a kernel, as the case numbers it.
std::vector<std::int64_t> place_of(const std::string& name, const kernel::Kernel& kernel, const std::string& changed) {
  const auto verdict = verdict_of(name, kernel);
  EXPECT_TRUE(verdict && verdict->failure) << name;
  if (!verdict || !verdict->failure) return {};
  EXPECT_NE(verdict->failure->message.find("d[" + changed + "] of the changed case is "), std::string::npos)
      << verdict->failure->message;
  const operation::TensorSpec d = operation::output_specs(integer_case(kernel).operation).front();
  EXPECT_EQ(tensor::coordinates_of(d.shape, verdict->failure->element), verdict->failure->coordinates);
  return verdict->failure->coordinates;
}

/// A GEMM that is wrong at one place where `changes`.
kernel::Kernel gemm_wrong_at(std::int64_t row, std::int64_t column, std::function<bool(const GemmArgs&)> changes) {
  return gemm_kernel([=](const GemmArgs& g, auto b, std::int64_t i, std::int64_t j) {
    return dot(g, b, i, j) + (i == row && j == column && changes(g) ? 1.0f : 0.0f);
  });
}

TEST(Metamorphic, AFailureNamesTheElementOfTheCaseThatTheWrongOneComesFrom) {
  using Place = std::vector<std::int64_t>;
  const auto turned = [](const GemmArgs& g) { return g.m == 4; };
  EXPECT_EQ(place_of("transpose", gemm_wrong_at(3, 0, turned), "0, 3, 0"), (Place{0, 0, 3}));
  const auto alone = [](const GemmArgs& g) { return g.batch == 1; };
  const Place single = place_of("batch", gemm_wrong_at(2, 1, alone), "0, 2, 1");
  EXPECT_EQ(Place(single.begin() + 1, single.end()), (Place{2, 1}));
  const auto far = [](const GemmArgs& g) { return g.a.strides[1] != g.k; };
  EXPECT_EQ(place_of("embed", gemm_wrong_at(1, 2, far), "0, 1, 2"), (Place{0, 1, 2}));
  // Rows that moved: what is wrong in the last of one more was the last, wherever the new one is.
  const auto longer = [](const GemmArgs& g) { return g.m == 4; };
  std::set<Place> padded;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto verdict = verdict_of("pad_rows", gemm_wrong_at(3, 1, longer), seed);
    if (verdict->failure) padded.insert(verdict->failure->coordinates);
  }
  EXPECT_EQ(padded, (std::set<Place>{{0, 2, 1}}));
}

/// Evaluations until a case that fails is smallest, with the element of the failure or without.
std::int64_t evaluations_of_shrinking(const std::string& name, const kernel::Kernel& kernel, bool aimed) {
  operation::Case value = integer_case(kernel);
  operation::Operation larger = Gemm{.batch = 2, .m = 23, .n = 29, .k = 5};
  value.operation = larger;
  for (const operation::TensorSpec& spec : operation::input_specs(larger)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, number::from_double(tensor.format(), static_cast<double>(1 + i % 7)));
    }
    value.tensors.insert_or_assign(spec.name, std::move(tensor));
  }
  value.layouts.clear();
  operation::pack_missing_layouts(value);
  const auto& all = metamorphic_properties();
  const Metamorphic& property = *std::ranges::find(all, name, &Metamorphic::name);
  run::HostExecutor executor;
  const auto evaluate = [&](std::span<const operation::Case> cases) {
    std::vector<Verdict> verdicts;
    for (const operation::Case& each : cases) {
      verdicts.push_back(
          hold(property, each, kernel, executor, base::Random(3)).value_or(Verdict{.kind = VerdictKind::Vacuous}));
      if (verdicts.back().failure && !aimed) verdicts.back().failure->coordinates.clear();
    }
    return verdicts;
  };
  Verdict first = evaluate(std::span(&value, 1)).front();
  EXPECT_EQ(first.kind, VerdictKind::Fail);
  const shrink::Minimised least = shrink::minimise(value, first, evaluate, {});
  EXPECT_EQ(least.value.operation.extent("m"), 1);
  EXPECT_EQ(least.value.operation.extent("n"), 1);
  return least.evaluations;
}

TEST(Metamorphic, ShrinkingKeepsTheElementThatDiffers) {
  // What A and B hold shows which element it is, whatever rows and columns go.
  const kernel::Kernel kernel = gemm_kernel([](const GemmArgs& g, std::int64_t b, std::int64_t i, std::int64_t j) {
    const bool is_it = g.a.strides[1] != g.k && g.k > 0 && at(g.a, b, i, 0) == 3 && at(g.b, b, 0, j) == 5;
    return dot(g, b, i, j) + (is_it ? 1.0f : 0.0f);
  });
  EXPECT_LT(evaluations_of_shrinking("embed", kernel, true), evaluations_of_shrinking("embed", kernel, false));
}

TEST(Metamorphic, ClaimNothingWithoutThePromise) {
  kernel::Kernel kernel = gemm_kernel(dot);
  kernel.contract = {};
  for (const Metamorphic& property : metamorphic_properties()) {
    EXPECT_FALSE(verdict_of(std::string(property.name()), kernel)) << property.name();
  }
}

}  // namespace
}  // namespace negzero::property
