// A file of two observed sums, for commands that read what was computed elsewhere.

#pragma once

#include <string>

#include <gtest/gtest.h>

#include <negzero/files/safetensors.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/tensor/tensor.hpp>

#include "program.hpp"

namespace negzero::cli_test {

/// Writes an output of two F32 numbers into the folder, and returns the path of the file.
inline std::string sums_file(const Directory& directory, double first, double second, const std::string& name) {
  tensor::Tensor y(number::FormatId::F32, {2});
  y.set(0, number::from_double(y.format(), first));
  y.set(1, number::from_double(y.format(), second));
  const auto bytes = files::write_safetensors({{name, y}}, {});
  EXPECT_TRUE(files::write_file_atomically(directory / "out.safetensors", bytes).ok());
  return directory / "out.safetensors";
}

}  // namespace negzero::cli_test
