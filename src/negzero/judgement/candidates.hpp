// Contracts beside a declared one: each departs from it in one word of a field, or in a few that go together.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::judgement {

struct Candidate {
  std::vector<std::pair<std::string_view, nlohmann::ordered_json>> fields{};  ///< those that depart, as JSON has them
  std::size_t words = 0;  ///< how many choices these are: a rounding and its place are one
  contract::Contract contract{};
  bool is_usual = false;       ///< the same operations in another place, order or unit, or other special values
  bool is_everywhere = false;  ///< it shows in most elements, so that a few wrong ones have another cause
};

/// Those that say something of the case's operation, in the order of contract::fields(). `observed`: a word of the
/// output that is not permitted, which an empty row may have by declaration.
[[nodiscard]] std::vector<Candidate> candidates(const operation::Case& value, const contract::Contract& contract,
                                                std::uint64_t observed);

/// The contract with the least depth above the declared one that `permits` is true of. Nothing where none is declared,
/// or no depth is enough. (A greater depth permits no less.)
[[nodiscard]] std::optional<Candidate> deeper(const operation::Case& value, const contract::Contract& contract,
                                              const std::function<bool(const contract::Contract&)>& permits);

/// `multiplicand "bf16"`, `subnormal_inputs "flush" and subnormal_results "flush"`.
[[nodiscard]] std::string text_of(const Candidate& candidate);

/// Both departures from `contract` at once. Where they contradict each other, validate() says so.
[[nodiscard]] Candidate both(const Candidate& one, const Candidate& other);

}  // namespace negzero::judgement
