// Pieces of a case have the permitted sets of the whole, element by element, whatever is cut.

#include <set>

#include <gtest/gtest.h>

#include <negzero/judgement/pieces.hpp>
#include <negzero/judgement/sampler.hpp>
#include <negzero/operation/counted.hpp>

#include "drawn.hpp"

namespace negzero::judgement {
namespace {

bool same(const oracle::Permitted& a, const oracle::Permitted& b) {
  return a.format == b.format && a.finite == b.finite && a.low == b.low && a.high == b.high &&
         a.plus_zero == b.plus_zero && a.minus_zero == b.minus_zero && a.plus_infinity == b.plus_infinity &&
         a.minus_infinity == b.minus_infinity && a.nan == b.nan && a.only == b.only && a.rule == b.rule &&
         a.vacuous == b.vacuous;
}

/// Compares a piece with the whole; returns how many elements it compared.
int compare(const operation::Case& value, const contract::Contract& contract, const oracle::Oracle& whole,
            const Cutter& cutter, const Piece& piece) {
  const operation::Case part = operation::part_of(value, piece.kept);
  const auto oracle = oracle::Oracle::make(part, contract);
  EXPECT_TRUE(oracle.ok());
  const std::vector<std::int64_t> elements = cutter.elements_of(piece);
  const auto specs = operation::output_specs(part.operation);
  EXPECT_EQ(static_cast<std::int64_t>(elements.size()), tensor::count_elements(specs.front().shape));
  if (cutter.outputs() >= oracle::kManyOutputs) {
    EXPECT_GE(static_cast<std::int64_t>(elements.size()), oracle::kManyOutputs);
  }
  int compared = 0;
  const auto look_at = [&](std::int64_t i) {
    for (std::size_t o = 0; o < specs.size(); ++o) {
      const oracle::Permitted here = oracle->permitted(i, o);
      const oracle::Permitted there = whole.permitted(elements[static_cast<std::size_t>(i)], o);
      EXPECT_TRUE(same(here, there)) << operation::name(value.operation) << " " << value.strategy << " " << value.index
                                     << " element " << elements[static_cast<std::size_t>(i)] << ": " << here.to_string()
                                     << " " << here.rule << ", of the whole " << there.to_string() << " " << there.rule
                                     << " under " << contract::to_json(contract);
      ++compared;
    }
  };
  if (piece.elements) {
    for (const std::int64_t i : *piece.elements) look_at(i);
  } else {
    for (std::size_t i = 0; i < elements.size(); ++i) look_at(static_cast<std::int64_t>(i));
  }
  return compared;
}

TEST(Pieces, HaveThePermittedSetsOfTheWhole) {
  for (const std::string_view name : operation::operation_names()) {
    int compared = 0, cut = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const operation::Case value = drawn_case(name, 40, i);
      base::Random random(i);
      const auto contract = drawn_contract(value, random);
      const Cutter cutter(value);
      if (!contract || cutter.outputs() == 0 || cutter.outputs() > 4000) continue;
      const auto whole = oracle::Oracle::make(value, *contract);
      Sampler sampler(cutter, {}, i);
      const double little = cutter.cost(Piece{}) / 4;
      std::vector<Piece> pieces{sampler.block(little, true), sampler.block(little, false)};
      for (std::size_t d = 0; d < cutter.dimensions().size(); ++d) {
        if (sampler.has_lines(d)) pieces.push_back(sampler.line(d, little));
      }
      std::vector<std::int64_t> some;
      for (int n = 0; n < 3; ++n) some.push_back(random.between(0, cutter.outputs() - 1));
      pieces.push_back(cutter.around(some));
      for (const Piece& piece : pieces) {
        compared += compare(value, *contract, *whole, cutter, piece);
        cut += cutter.elements_of(piece).size() < static_cast<std::size_t>(cutter.outputs()) ? 1 : 0;
      }
    }
    EXPECT_GT(compared, 500) << name;
    EXPECT_GT(cut, 10) << name;
  }
}

TEST(Pieces, TilesHaveEveryElementOnce) {
  for (const std::string_view name : operation::operation_names()) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const operation::Case value = drawn_case(name, 60, i);
      const Cutter cutter(value);
      std::vector<std::int64_t> seen;
      for (const Piece& tile : cutter.tiles(64)) {
        const auto elements = cutter.elements_of(tile);
        seen.insert(seen.end(), elements.begin(), elements.end());
      }
      std::ranges::sort(seen);
      ASSERT_EQ(static_cast<std::int64_t>(seen.size()), cutter.outputs()) << name;
      for (std::size_t e = 0; e < seen.size(); ++e) ASSERT_EQ(seen[e], static_cast<std::int64_t>(e)) << name;
    }
  }
}

TEST(Pieces, AroundListsTheElementsThatWereAskedFor) {
  operation::Case value;
  value.operation = operation::Gemm{.batch = 2, .m = 30, .n = 40, .k = 3};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  operation::pack_missing_layouts(value);
  const Cutter cutter(value);
  const Piece piece = cutter.around({77, 5, 1999});
  const auto elements = cutter.elements_of(piece);
  std::set<std::int64_t> listed;
  for (const std::int64_t i : *piece.elements) listed.insert(elements[static_cast<std::size_t>(i)]);
  EXPECT_EQ(listed, (std::set<std::int64_t>{5, 77, 1999}));
  EXPECT_LT(elements.size(), 100u) << "not the whole";
}

TEST(Sampler, TakesCornersAndExtremes) {
  operation::Case value;
  value.operation = operation::Gemm{.m = 300, .n = 200, .k = 8};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  operation::pack_missing_layouts(value);
  const number::Format& format = number::format(number::FormatId::F32);
  tensor::Tensor d(format.id, {1, 300, 200});
  for (std::int64_t i = 0; i < d.element_count(); ++i)
    d.set(i, number::from_double(format, 1 + 1e-3 * static_cast<double>(i % 7)));
  d.set(12345, number::from_double(format, 1e30));
  d.set(23456, number::canonical_nan(format));
  d.set(34567, number::from_double(format, -1e-30));
  d.set(45678, number::infinity(format, true));
  const auto extremes = extremes_of(value, {&d, 1});
  for (const std::int64_t element : {12345, 23456, 34567, 45678}) {
    EXPECT_NE(std::ranges::find(extremes, element), extremes.end()) << element;
  }
  const Cutter cutter(value);
  Sampler sampler(cutter, extremes, 1);
  const auto elements = cutter.elements_of(sampler.block(1e6, true));
  EXPECT_LT(elements.size(), 40000u);
  for (const std::int64_t element : {0, 199, 59800, 59999, 12345, 23456, 34567, 45678}) {
    EXPECT_TRUE(std::ranges::binary_search(elements, element)) << element;
  }
}

/// Looking at a whole case, in additions.
double whole_cost(std::string_view name, std::int64_t columns) {
  operation::Case value;
  value.operation = *operation::operation_named(name);
  value.operation.extent("rows") = 1;
  value.operation.extent("columns") = columns;
  return Cutter(value).cost(Piece{});
}

TEST(Pieces, AScanCostsItsLengthAlone) {
  for (const char* const name : {"scan.inclusive", "scan.exclusive"}) {
    EXPECT_LT(whole_cost(name, 131'072), 130 * whole_cost(name, 1'024)) << "an element is the one before and a term";
  }
}

}  // namespace
}  // namespace negzero::judgement
