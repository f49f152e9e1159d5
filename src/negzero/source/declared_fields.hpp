// What single lines of a declaration say, as the JSON of an entry of kernel::declarations().

#pragma once

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/notation/signature.hpp>

namespace negzero::source {

/// What is wrong with what a line says; its place is put before it.
using Wrong = std::invalid_argument;

[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Takes what is before the first of `signs` from the text.
std::string_view take_word(std::string_view& text, std::string_view signs = " \t");
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char sign);
/// "{...}" as it is, or: field=value field="several words". Throws Wrong.
[[nodiscard]] nlohmann::ordered_json fields_of(std::string_view text);
/// A number or a truth value as such, everything else as text.
[[nodiscard]] nlohmann::ordered_json value_of(std::string_view text);

/// Adds what lines say to the JSON. Each throws Wrong.
class DeclaredFields {
 public:
  /// Tensors are packed until a line says something else.
  DeclaredFields(const notation::Signature& signature, nlohmann::ordered_json& json)
      : signature_(signature), json_(json) {
    layout("packed");
    laid_out_.clear();
  }

  /// "a=F16 d=F32", or JSON: one more combination. What is not named has its usual format.
  void formats(std::string_view text);
  /// "m % 64, 1 <= k <= 512, batch = 1, columns power_of_two, m = n, m * n <= 65536, beta = zero, k tiles 32 64", or
  /// JSON.
  void limits(std::string_view text);
  /// "x -1e4..1e4, p >= 0, lse <= 1e4 inf=negative", or JSON: of tensors, and of scalars of a line of one's own.
  void values(std::string_view text);
  /// "[TENSOR] ORDER near, stride % 8, offset <= 64, span <= N, align 16, broadcast no, shared batch": of one tensor,
  /// or of all. Without an order it is packed.
  void layout(std::string_view text);
  /// "c" or "c perhaps".
  void in_place(std::string_view text);
  /// "algorithm 0 1 2, slices 1..8".
  void options(std::string_view text);
  /// "y ulps=4 relative=1e-6" or "y any".
  void error(std::string_view text);

 private:
  /// Why a name is none of a format that may be said.
  [[nodiscard]] std::string no_format(const std::string& name) const;
  void add_combination(nlohmann::ordered_json combination);
  void limit(std::string_view part);
  void product_limit(const std::string& first, std::string_view rest);
  void scalar_limit(const std::string& name, std::string_view part, std::string_view rest);

  const notation::Signature& signature_;
  nlohmann::ordered_json& json_;
  std::set<std::string> laid_out_{};  ///< tensors that a line has said the layout of
};

}  // namespace negzero::source
