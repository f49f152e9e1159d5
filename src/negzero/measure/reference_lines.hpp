// Declarations of an operation of its own, with a reference of negzero/cuda/references.cuh.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <negzero/measure/lines.hpp>

namespace negzero::measure {

class ReferenceLines {
 public:
  /// `inputs`: in the order in which the reference takes them.
  ReferenceLines(const Measured& measured, std::string name, std::vector<std::size_t> inputs);

  /// The number of elements of the output, in C++.
  [[nodiscard]] std::string count() const { return lines_.count(output_); }
  /// The product of a pointer's extents, in C++, without a constant.
  [[nodiscard]] std::string product(std::size_t place) const { return lines_.product(place); }
  [[nodiscard]] const std::string& word(std::size_t place) const { return lines_.word(place); }
  /// Both declarations. `function` and `sizes`: the reference's name and what it takes before the inputs; `range`: the
  /// values of the inputs; `error`: of the output; `scalars`: values of the scalars, "" for all.
  [[nodiscard]] std::string text(const std::string& function, const std::string& sizes, const std::string& range,
                                 const std::string& error, const std::vector<std::string>& scalars = {});
  /// The declaration alone, of which no values are judged. Takes any outputs.
  [[nodiscard]] std::string without_reference();

 private:
  /// In the reference: integers as they are, all else in F64.
  [[nodiscard]] std::string reference_format(std::size_t place) const;
  /// "out[n] <- in[n], alpha", and what holds for all of them.
  void begin(bool has_reference, const std::string& range, const std::vector<std::string>& scalars);

  const Measured& measured_;
  std::string name_;
  std::vector<std::size_t> inputs_;
  std::size_t output_;
  Lines lines_;
  std::string sources_{};                 ///< what follows "<-"
  std::vector<std::string> arguments_{};  ///< inputs and scalars
};

}  // namespace negzero::measure
