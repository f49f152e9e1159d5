// A small case as a CUDA program that a person reads at a glance.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/as_code/plain_file.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/source/glue.hpp>

namespace negzero::as_code {

namespace {

using verdict::FailureClass;

std::string words_in(const Buffer& buffer) {
  std::vector<std::string> words;
  for (const std::uint64_t word : buffer.words) words.push_back(bits(buffer.format, word));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

bool is_plain(const Finding& finding, const Launch& launch, const std::vector<Buffer>& buffers) {
  constexpr std::size_t kMostWordsEach = 8, kMostElements = 4, kMostRanges = 3;
  const bool is_value = is(finding, FailureClass::WrongValue) || is(finding, FailureClass::WrongSpecialValue) ||
                        is(finding, FailureClass::WrongZeroSign);
  return is_value && !launch.may_refuse && std::ranges::all_of(buffers, [&](const Buffer& buffer) {
           const bool is_short = buffer.words.size() <= kMostWordsEach && buffer.elements.size() <= kMostElements;
           return is_short && std::ranges::all_of(buffer.elements, [&](const Element& element) {
                    return element.ranges.size() <= kMostRanges;
                  });
         });
}

std::string condition(std::string_view name, number::FormatId id, const std::vector<Range>& ranges) {
  const number::Format& format = number::format(id);
  const bool is_float = !format.is_integer();
  std::vector<std::string> parts;
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    // Of negative floats, as of nothing else here, a greater encoding is a lesser value.
    if (is_float && number::is_negative(format, low)) std::swap(low, high);
    parts.push_back(low == high ? fmt::format("{} == {}", name, bits(id, low))
                                : fmt::format("({0} >= {1} && {0} <= {2})", name, bits(id, low), bits(id, high)));
  };
  for (const Range& range : ranges) {
    const bool crosses = number::is_negative(format, range.low) && !number::is_negative(format, range.high);
    if (!crosses) {
      between(range.low, range.high);
      continue;
    }
    // As unsigned integers, negative ones are behind all others.
    between(range.low, is_float ? format.sign_mask() : format.word_mask());
    between(0, range.high);
  }
  return fmt::format("{}", fmt::join(parts, " || "));
}

std::string plain_file(const Launch& launch, const std::vector<Buffer>& buffers) {
  std::set<std::string> headers = {"<cstdint>", "<cstdio>"};
  headers.insert(launch.headers.begin(), launch.headers.end());
  if (launch.statements.find("std::memcpy") != std::string::npos) headers.insert("<cstring>");
  std::string text = "\n", allocations, copies, checks;
  for (const std::string& header : headers) text += fmt::format("#include {}\n", header);
  text += launch.kernels + "\nint main() {\n";
  for (const Buffer& buffer : buffers) {
    if (!buffer.lies_in.empty()) continue;
    const number::Format& format = number::format(buffer.format);
    const std::string remark = buffer.is_output && buffer.values.empty() ? "poison" : buffer.values;
    text += fmt::format("  {}std::uint{}_t h_{}[{}] = {{{}}};{}\n", buffer.is_output ? "" : "const ", format.bits,
                        buffer.name, std::max<std::size_t>(buffer.words.size(), 1), words_in(buffer),
                        remark.empty() ? "" : fmt::format("  // {}", remark));
    allocations += fmt::format("  std::uint{0}_t* {1}_memory = nullptr;\n  cudaMalloc(&{1}_memory, sizeof h_{1});\n",
                               format.bits, buffer.name);
    copies += fmt::format("  cudaMemcpy({0}_memory, h_{0}, sizeof h_{0}, cudaMemcpyHostToDevice);\n", buffer.name);
    if (!buffer.is_output) continue;
    checks += fmt::format("  cudaMemcpy(h_{0}, {0}_memory, sizeof h_{0}, cudaMemcpyDeviceToHost);\n", buffer.name);
    for (const Element& element : buffer.elements) {
      if (element.ranges.empty()) continue;
      const std::string word = fmt::format("h_{}[{}]", buffer.name, element.at);
      const bool is_long = format.bits == 64;
      checks += fmt::format("  if (!({})) wrong += std::printf(\"{}, got 0x%0{}{}x\\n\", {}{});\n",
                            condition(word, buffer.format, element.ranges), element.words, format.bits / 4,
                            is_long ? "ll" : "", is_long ? "(unsigned long long)" : "", word);
    }
  }
  text += allocations + copies + "  if (cudaGetLastError() != cudaSuccess) return 2;  // no GPU\n" + launch.statements;
  return text +
         "  cudaError_t error = cudaGetLastError();\n"
         "  if (error == cudaSuccess) error = cudaDeviceSynchronize();\n"
         "  if (error != cudaSuccess) return std::printf(\"%s\\n\", cudaGetErrorString(error)), 1;\n"
         "  int wrong = 0;\n" +
         checks + "  return wrong == 0 ? 0 : 1;\n}\n";
}

}  // namespace negzero::as_code
