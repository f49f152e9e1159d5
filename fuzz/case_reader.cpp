// Fuzzes the reader of case files: what it takes for a case is written as a file that is read as the same case.

#include <cstddef>
#include <cstdint>
#include <span>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>

#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace negzero;
  const auto read = case_file::parse(std::as_bytes(std::span(data, size)));
  if (!read) {
    fuzz::require(!read.error().message.empty(), "a file that is no case is told why");
    return 0;
  }
  const std::vector<std::byte> written = case_file::write(*read);
  const auto again = case_file::parse(written);
  fuzz::require(static_cast<bool>(again), "what is written is a case");
  fuzz::require(case_file::write(*again) == written, "what is written reads as the same case");
  return 0;
}
