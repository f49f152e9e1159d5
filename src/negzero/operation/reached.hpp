// Which elements of a tensor the line of an operation says that it reads or writes (notation::Access).

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <negzero/operation/case.hpp>

namespace negzero::operation {

/// By the element's place in row-major order.
using Reached = std::vector<bool>;

/// Most steps of all loops of a tensor's clauses; a case that needs more is not valid.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 28;

/// The elements of a tensor that the clauses of the line reach; nothing where no clause is about it. With more than
/// kMostSteps steps all elements. Requires tensors of the operation's shapes.
[[nodiscard]] std::optional<Reached> reached(const Case& value, std::string_view tensor);

/// Whether the clauses of a tensor need no more than kMostSteps steps.
[[nodiscard]] bool has_few_steps(const Case& value, std::string_view tensor);

}  // namespace negzero::operation
