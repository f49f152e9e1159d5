// Candidates are valid, simpler and inside the limits; minimise() keeps the class, ends, and stops when told.

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/notation/signature.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/shrink/passes.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::shrink {
namespace {

using operation::Case;
using operation::Gemm;
using verdict::Failure;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

const number::Format& kF32 = number::format(number::FormatId::F32);

Case gemm_case(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t fill) {
  Case value;
  value.operation = Gemm{.batch = batch, .m = m, .n = n, .k = k};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, fill);
    value.tensors.emplace(spec.name, std::move(tensor));
  }
  operation::pack_missing_layouts(value);
  return value;
}

Verdict fail(FailureClass kind, std::vector<std::int64_t> coordinates = {}, std::string output = "d") {
  return Verdict{.kind = VerdictKind::Fail,
                 .failure = Failure{.kind = kind, .output = std::move(output), .coordinates = std::move(coordinates)}};
}

/// An evaluator that fails every case for which `fails` holds, at that output.
template <typename Fails>
EvaluateBatch evaluator(Fails fails, std::string output = "d") {
  return [fails, output = std::move(output)](std::span<const Case> cases) {
    std::vector<Verdict> verdicts;
    for (const Case& value : cases) {
      verdicts.push_back(fails(value) ? fail(FailureClass::WrongValue, {}, output)
                                      : Verdict{.kind = VerdictKind::Pass});
    }
    return verdicts;
  };
}

TEST(Candidates, AreValidSimplerAndInsideTheLimits) {
  Case value = gemm_case(2, 3, 4, 5, 0x40490fdb);
  value.layouts.at("a").offset = 3;
  operation::Limits limits;
  limits.extents["k"].multiple = 5;
  const std::vector<Case> all = candidates(value, Failure{.output = "d", .coordinates = {1, 2, 3}}, limits);
  ASSERT_GT(all.size(), 20u);
  for (const Case& candidate : all) {
    EXPECT_TRUE(operation::validate(candidate).ok());
    EXPECT_TRUE(less(candidate, value));
    EXPECT_FALSE(less(value, candidate));
    EXPECT_EQ(view<Gemm>(candidate.operation).k % 5, 0);
  }
}

TEST(Candidates, OfBroadcastValuesChangeTogetherAndStayValid) {
  // All rows of a are one row in memory, and so are all batches of b.
  Case value = gemm_case(2, 3, 2, 2, 0x40490fdb);
  value.layouts.at("a").strides = {0, 0, 1};
  value.layouts.at("b").strides = {0, 2, 1};
  ASSERT_TRUE(operation::validate(value).ok());
  const std::vector<std::int64_t> strides = value.layouts.at("a").strides;
  int single = 0;
  shrink_values(value, Failure{}, {}, [&](Case&& candidate) {
    EXPECT_TRUE(operation::validate(candidate).ok()) << operation::validate(candidate).error().message;
    const tensor::Tensor& a = candidate.tensors.at("a");
    // One of the two numbers that memory holds of a, and not the other.
    single += (a.get(0) == 0) != (a.get(1) == 0) ? 1 : 0;
    return true;
  });
  EXPECT_GT(single, 0) << "an element is simplified wherever it stands";

  // Fails while both numbers of a stay away from 0 and a stays a broadcast: its values become as simple as any.
  const auto fails = [&](const Case& candidate) {
    const tensor::Tensor& a = candidate.tensors.at("a");
    const auto& gemm = view<Gemm>(candidate.operation);
    if (gemm.batch != 2 || gemm.m != 3 || gemm.k != 2 || candidate.layouts.at("a").strides != strides) return false;
    return number::to_double(kF32, a.get(0)) > 2 && number::to_double(kF32, a.get(1)) > 0;
  };
  const Minimised result = minimise(value, fail(FailureClass::WrongValue), evaluator(fails), {});
  EXPECT_TRUE(operation::validate(result.value).ok());
  EXPECT_EQ(number::to_double(kF32, result.value.tensors.at("a").get(0)), 4);
  EXPECT_EQ(number::to_double(kF32, result.value.tensors.at("a").get(1)), 1);
}

