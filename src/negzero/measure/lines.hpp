// Writes declarations in the words of .nz files.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <negzero/measure/observation.hpp>

namespace negzero::measure {

/// The declaration of a callee: its lines, with what its arguments are called in the operation.
class Lines {
 public:
  Lines(const Measured& measured, const std::string& name);

  /// What a parameter is called: those of no name keep their own.
  void call(std::size_t place, const std::string& word) { words_[place] = word; }
  [[nodiscard]] const std::string& word(std::size_t place) const { return words_[place]; }
  /// A line: `word says`.
  void add(const std::string& word, const std::string& says);
  /// "formats" of tensors by the parameters that they are.
  void add_formats(const std::map<std::string, std::size_t>& tensors);
  /// "values": ranges of inputs and scalars; ".." is every number.
  void add_values(const std::map<std::string, std::string>& ranges);
  /// All lines, the launch last.
  [[nodiscard]] std::string text() const;

  /// The extents of a pointer as "[m, n]", and names for sizes that are factors twice and for constants, with limits
  /// that say what they are. At most three extents make a tensor.
  [[nodiscard]] std::string brackets(std::size_t place);
  /// The product of a pointer's extents in C++: "m * n".
  [[nodiscard]] std::string product(std::size_t place) const;
  /// The number of its elements: "2 * m * n".
  [[nodiscard]] std::string count(std::size_t place) const;
  /// The limits that brackets() made, behind those that extents have by themselves.
  [[nodiscard]] std::string limits() const;
  /// The limits that an extent of that name has: "m >= 1, m <= 1024".
  [[nodiscard]] std::string range(std::size_t place, const std::string& word) const;

 private:
  const Measured& measured_;
  std::string text_;
  std::vector<std::string> words_;
  std::vector<std::string> used_, equal_;
};

}  // namespace negzero::measure
