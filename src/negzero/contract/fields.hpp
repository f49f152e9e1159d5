// The fields of a contract: one row each says what it means and takes, how it is compared, written as JSON and read.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>

namespace negzero::contract {

/// What a field takes: one of `words`, or, where there are none, what `kind` says.
struct Takes {
  enum class Kind : std::uint8_t {
    Word,         ///< of `words`
    Truth,        ///< true or false
    WholeNumber,  ///< an integer
    Text,         ///< any text
    Formula,      ///< null, a whole number, or a formula of extents and options: "1 + ceil_div(k, 256)"
    Bits,         ///< null, or the bits of a number in hexadecimal: "0xff800000"
    Promotion,    ///< null, or {"every": 128, "format": "F32"}
    Roundings,    ///< a list of formats and of {"format": "F16", "rounding": "nearest_even"}
  };
  Kind kind = Kind::Word;
  std::vector<std::string_view> words{};
  bool or_null = false;  ///< of words: whether null is one of them
};
/// "truth", "whole number" ...: the kinds but Word, for lists.
[[nodiscard]] std::string_view kind_name(Takes::Kind kind) noexcept;

/// One row. `read` is given the name for its errors, which are usage errors that name the field, the value and what is
/// valid.
struct Field {
  std::string_view name;
  std::string_view meaning;  ///< one sentence
  Takes takes;
  std::function<bool(const Contract&, const Contract&)> same;
  std::function<nlohmann::ordered_json(const Contract&)> write;
  std::function<base::Status(const std::string&, const nlohmann::ordered_json&, Contract&)> read;
};

/// All fields, in the order of Contract.
[[nodiscard]] const std::vector<Field>& fields();

/// "any, ascending, model": what a message lists.
[[nodiscard]] std::string in_commas(const std::vector<std::string_view>& names);
/// The usage error of a value that is none of the words that a field takes; names the nearest one.
[[nodiscard]] base::Error none_of(const std::string& field, const nlohmann::ordered_json& value,
                                  const std::vector<std::string_view>& words);

}  // namespace negzero::contract
