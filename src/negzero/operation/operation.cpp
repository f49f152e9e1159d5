// Names of operations, and the lists of their extents and formats that other modules walk through.

#include <negzero/operation/limits.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/operation/words.hpp>

namespace negzero::operation {
namespace {

constexpr std::array<std::string_view, 10> kNames{"gemm",        "reduce.sum",    "reduce.mean",   "reduce.max",
                                                  "reduce.min",  "reduce.argmax", "reduce.argmin", "scatter.add",
                                                  "scatter.max", "scatter.min"};
constexpr std::size_t kFirstReduce = 1, kFirstScatter = 7;

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace

std::string name(const Operation& operation) {
  const std::size_t i = std::visit(
      Overloaded{[](const Gemm&) { return std::size_t{0}; },
                 [](const Reduce& reduce) { return kFirstReduce + static_cast<std::size_t>(reduce.kind); },
                 [](const Scatter& scatter) { return kFirstScatter + static_cast<std::size_t>(scatter.kind); }},
      operation);
  return std::string(kNames[i]);
}

const std::array<std::string_view, 10>& operation_names() { return kNames; }

std::optional<Operation> operation_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != name) continue;
    if (i >= kFirstScatter) return Scatter{.kind = static_cast<ScatterKind>(i - kFirstScatter)};
    if (i == 0) return Gemm{};
    const auto kind = static_cast<ReduceKind>(i - kFirstReduce);
    const bool index = kind == ReduceKind::Argmax || kind == ReduceKind::Argmin;
    return Reduce{.kind = kind, .y = index ? number::FormatId::I32 : number::FormatId::F32};
  }
  return std::nullopt;
}

std::vector<number::FormatId> formats_of(const Operation& operation) {
  using Formats = std::vector<number::FormatId>;
  return std::visit(Overloaded{[](const Gemm& gemm) {
                                 return Formats{gemm.a, gemm.b, gemm.d};
                               },
                               [](const Reduce& reduce) {
                                 return Formats{reduce.x, reduce.y};
                               },
                               [](const Scatter& scatter) { return Formats{scatter.x}; }},
                    operation);
}

std::vector<std::string> format_names(const Operation& operation) {
  using Names = std::vector<std::string>;
  return std::visit(Overloaded{[](const Gemm&) {
                                 return Names{"a", "b", "d"};
                               },
                               [](const Reduce&) {
                                 return Names{"x", "y"};
                               },
                               [](const Scatter&) { return Names{"x"}; }},
                    operation);
}

std::vector<Extent> extents_of(const Operation& operation) {
  using Extents = std::vector<Extent>;
  return std::visit(Overloaded{[](const Gemm& gemm) {
                                 return Extents{{"batch", gemm.batch}, {"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}};
                               },
                               [](const Reduce& reduce) {
                                 return Extents{{"rows", reduce.rows}, {"columns", reduce.columns}};
                               },
                               [](const Scatter& scatter) {
                                 return Extents{{"updates", scatter.updates}, {"destinations", scatter.destinations}};
                               }},
                    operation);
}

}  // namespace negzero::operation