TEST(Candidates, OfTheSimplestCaseAreNone) { EXPECT_TRUE(candidates(gemm_case(0, 0, 0, 0, 0), Failure{}, {}).empty()); }

// One NaN among zeros that meets a later update of its destination, as where a kernel hangs: halves before single
// steps.
TEST(Minimise, DropsUpdatesInHalvesBeforeOneBecomesTheInitialValue) {
  for (const std::int64_t place : {0, 150, 307}) {
    Case value;
    value.operation = operation::Scatter{.kind = operation::ScatterKind::Add, .updates = 309, .destinations = 3};
    for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
      value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
    }
    value.tensors.at("x").set(place, number::canonical_nan(kF32));
    operation::pack_missing_layouts(value);
    const auto fails = [](const Case& candidate) {
      const tensor::Tensor &x = candidate.tensors.at("x"), &index = candidate.tensors.at("index");
      const tensor::Tensor& init = candidate.tensors.at("init");
      std::vector<bool> holds_nan;
      for (std::int64_t d = 0; d < init.element_count(); ++d) holds_nan.push_back(number::is_nan(kF32, init.get(d)));
      for (std::int64_t i = 0; i < x.element_count(); ++i) {
        const std::size_t at = index.get(i);
        if (holds_nan[at]) return true;
        holds_nan[at] = number::is_nan(kF32, x.get(i));
      }
      return false;
    };
    const Minimised result = minimise(value, fail(FailureClass::WrongValue), evaluator(fails), {.most_together = 2});
    const auto& scatter = operation::view<operation::Scatter>(result.value.operation);
    EXPECT_EQ(scatter.updates, 1) << place;
    EXPECT_EQ(scatter.destinations, 1) << place;
    EXPECT_LE(result.evaluations, 120) << place;
    const Minimised wide = minimise(value, fail(FailureClass::WrongValue), evaluator(fails), {});
    EXPECT_EQ(wide.value, result.value) << "what is evaluated together must not change what is found";
  }
}

TEST(Minimise, ReachesTheOneElementThatMatters) {
  Case value = gemm_case(2, 5, 6, 40, number::one(kF32));
  const std::uint64_t pi = 0x40490fdb;
  value.tensors.at("a").set((1 * 5 + 2) * 40 + 17, pi);
  const auto fails = [&](const Case& candidate) {
    const tensor::Tensor& a = candidate.tensors.at("a");
    for (std::int64_t i = 0; i < a.element_count(); ++i) {
      if (number::to_double(kF32, a.get(i)) > 3) return view<Gemm>(candidate.operation).n > 0;
    }
    return false;
  };
  const Minimised result = minimise(value, fail(FailureClass::WrongValue, {1, 2, 0}), evaluator(fails), {});
  const auto& gemm = view<Gemm>(result.value.operation);
  EXPECT_EQ(gemm.batch, 1);
  EXPECT_EQ(gemm.m, 1);
  EXPECT_EQ(gemm.n, 1);
  EXPECT_EQ(gemm.k, 1);
  EXPECT_EQ(number::to_double(kF32, result.value.tensors.at("a").get(0)), 4) << "the simplest number above 3";
  EXPECT_EQ(result.value.tensors.at("b").get(0), 0u);
  EXPECT_TRUE(fails(result.value));
  EXPECT_GT(result.steps, 0);
}

