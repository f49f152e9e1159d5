// The order of a kernel's sums for people, as JSON, and as the line of a contract.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <negzero/order/survey.hpp>

namespace negzero::order {

/// An order with what a reader needs beside it.
struct Subject {
  const Order& order;
  std::string title{};                ///< "gemm.naive.f32 on host"
  std::vector<std::string> shapes{};  ///< of each length, "m=32, n=8, k=96, F32 x F32 x F32"; or none
  bool with_trees = false;            ///< each tree is drawn
};

/// Several lines: the depth at each length, the formula, whether the order repeats, the line to paste.
[[nodiscard]] std::string text_of(const Subject& subject);

/// {"name", "length": "k", "has_products", "lengths": [{"length", "shape", "depth": 96 | null, "elements", "problem",
/// "fused": 2, "sums", "tree": "...", "nodes": [0, 1, [0, 1]]}], "longer": {"length", "depth_at_least"} | null,
/// "formula": {"text", "is_exact", "most_above"} | null, "is_deterministic", "same_shape": true | null,
/// "other_shapes": [{"shape", "is_same"}], "line": {"depth": "k"} | null, "sums"}. "tree" and "nodes" only with trees:
/// the nodes of Tree in their order, each a term or the places of those that are added. "fused": the most terms that
/// one addition takes.
[[nodiscard]] nlohmann::ordered_json json_of(const Subject& subject);

}  // namespace negzero::order
