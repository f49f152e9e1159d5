// What the oracle said of faulty results, as a table.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <negzero/oracle/permitted.hpp>

#include "drawn.hpp"

namespace negzero::oracle_faults {

/// Results that a fault changed, of which some were accepted.
struct Share {
  std::uint64_t all = 0, accepted = 0;
  void add(const Share& other) {
    all += other.all;
    accepted += other.accepted;
  }
};
struct Counts {
  std::uint64_t changed = 0;
  Share by_rule_a{};
  Share illegal{};         ///< of which it is known that no legal evaluation gives them
  Share beyond{};          ///< farther than any legal evaluation that a search found
  Share within{};          ///< not met among legal evaluations, and no farther than those
  std::string smallest{};  ///< the accepted one with the fewest terms, then the shortest row
  std::size_t fewest = 0;
  std::vector<std::string> refused{};  ///< results of the same evaluations without the fault

  void keep(const std::string& row, std::size_t terms);
  void add(const Counts& other);
};

/// "contract JSON, formats, operands -> observed; permitted by rule".
[[nodiscard]] std::string row_of(const Question& question, const char* contract, std::uint64_t observed,
                                 const oracle::Permitted& permitted);

class Table {
 public:
  explicit Table(std::span<const std::size_t> terms) : terms_(terms) {}

  void add(const char* fault, const Setting& setting, std::size_t terms, Counts counts);
  [[nodiscard]] Counts all() const;
  /// Of each kind and contract the share of accepted results among those that no legal evaluation gives, by m; then
  /// the smallest accepted ones.
  [[nodiscard]] std::string text() const;

 private:
  struct Key {
    std::string fault, setting;
    auto operator<=>(const Key&) const = default;
  };
  std::span<const std::size_t> terms_;
  std::map<Key, std::map<std::size_t, Counts>> counts_{};
};

}  // namespace negzero::oracle_faults