TEST(Minimise, LeavesAsFewRowsAsTheFailureNeeds) {
  operation::Operation grouped = *operation::operation_named("gemm.grouped");
  grouped.extent("groups") = 5;
  grouped.extent("capacity") = 9;
  grouped.extent("n") = grouped.extent("k") = 3;
  Case value;
  value.operation = grouped;
  for (const operation::TensorSpec& spec : operation::input_specs(grouped)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  for (std::int64_t g = 0; g < 5; ++g) value.tensors.at("rows").set(g, 7);
  operation::pack_missing_layouts(value);
  // An empty group before one with three rows, and room for two more.
  const auto fails = [](const Case& candidate) {
    const tensor::Tensor& rows = candidate.tensors.at("rows");
    for (std::int64_t g = 0; g + 1 < rows.element_count(); ++g) {
      if (rows.get(g) <= 6 && rows.get(g + 1) >= 3 && candidate.operation.extent("capacity") >= 5) return true;
    }
    return rows.element_count() == 5 && rows.get(0) == 7;
  };
  const Minimised result = minimise(value, fail(FailureClass::WrongValue, {1, 2, 0}), evaluator(fails), {});
  const tensor::Tensor& rows = result.value.tensors.at("rows");
  EXPECT_TRUE(operation::validate(result.value));
  EXPECT_EQ(result.value.operation.extent("groups"), 2);
  EXPECT_EQ(result.value.operation.extent("capacity"), 5);
  ASSERT_EQ(rows.element_count(), 2);
  EXPECT_EQ(rows.get(0), 0u);
  EXPECT_EQ(rows.get(1), 3u);
}

TEST(Candidates, CountsKeepTheRowsThatAreKept) {
  operation::Operation grouped = *operation::operation_named("gemm.grouped");
  for (std::int64_t& extent : grouped.extents()) extent = 4;
  Case value;
  value.operation = grouped;
  for (const operation::TensorSpec& spec : operation::input_specs(grouped)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  for (std::int64_t g = 0; g < 4; ++g) value.tensors.at("rows").set(g, static_cast<std::uint64_t>(g + 1));
  operation::pack_missing_layouts(value);
  bool cut_to_one = false;
  for (const Case& candidate : candidates(value, *fail(FailureClass::WrongValue, {3, 2, 0}).failure, {})) {
    ASSERT_TRUE(operation::validate(candidate)) << operation::validate(candidate).error().message;
    const tensor::Tensor& rows = candidate.tensors.at("rows");
    if (candidate.operation.extent("capacity") != 1 || rows.element_count() != 4) continue;
    // Row 2 alone is left: a row of those groups that have three rows.
    if (rows.get(1) == 0 && rows.get(2) == 1 && rows.get(3) == 1) cut_to_one = true;
  }
  EXPECT_TRUE(cut_to_one);
}

TEST(Minimise, KeepsTheClass) {
  // Everything smaller fails, but in another class: nothing may be taken.
  const Case value = gemm_case(1, 2, 2, 2, number::one(kF32));
  const auto other = [](std::span<const Case> cases) {
    return std::vector<Verdict>(cases.size(), fail(FailureClass::Crash));
  };
  const Minimised result = minimise(value, fail(FailureClass::WrongValue), other, {});
  EXPECT_EQ(result.value, value);
  EXPECT_EQ(result.steps, 0);
  EXPECT_EQ(result.verdict.failure->kind, FailureClass::WrongValue);
}

TEST(Minimise, EndsWhenEverythingFails) {
  const Case value = gemm_case(2, 7, 9, 30, 0x7f7fffff);
  const Minimised result =
      minimise(value, fail(FailureClass::WrongValue), evaluator([](const Case&) { return true; }), {});
  EXPECT_TRUE(candidates(result.value, *result.verdict.failure, {}).empty());
}

TEST(Minimise, ABatchTooLargeForAGridIsJustTooLargeAfterFewEvaluations) {
  const Case value = gemm_case(65537, 1, 1, 1, 0x40490fdb);
  const auto fails = [](const Case& c) { return view<Gemm>(c.operation).batch > 65535; };
  const Minimised result = minimise(value, fail(FailureClass::WrongValue), evaluator(fails), {});
  EXPECT_EQ(view<Gemm>(result.value.operation).batch, 65536);
  EXPECT_EQ(view<Gemm>(result.value.operation).k, 0);
  EXPECT_EQ(result.value.schedule, operation::Schedule{});
  EXPECT_LT(result.evaluations, 1500) << "each of them takes long on a real kernel";
}

TEST(Minimise, WrongValuesStayAtTheirOutput) {
  const Case value = gemm_case(1, 8, 8, 8, number::one(kF32));
  const auto always = [](const Case&) { return true; };
  EXPECT_EQ(minimise(value, fail(FailureClass::WrongValue), evaluator(always, "other"), {}).steps, 0);
  EXPECT_GT(minimise(value, fail(FailureClass::WrongValue), evaluator(always), {}).steps, 0);
}

TEST(Minimise, StopsWhenToldAndAtItsBudget) {
  const Case value = gemm_case(1, 8, 8, 8, number::one(kF32));
  const auto always = evaluator([](const Case&) { return true; });
  const Minimised stopped = minimise(value, fail(FailureClass::WrongValue), always, {.stop = [] { return true; }});
  EXPECT_EQ(stopped.value, value);
  EXPECT_EQ(stopped.evaluations, 0);
  const auto never = evaluator([](const Case&) { return false; });
  const Minimised bounded = minimise(value, fail(FailureClass::WrongValue), never, {.max_evaluations = 10});
  EXPECT_LT(bounded.evaluations, 100);
}

TEST(Scatter, AnUpdateCanBecomeTheInitialValue) {
  // Fails while a -1 meets a -0 at a destination: the -1 may be the initial value.
  Case value;
  value.operation = operation::Scatter{.kind = operation::ScatterKind::Max, .updates = 2, .destinations = 1};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  value.tensors.at("x").set(0, 0xbf800000);
  value.tensors.at("x").set(1, 0x80000000);
  operation::pack_missing_layouts(value);
  const auto fails = [](const Case& candidate) {
    bool minus_one = false, minus_zero = false;
    for (const char* name : {"x", "init"}) {
      const tensor::Tensor& tensor = candidate.tensors.at(name);
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        minus_one = minus_one || tensor.get(i) == 0xbf800000;
        minus_zero = minus_zero || (tensor.get(i) == 0x80000000 && std::string(name) == "x");
      }
    }
    return minus_one && minus_zero;
  };
  const Minimised result = minimise(value, fail(FailureClass::WrongValue, {0}, "out"), evaluator(fails, "out"), {});
  EXPECT_EQ(operation::view<operation::Scatter>(result.value.operation).updates, 1);
  EXPECT_EQ(result.value.tensors.at("init").get(0), 0xbf800000u);
}

/// A case of an operation that is not in the table, whose first input holds 1, 2, 3, ..., the second 101, 102, ..., and
/// whose indices are `indices`.
Case case_of(const notation::Signature& signature, std::vector<std::int64_t> extents,
             const std::vector<std::uint64_t>& indices = {}) {
  Case value;
  value.operation = operation::Operation(signature);
  std::ranges::copy(extents, value.operation.extents().begin());
  std::int64_t first = 1;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, spec.index_below ? indices.at(static_cast<std::size_t>(i))
                                     : number::from_double(kF32, static_cast<double>(first + i)));
    }
    first += 100;
    value.tensors.emplace(spec.name, std::move(tensor));
  }
  operation::pack_missing_layouts(value);
  EXPECT_TRUE(operation::validate(value).ok()) << operation::validate(value).error().message;
  return value;
}

