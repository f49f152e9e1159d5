// A reduction along any dimension permits what it permits of the same terms as rows of a matrix, screened or not.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/operands.hpp>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;

/// The extents of x[o, j, i], or of x[j, o, i].
struct Shape {
  std::int64_t outer, terms, inner;
};

constexpr Shape kShapes[] = {{2, 3, 4}, {1, 5, 3}, {3, 1, 2}, {4, 2, 1}, {2, 0, 3}, {2, 9, 2}};

struct Both {
  operation::Case along, rows;
};

void fill(tensor::Tensor& x, base::Random random) {
  const double values[] = {0.0, -0.0, 1, -1, 1.5, 0x1p24, -0x1p24, 3, 0x1p-149, kInfinity, kNotANumber, 1, 2, 2, -7};
  const bool is_plain = random.one_in(2);
  for (std::int64_t i = 0; i < x.element_count(); ++i) {
    x.set(i, word(FormatId::F32, values[random.below(is_plain ? 9 : std::size(values))]));
  }
}

Both cases_of(const notation::Signature& along, const notation::Signature& rows, const Shape& shape,
              std::uint64_t seed) {
  Both both;
  both.along.operation = operation::Operation(along);
  const bool is_batch = along.tensors.front().extents.front() == along.reduced;
  both.along.operation.extents()[0] = shape.outer;
  both.along.operation.extents()[1] = shape.inner;
  both.along.operation.extents()[2] = shape.terms;
  both.rows.operation = operation::Operation(rows);
  both.rows.operation.extents()[0] = shape.outer * shape.inner;
  both.rows.operation.extents()[1] = shape.terms;
  tensor::Tensor x(FormatId::F32, both.along.operation.shape_of(0));
  fill(x, base::Random(seed));
  tensor::Tensor matrix(FormatId::F32, both.rows.operation.shape_of(0));
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      for (std::int64_t j = 0; j < shape.terms; ++j) {
        const std::int64_t from =
            is_batch ? (j * shape.outer + o) * shape.inner + i : (o * shape.terms + j) * shape.inner + i;
        matrix.set((o * shape.inner + i) * shape.terms + j, x.get(from));
      }
    }
  }
  both.along.tensors.emplace("x", std::move(x));
  both.rows.tensors.emplace("x", std::move(matrix));
  for (operation::Case* const value : {&both.along, &both.rows}) operation::pack_missing_layouts(*value);
  return both;
}

/// What is right, or nearly: of a set that says nothing of it a NaN or 0.
Words answers_of(const Oracle& oracle, std::int64_t outputs, const number::Format& format) {
  Words words;
  for (std::int64_t i = 0; i < outputs; ++i) {
    words.push_back(oracle.exact(i).value_or(oracle.permitted(i).nan ? number::canonical_nan(format) : 0));
  }
  return words;
}

/// Both verdicts on one output, whose elements have one order in both.
void expect_same_verdict(const Oracle& along, const Oracle& rows, const Shape& shape, FormatId format,
                         const Words& words) {
  const verdict::Verdict ours = along.judge(tensor_of(format, {shape.outer, shape.inner}, words));
  const verdict::Verdict theirs = rows.judge(tensor_of(format, {shape.outer * shape.inner}, words));
  ASSERT_EQ(ours.kind, theirs.kind);
  if (ours.failure) {
    ASSERT_EQ(ours.failure->failing_elements, theirs.failure->failing_elements);
  }
}

/// Compares every element's set, and the verdicts on outputs: right but for some last bits, and what the elements that
/// are neighbours in memory give.
void compare(const std::string& expression, const contract::Contract& contract) {
  for (const char* const axes :
       {"y[o<outer, i<inner] = {0}(j<columns: x[o,j,i])", "y[o<outer, i<inner] = {0}(j<columns: x[j,o,i])"}) {
    const auto along = notation::parse_signature("z: " + fmt::format(fmt::runtime(axes), expression));
    ASSERT_TRUE(along) << along.error().message;
    const notation::Signature& rows = *operation::find_signature("reduce." + expression);
    for (const Shape& shape : kShapes) {
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Both both = cases_of(*along, rows, shape, seed);
        const auto oracle = Oracle::make(both.along, contract), wanted = Oracle::make(both.rows, contract);
        ASSERT_TRUE(oracle && wanted);
        const std::int64_t outputs = shape.outer * shape.inner;
        for (std::int64_t i = 0; i < outputs; ++i) {
          ASSERT_EQ(oracle->permitted(i).to_string(), wanted->permitted(i).to_string()) << axes << ", element " << i;
        }
        const FormatId format = operation::output_specs(both.along.operation).front().format;
        Words words = answers_of(*wanted, outputs, number::format(format));
        expect_same_verdict(*oracle, *wanted, shape, format, words);
        for (std::size_t i = 5; i < words.size(); i += 7) words[i] ^= 1;
        expect_same_verdict(*oracle, *wanted, shape, format, words);
        operation::Case neighbours = both.rows;
        neighbours.tensors.at("x") =
            tensor_of(FormatId::F32, {outputs, shape.terms}, both.along.tensors.at("x").words());
        const auto wrong = Oracle::make(neighbours, contract);
        ASSERT_TRUE(wrong);
        expect_same_verdict(*oracle, *wanted, shape, format, answers_of(*wrong, outputs, number::format(format)));
      }
    }
  }
}

TEST(Along, SumsAndMeansOfAnyDimension) {
  for (const char* const expression : {"sum", "mean"}) {
    for (const contract::Order order : {contract::Order::Any, contract::Order::Ascending}) {
      contract::Contract contract;
      contract.order = order;
      contract.wider = false;
      compare(expression, contract);
    }
  }
}

TEST(Along, SelectionsFromAnyDimension) {
  for (const char* const expression : {"max", "min", "argmax", "argmin"}) {
    contract::Contract contract;
    contract.ties = contract::Ties::First;
    contract.zero_sign = contract::ZeroSign::Ieee;
    compare(expression, contract);
  }
}

}  // namespace
}  // namespace negzero::oracle
