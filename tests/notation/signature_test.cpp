// A line of index notation says what its signature says, and a line that says nothing is an error that names the place.

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/notation/signature.hpp>

namespace negzero::notation {
namespace {

using Names = std::vector<std::string>;

Signature parsed(std::string_view line) {
  auto signature = parse_signature(line);
  EXPECT_TRUE(signature) << signature.error().message;
  return signature ? *signature : Signature{};
}

/// "a[batch,m,k]:a", with the tensor's extents and slot, in brackets one that need not be named; indices are followed
/// by the extent that they stay below.
std::string text_of(const Signature& signature, const TensorSignature& tensor) {
  std::string text = tensor.name + "[";
  for (const std::size_t extent : tensor.extents) {
    text += (text.back() == '[' ? "" : ",") + signature.extents[extent];
  }
  const std::string& slot = signature.formats[tensor.format];
  text += "]:" + (tensor.format < signature.own_formats ? slot : "(" + slot + ")");
  if (tensor.index_below) text += "<" + signature.extents[*tensor.index_below];
  if (tensor.counts_of) text += "<=" + signature.extents[*tensor.counts_of];
  if (tensor.unread_at_zero) text += " unless " + signature.scalars[*tensor.unread_at_zero].name + " = 0";
  return text;
}
Names tensors(const Signature& signature) {
  Names texts;
  for (const TensorSignature& tensor : signature.tensors) texts.push_back(text_of(signature, tensor));
  return texts;
}

TEST(Signature, OfAGemm) {
  const Signature gemm = parsed("gemm: d[b<batch, i<m, j<n] = alpha * sum(k: a[b,i,k] * b[b,k,j]) + beta * c[b,i,j]");
  EXPECT_EQ(gemm.name, "gemm");
  EXPECT_EQ(gemm.definition, "d[b<batch, i<m, j<n] = alpha * sum(k: a[b,i,k] * b[b,k,j]) + beta * c[b,i,j]");
  EXPECT_EQ(gemm.extents, (Names{"batch", "m", "n", "k"}));
  EXPECT_EQ(tensors(gemm), (Names{"a[batch,m,k]:a unless alpha = 0", "b[batch,k,n]:b unless alpha = 0",
                                  "c[batch,m,n]:(c) unless beta = 0", "d[batch,m,n]:d"}));
  EXPECT_EQ(gemm.formats, (Names{"a", "b", "d", "c"}));
  ASSERT_EQ(gemm.scalars.size(), 2u);
  EXPECT_FALSE(gemm.scalars[0].is_addend);
  EXPECT_TRUE(gemm.scalars[1].is_addend);
  EXPECT_EQ(gemm.combine, Combine::Sum);
  EXPECT_EQ(gemm.reduced, 3u);
  EXPECT_EQ(gemm.factors, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(gemm.addend, 2u);
  EXPECT_FALSE(gemm.is_update);
}

TEST(Signature, OfAReduction) {
  for (int i = 0; i <= static_cast<int>(Combine::Argmin); ++i) {
    const auto combine = static_cast<Combine>(i);
    const std::string word(name(combine));
    const Signature reduce = parsed("reduce." + word + ": y[i<rows] = " + word + "(j<columns: x[i,j])");
    EXPECT_EQ(reduce.name, "reduce." + word);
    EXPECT_EQ(tensors(reduce), (Names{"x[rows,columns]:x", "y[rows]:y"}));
    EXPECT_EQ(reduce.combine, combine);
    EXPECT_EQ(reduce.reduced, 1u);
    EXPECT_EQ(reduce.addend, std::nullopt);
  }
}

TEST(Signature, OfAnUpdate) {
  const std::pair<const char*, Combine> signs[] = {
      {"+=", Combine::Sum}, {"max=", Combine::Max}, {"min=", Combine::Min}};
  for (const auto& [sign, combine] : signs) {
    const Signature scatter = parsed("s: out[index[i<updates] < destinations] " + std::string(sign) + " x[i]");
    EXPECT_EQ(tensors(scatter), (Names{"x[updates]:x", "index[updates]:(index)<destinations", "init[destinations]:x",
                                       "out[destinations]:x"}));
    EXPECT_EQ(scatter.tensors[1].role, Role::Index);
    EXPECT_EQ(scatter.tensors[2].role, Role::Initial);
    EXPECT_EQ(scatter.tensors[3].role, Role::Output);
    EXPECT_EQ(scatter.combine, combine);
    EXPECT_TRUE(scatter.is_update);
    EXPECT_EQ(scatter.reduced, 0u);
    EXPECT_EQ(scatter.factors, (std::vector<std::size_t>{0}));
    EXPECT_EQ(scatter.addend, 2u);
  }
}

TEST(Signature, OfLinesThatNoKernelHasYet) {
  const Signature convert = parsed("convert: y[i<count] = x[i]");
  EXPECT_EQ(tensors(convert), (Names{"x[count]:x", "y[count]:y"}));
  EXPECT_EQ(convert.combine, std::nullopt);
  EXPECT_EQ(convert.addend, std::nullopt);
  EXPECT_EQ(convert.factors, (std::vector<std::size_t>{0}));
  const Signature middle = parsed("middle: y[b,i] = sum(j: x[b,j,i])");
  EXPECT_EQ(middle.extents, (Names{"b", "i", "j"})) << "an index without an extent is called like it";
  EXPECT_EQ(tensors(middle), (Names{"x[b,j,i]:x", "y[b,i]:y"}));
  const Signature square = parsed("square: d[i<m, j<m] = sum(k<m: a[i,k] * b[k,j])");
  EXPECT_EQ(square.extents, (Names{"m"})) << "indices may share an extent";
  EXPECT_EQ(tensors(square), (Names{"a[m,m]:a", "b[m,m]:b", "d[m,m]:d"}));
  const Signature bias = parsed("bias: d[i,j] = sum(k: a[i,k] * b[k,j]) + bias[j]");
  EXPECT_EQ(tensors(bias), (Names{"a[i,k]:a", "b[k,j]:b", "bias[j]:(bias)", "d[i,j]:d"}));
  EXPECT_EQ(bias.addend, 2u);
}

TEST(Signature, ReducesAsFarAsAnIndexOfTheOutput) {
  for (const auto& [text, reach] : {std::pair{"j<=k", Reach::Through}, std::pair{"j<k", Reach::Before}}) {
    const Signature scan = parsed("scan: y[i<rows, k<columns] = sum(" + std::string(text) + ": x[i,j])");
    EXPECT_EQ(tensors(scan), (Names{"x[rows,columns]:x", "y[rows,columns]:y"}));
    EXPECT_EQ(scan.extents, (Names{"rows", "columns"}));
    EXPECT_EQ(scan.reduced, 1u);
    EXPECT_EQ(scan.reach, reach);
    EXPECT_EQ(scan.outputs.front().result.reach, reach);
  }
  EXPECT_EQ(parsed("sum: y[i<rows] = sum(j<columns: x[i,j])").reach, Reach::All);
}

TEST(Signature, HasSeveralOutputsThatReduceTheSameTerms) {
  const Signature both = parsed("both: y[i<rows], at[i] = max(j<columns: x[i,j]), argmax(j: x[i,j])");
  EXPECT_EQ(tensors(both), (Names{"x[rows,columns]:x", "y[rows]:y", "at[rows]:at"}));
  EXPECT_EQ(both.extents, (Names{"rows", "columns"}));
  EXPECT_EQ(both.reduced, 1u);
  EXPECT_EQ(both.combine, Combine::Max);
  ASSERT_EQ(both.outputs.size(), 2u);
  EXPECT_EQ(both.outputs[0].tensor, 1u);
  EXPECT_EQ(both.outputs[1].tensor, 2u);
  EXPECT_EQ(both.outputs[1].combine, Combine::Argmax);
  EXPECT_EQ(both.outputs[0].result.operands, both.outputs[1].result.operands);
  EXPECT_TRUE(both.holds_indices(2));
}

TEST(Signature, AnIndexOfTheOutputGoesToBelowCounts) {
  const Signature grouped = parsed("g: d[g<groups, i<rows[g]<=capacity, j<n] = sum(k: a[g,i,k] * b[g,k,j])");
  EXPECT_EQ(grouped.extents, (Names{"groups", "capacity", "n", "k"}));
  EXPECT_EQ(tensors(grouped), (Names{"a[groups,capacity,k]:a", "b[groups,k,n]:b", "rows[groups]:(rows)<=capacity",
                                     "d[groups,capacity,n]:d"}));
  EXPECT_EQ(grouped.tensors[2].role, Role::Index);
  EXPECT_EQ(grouped.formats, (Names{"a", "b", "d", "rows"}));
  EXPECT_EQ(grouped.factors, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(grouped.is_update);
  EXPECT_TRUE(grouped.has_counts());
  EXPECT_FALSE(parsed("convert: y[i<count] = x[i]").has_counts());
  const Signature twice = parsed("t: y[g, i<rows[g]<=m, j<columns[g,i]<=n] = x[g,i,j]");
  EXPECT_EQ(tensors(twice), (Names{"x[g,m,n]:x", "rows[g]:(rows)<=m", "columns[g,m]:(columns)<=n", "y[g,m,n]:y"}));
}

TEST(Signature, KeepsTheTree) {
  const Signature gemm = parsed("gemm: d[i,j] = alpha * sum(k: a[i,k] * b[k,j]) + beta * c[i,j]");
  using enum Expression::Kind;
  ASSERT_EQ(gemm.outputs.front().result.kind, Sum);
  ASSERT_EQ(gemm.outputs.front().result.operands.size(), 2u);
  const Expression& product = gemm.outputs.front().result.operands[0];
  ASSERT_EQ(product.kind, Product);
  EXPECT_EQ(product.operands[0].kind, Scalar);
  const Expression& reduction = product.operands[1];
  ASSERT_EQ(reduction.kind, Reduction);
  EXPECT_EQ(gemm.extents[reduction.which], "k");
  ASSERT_EQ(reduction.operands.front().kind, Product);
  EXPECT_EQ(gemm.tensors[reduction.operands.front().operands[1].which].name, "b");
  EXPECT_EQ(gemm.tensors[gemm.outputs.front().result.operands[1].operands[1].which].name, "c");
}

TEST(Signature, AMistakeIsNamedWithItsPlace) {
  struct Wrong {
    std::string line, message;
    std::size_t column = 0;  // 0: none, or the one of the text that the message quotes behind "at"
  };
  const Wrong mistakes[] = {
      {"gemm", "expected a name and a colon before the definition", 1},
      {"2g: y[i] = x[i]", "expected a name and a colon before the definition", 1},
      {": y[i] = x[i]", "expected a name and a colon before the definition", 1},
      {"g.: y[i] = x[i]", "expected a name and a colon before the definition", 1},
      {"g: ", "expected the output at ''"},
      {"g: y", "expected '[' at ''"},
      {"g: y[]", "expected an index at ']'"},
      {"g: y[2]", "expected an index at '2]'"},
      {"g: y[i x", "expected ']' at 'x'"},
      {"g: y[i]", "expected '=' at ''"},
      {"g: y[i] = ", "expected a tensor, a scalar or a reduction at ''"},
      {"g: y[i] = 2 * x[i]", "expected a tensor, a scalar or a reduction at '2 * x[i]'"},
      {"g: y[i] = x[i] x", "unexpected text at 'x'"},
      {"g: y[i] = x[i] +", "expected a tensor, a scalar or a reduction at ''"},
      {"g: y[i] = product(j: x[i,j])",
       "'product' is no reduction (sum, mean, max, min, argmax, argmin) at 'j: x[i,j])'"},
      {"g: y[i] = sum(j<=n: x[i,j])", "'<=' wants an index of the output, before this at ': x[i,j])'"},
      {"g: y[i] = sum(i<=i: x[i,i])", "index i appears twice before this at ': x[i,i])'"},
      {"g: y[i] = sum(j x[i,j])", "expected ':' at 'x[i,j])'"},
      {"g: y[i] = sum(j: x[i,j]", "expected ')' at ''"},
      {"g: y[i<m] = x[i<n]", "index i already has an extent at '<n]'"},
      {"g: y[i] = x[i,j]", "index j is neither the output's nor reduced over at ']'"},
      {"g: y[i] = sum(i: x[i])", "index i appears twice before this at ': x[i])'"},
      {"g: y[i,i] = x[i,i]", "index i appears twice before this at '] = x[i,i]'"},
      {"g: y[i] = sum(k: x[i])", "index k is reduced over and not used at ''"},
      {"g: y[i<j, j] = x[i,j]", "extent j is another index's at '] = x[i,j]'"},
      {"g: y[i, j<i] = x[i,j]", "extent i is another index's at '] = x[i,j]'"},
      {"g: y[index[i]] += x[i]", "expected '<' at '] += x[i]'"},
      {"g: y[index[i] < n] = x[i]", "an output through indices needs +=, max= or min=, and they need it, at 'x[i]'"},
      {"g: y[i<r[g]<=c] = x[i]", "index g does not stand before this at ']<=c] = x[i]'"},
      {"g: y[g, i<r[g]<c] = x[g,i]", "expected '<=' at '<c] = x[g,i]'"},
      {"g: y[g, i<r[]<=c] = x[g,i]", "expected an index at ']<=c] = x[g,i]'"},
      {"g: y[g<n, i<r[g]<=n] = x[g,i]", "extent n is another index's at '] = x[g,i]'"},
      {"g: y[g, i<r[g]<=c, j<c] = x[g,i,j]", "extent c is another index's at '] = x[g,i,j]'"},
      {"g: y[g, i<r[g]<=c, c] = x[g,i,c]", "extent c is another index's at '] = x[g,i,c]'"},
      {"g: y[g<n, h<n, i<r[g]<=c] = x[g,h,i]", "extent n is another index's at ']<=c] = x[g,h,i]'"},
      {"g: y[g<n, i<r[g]<=c, h<n] = x[g,i,h]", "extent n is another index's at '] = x[g,i,h]'"},
      {"g: y[g, i<r[g,g]<=c] = x[g,i]", "extent g is another index's at ']<=c] = x[g,i]'"},
      {"g: y[g, i<x[g]<=c] = x[g,i]", "tensor x appears twice", 22},
      {"g: y[g] = sum(k<r[g]<=c: x[g,k])", "only an index of the output goes to below counts at '[g]<=c: x[g,k])'"},
      {"g: y[g, i<r[g]<=c] += x[g,i]",
       "an output through indices needs +=, max= or min=, and they need it, at 'x[g,i]'"},
      {"g: y[g, p[j] < n, i<r[g]<=c] += x[j]", "an output through indices has no counts, at 'x[j]'"},
      {"g: y[g, i<r[g]<=c] = x[g,i] * z[p[g] < c]", "extent c is another index's at ']'"},
      {"g: y[i] += x[i]", "an output through indices needs +=, max= or min=, and they need it, at 'x[i]'"},
      {"g: y[index[i] < n] += sum(j: x[i,j])", "an update of a reduction"},
      {"g: y[i] = x[i] * x[i]", "tensor x appears twice", 18},
      {"g: y[i] = y[i]", "tensor y appears twice", 11},
      {"g: y[i] = x * x[i]", "tensor x appears twice", 15},
      {"g: y[i] = s * x[i] + s * z[i]", "scalar s appears twice at '* z[i]'"},
      {"g: y[a,b,c,d,e,f,g] = x[a,b,c,d,e,f,g]", "7 dimensions of tensor x, and at most 6 are allowed", 23},
      {"g: y[i] = a * b * c * d * e * f * g * h * s * x[i]", "9 scalars, and at most 8 are allowed", 43},
      {"g: y[i] = s * t * x[i]", "a product has two scalars"},
      {"g: y[i] = sum(j: s * x[i,j])", "a scalar stands inside a reduction"},
      {"g: y[i] = sum(j: x[i,j]) + max(k: z[i,k])", "two reductions"},
      {"g: y[i] = sum(j: x[i,j]) + u[i] + v[i]", "more than one tensor is added to the result"},
      {"g: y[i] = sum(j: x[i,j]) + u[i] * v[i]", "more than one tensor is added to the result"},
      {"g: y[i] = s", "no tensor is reduced, combined or copied"},
      {"g: y[i], z[j] = max(j: x[i,j]), argmax(j: x[i,j])",
       "index j is neither the output's nor reduced over at '] = max(j: x[i,j]), argmax(j: x[i,j])'"},
      {"g: y[i,k], z[i] = x[i,k], x[i,k]", "z has other indices than y at '= x[i,k], x[i,k]'"},
      {"g: y[i], z[i] = max(j: x[i,j])", "expected ',' at ''"},
      {"g: y[i] = max(j: x[i,j]), argmax(j: x[i,j])", "unexpected text at ', argmax(j: x[i,j])'"},
      {"g: y[i], z[i] = max(j: x[i,j]), argmax(j: w[i,j])", "outputs are no reductions of the same terms"},
      {"g: y[i], z[i] = max(j: x[i,j]), argmax(k: x[i,k])", "tensor x appears twice", 43},
      {"g: y[i], z[i] = x[i], x[i]", "outputs are no reductions of the same terms"},
      {"g: y[index[i] < n], z[n] += x[i], x[i]",
       "index n is neither the output's nor reduced over at '] += x[i], x[i]'"},
      {"g: y[i] = a_tensor_whose_name_has_41_letters_in_all[i]",
       "41 letters in tensor a_tensor_whose_name_has_41_letters_in_all, and at most 40 are allowed", 11},
  };
  for (const auto& [line, message, column] : mistakes) {
    const auto signature = parse_signature(line);
    ASSERT_FALSE(signature) << line;
    const std::size_t quoted = message.find("at '"), rest = message.size() - 1 - (quoted + 4);
    const std::size_t at = quoted == std::string::npos ? column : line.size() - rest + 1;
    const std::string where = at == 0 ? "" : ", column " + std::to_string(at);
    EXPECT_EQ(signature.error().message, "operation '" + line + "'" + where + ": " + message);
  }
}

/// "x[e0, e1]" with so many extents from `first` on.
std::string tensor_of(const std::string& name, std::size_t extents, std::size_t first = 0) {
  std::string text = name + "[";
  for (std::size_t i = 0; i < extents; ++i) text += (i > 0 ? ", e" : "e") + std::to_string(first + i);
  return text + "]";
}

TEST(Signature, HasAsManyOfEachAsItMay) {
  // Each line is at a limit, and one more is a mistake that names the column of the one.
  const auto dimensions = [](std::size_t count) { return "f: " + tensor_of("y", 1) + " <- " + tensor_of("x", count); };
  const auto extents = [](std::size_t count) {
    std::string line = "f: " + tensor_of("y", 6) + " <- " + tensor_of("x", 6, 6);
    return line + ", " + tensor_of("z", count - 12, 12);
  };
  const auto tensors = [](std::size_t count) {
    std::string line = "f: y[n] <- x0[n]";
    for (std::size_t i = 1; i + 1 < count; ++i) line += ", x" + std::to_string(i) + "[n]";
    return line;
  };
  const auto scalars = [](std::size_t count) {
    std::string line = "f: y[n] <- s0";
    for (std::size_t i = 1; i < count; ++i) line += ", s" + std::to_string(i);
    return line;
  };
  // Extents that tensors have, and parameters behind them.
  const auto parameters = [&](std::size_t count) {
    std::string line = extents(16) + " with p0 < 9";
    for (std::size_t i = 1; i < count; ++i) line += ", p" + std::to_string(i) + " < 9";
    return line;
  };
  EXPECT_EQ(parsed(dimensions(6)).tensors.front().extents.size(), 6u);
  EXPECT_EQ(parsed(parameters(8)).extents.size(), 24u);
  EXPECT_EQ(parsed(extents(16)).extents.size(), 16u);
  EXPECT_EQ(parsed(tensors(24)).tensors.size(), 24u);
  EXPECT_EQ(parsed(scalars(8)).scalars.size(), 8u);
  const auto why = [](const std::string& line) {
    const auto signature = parse_signature(line);
    return signature ? "none" : signature.error().message.substr(signature.error().message.find(", column"));
  };
  EXPECT_EQ(why(dimensions(7)), ", column 13: 7 dimensions of tensor x, and at most 6 are allowed");
  EXPECT_EQ(why(extents(17)),
            ", column " + std::to_string(extents(17).find("e16") + 1) + ": 17 extents, and at most 16 are allowed");
  EXPECT_EQ(why(parameters(9)),
            ", column " + std::to_string(parameters(9).find("p8") + 1) + ": 9 parameters, and at most 8 are allowed");
  EXPECT_EQ(why(tensors(25)),
            ", column " + std::to_string(tensors(25).find("x23") + 1) + ": 25 tensors, and at most 24 are allowed");
  EXPECT_EQ(why(scalars(9)),
            ", column " + std::to_string(scalars(9).find("s8") + 1) + ": 9 scalars, and at most 8 are allowed");
}

TEST(Signature, BracketsGoOnlySoDeep) {
  std::string sums = "g: y[i] = ", places = sums;
  for (int i = 0; i < 100000; ++i) {
    sums += "sum(k" + std::to_string(i) + ":";
    places += "a" + std::to_string(i) + "[";
  }
  for (const std::string& line : {sums, places}) {
    const auto signature = parse_signature(line);
    ASSERT_FALSE(signature);
    EXPECT_NE(signature.error().message.find("more than 8 brackets inside each other"), std::string::npos);
  }
}

}  // namespace
}  // namespace negzero::notation