std::vector<double> numbers(const Case& value, const std::string& name) {
  std::vector<double> result;
  const tensor::Tensor& tensor = value.tensors.at(name);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) result.push_back(number::to_double(kF32, tensor.get(i)));
  return result;
}

TEST(Candidates, TermsAreMergedAlongTheDimensionThatTheSignatureReduces) {
  const auto signature = notation::parse_signature("test.first: d[i<m] = sum(k: a[k,i] * b[k])");
  ASSERT_TRUE(signature.ok()) << signature.error().message;
  // a is {1, 2}, {3, 4}, {5, 6}: a row a term.
  const Case value = case_of(*signature, {2, 3});
  std::set<std::vector<double>> merged;
  shrink_extents(value, Failure{.output = "d"}, {}, [&](Case&& candidate) {
    if (candidate.operation.extent("k") == 2 && candidate.operation.extent("m") == 2) {
      merged.insert(numbers(candidate, "a"));
    }
    return true;
  });
  EXPECT_TRUE(merged.contains({1 + 3, 2 + 4, 5, 6})) << "neighbours are added";
  EXPECT_FALSE(merged.contains({1 + 2, 2, 5, 6}));
}

TEST(Minimise, ASumThatNeedsBitsBecomesOneProductThatDoes) {
  // Eleven bits hold each product, and not their sum.
  Case value = gemm_case(1, 1, 1, 2, number::one(kF32));
  value.tensors.at("a").set(0, number::from_double(kF32, 16384));
  const auto fails = [](const Case& each) {
    const std::vector<double> a = numbers(each, "a"), b = numbers(each, "b");
    double sum = 0;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) sum += a[k] * b[k];
    int exponent = 0;
    const double bits = std::ldexp(std::frexp(sum, &exponent), 11);
    return sum > 0 && bits != std::floor(bits);
  };
  ASSERT_TRUE(fails(value));
  const Case smallest = minimise(value, fail(FailureClass::WrongValue), evaluator(fails), {}).value;
  EXPECT_EQ(smallest.operation.extent("k"), 1);
}

