// What the recorder asks the oracle: small cases, contracts around one value of one field, and words around what is
// permitted. All of it is drawn here, so that no other draw of the project moves a recorded bucket.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::oracle_paths {

/// One value of one field of a contract, as JSON has them.
struct Value {
  std::string field;
  nlohmann::ordered_json value;

  [[nodiscard]] std::string to_string() const { return field + " " + value.dump(); }
};
/// The values of every field that changes what is permitted: of words and truths all, of others a few.
[[nodiscard]] const std::vector<Value>& values();

/// The operations that are asked about.
[[nodiscard]] const std::vector<std::string>& operations();

/// A case of few elements and few terms.
[[nodiscard]] operation::Case drawn_case(const std::string& name, base::Random& random);

/// A case with all of its words.
[[nodiscard]] std::string words_of(const operation::Case& value);

/// A contract with that value, mostly with some others, in a third of the draws with
/// its kin; nothing where it is no contract.
[[nodiscard]] std::optional<contract::Contract> drawn_contract(const operation::Case& value, const Value& with,
                                                               base::Random& random);

/// An encoding in the set or beside one of its ends, or any.
[[nodiscard]] std::uint64_t drawn_word(const oracle::Permitted& permitted, base::Random& random);

}  // namespace negzero::oracle_paths