TEST(Candidates, AnUpdateOfSeveralElementsBecomesTheInitialValuesOfItsDestination) {
  for (const bool is_last : {false, true}) {
    const auto signature =
        notation::parse_signature(is_last ? "test.rows: out[j<columns, index[i<updates] < destinations] += x[j,i]"
                                          : "test.rows: out[index[i<updates] < destinations, j<columns] += x[i,j]");
    ASSERT_TRUE(signature.ok()) << signature.error().message;
    std::vector<std::int64_t> extents(3);
    extents[*signature->find_extent("columns")] = 3;
    extents[*signature->find_extent("updates")] = 2;
    extents[*signature->find_extent("destinations")] = 4;
    const Case value = case_of(*signature, extents, {3, 1});
    std::set<std::vector<double>> initial;
    shrink_extents(value, Failure{.output = "out"}, {}, [&](Case&& candidate) {
      if (candidate.operation.extent("updates") == 1 && candidate.operation.extent("destinations") == 4 &&
          candidate.operation.extent("columns") == 3) {
        initial.insert(numbers(candidate, "init"));
      }
      return true;
    });
    std::vector<double> second = numbers(value, "init");
    // The second update goes to destination 1.
    for (std::size_t j = 0; j < 3; ++j)
      second[is_last ? 4 * j + 1 : 3 + j] = is_last ? 2.0 * double(j) + 2 : double(j) + 4;
    EXPECT_TRUE(initial.contains(second)) << is_last;
  }
}

TEST(Candidates, TheFailingDestinationIsKeptWhereverTheOutputHasIt) {
  const auto signature =
      notation::parse_signature("test.last: out[j<columns, index[i<updates] < destinations] += x[j,i]");
  ASSERT_TRUE(signature.ok()) << signature.error().message;
  std::vector<std::int64_t> extents(3);
  extents[*signature->find_extent("columns")] = 3;
  extents[*signature->find_extent("updates")] = 4;
  extents[*signature->find_extent("destinations")] = 4;
  const Case value = case_of(*signature, extents, {2, 0, 1, 3});
  std::vector<std::vector<double>> initial;
  shrink_extents(value, Failure{.output = "out", .coordinates = {1, 2}}, {}, [&](Case&& candidate) {
    if (candidate.operation.extent("destinations") == 1 && candidate.operation.extent("columns") == 3) {
      initial.push_back(numbers(candidate, "init"));
    }
    return true;
  });
  ASSERT_FALSE(initial.empty());
  EXPECT_EQ(initial.front(), (std::vector<double>{203, 207, 211})) << "those of destination 2 come first";
}

TEST(Complexity, OrdersWhatAPersonWouldWrite) {
  const auto of = [](std::uint64_t word) { return complexity(kF32, word); };
  const std::uint64_t zero = 0, minus_zero = 0x80000000, one = 0x3f800000, minus_one = 0xbf800000, two = 0x40000000,
                      three = 0x40400000, pi = 0x40490fdb, inf = 0x7f800000, nan = 0x7fffffff;
  EXPECT_LT(of(zero), of(minus_zero));
  EXPECT_LT(of(minus_zero), of(one));
  EXPECT_LT(of(one), of(minus_one));
  EXPECT_LT(of(one), of(two));
  EXPECT_LT(of(two), of(three));
  EXPECT_LT(of(three), of(pi));
  EXPECT_LT(of(pi), of(inf));
  EXPECT_LT(of(inf), of(nan));
}

}  // namespace
}  // namespace negzero::shrink
