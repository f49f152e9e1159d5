// A case as CUDA that needs no negzero.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/as_code/cuda_file.hpp>
#include <negzero/as_code/plain_file.hpp>
#include <negzero/as_code/texts.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::as_code {

namespace {

using verdict::FailureClass;

/// What shows a failure that is no wrong value: a tool of compute-sanitizer, if one does, and flags that let it see
/// more.
struct Tool {
  FailureClass kind;
  std::string_view tool, flags, remark;
};
constexpr Tool kTools[] = {
    {FailureClass::DataRace, "racecheck", "",
     "A race shows by chance: up to 1000 runs, until a value is wrong. racecheck sees those in shared memory alone."},
    {FailureClass::OutOfBoundsAccess, "memcheck", " -DGUARD=0",
     "With -DGUARD=0 nothing lies around a tensor, so that memcheck sees accesses beside it."},
    {FailureClass::ForbiddenRead, "memcheck", " -DGUARD=0", ""},
    {FailureClass::UninitialisedRead, "", "", "What nothing has written holds poison here, which shows in values."},
    {FailureClass::DivergentBarrier, "synccheck", "", ""},
    {FailureClass::Crash, "memcheck", " -DGUARD=0", ""},
};

std::string word_type(const Buffer& buffer) { return fmt::format("std::uint{}_t", number::format(buffer.format).bits); }

/// The words as an initialiser: a fill where all are the same.
std::string initialiser(const Buffer& buffer) {
  constexpr std::size_t kALine = 8;
  const std::vector<std::uint64_t>& words = buffer.words;
  const bool is_fill = words.size() > 4 && std::ranges::all_of(words, [&](auto word) { return word == words[0]; });
  if (is_fill)
    return fmt::format("std::vector<{}>({}, {})", word_type(buffer), words.size(), bits(buffer.format, words[0]));
  std::string text = "{";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool breaks = i % kALine == 0 && words.size() > kALine;
    text += (i == 0 ? "" : ",") + std::string(breaks ? "\n      " : i == 0 ? "" : " ") + bits(buffer.format, words[i]);
  }
  return text + "}";
}

std::string memory_of(const Buffer& buffer) {
  const number::Format& format = number::format(buffer.format);
  return fmt::format(
      "  exported::Tensor<{0}, {1}{6}> {2}_tensor({3}, {4});{5}\n  {0}* const {2}_memory = {2}_tensor.memory();\n",
      word_type(buffer), !format.is_integer(), buffer.name, initialiser(buffer), bits(buffer.format, buffer.poison),
      buffer.values.empty() ? "" : "  // " + buffer.values, format.is_signed() ? "" : ", false");
}

/// A quoted string of C++.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char sign : text) {
    if (sign == '"' || sign == '\\') result += '\\';
    result += sign;
  }
  return result + "\"";
}

std::string elements_text(const Buffer& buffer) {
  std::string text = "{";
  for (const Element& element : buffer.elements) {
    std::vector<std::string> ranges;
    for (const Range& range : element.ranges) {
      ranges.push_back(fmt::format("{{{}, {}}}", bits(buffer.format, range.low), bits(buffer.format, range.high)));
    }
    text += fmt::format("{}\n      {{{}, {{{}}}, {}}}", text == "{" ? "" : ",", element.at, fmt::join(ranges, ", "),
                        quoted(element.words));
  }
  return text + "}";
}

/// The name of the program: another one than that of the kernel's file.
std::string file_name(const Finding& finding) { return identifier(finding.kernel) + "_case"; }

std::string compile_lines(const Finding& finding, const Launch& launch, CudaForm form) {
  const std::string name = file_name(finding);
  const Tool* const tool = [&]() -> const Tool* {
    const auto found = std::ranges::find_if(kTools, [&](const Tool& each) { return is(finding, each.kind); });
    return found == std::end(kTools) ? nullptr : &*found;
  }();
  const std::string flags = fmt::format("{}{}", launch.flags.empty() ? "" : " ", fmt::join(launch.flags, " "));
  std::string text;
  if (form == CudaForm::Program) {
    text +=
        fmt::format("//   nvcc -std=c++20{0} -o {1} {1}.cu && ./{1}    # 1: it fails, 0: it does not\n", flags, name);
  }
  if (tool == nullptr) return text;
  if (form == CudaForm::Program && !tool->tool.empty()) {
    text += fmt::format(
        "//   nvcc -std=c++20 -lineinfo{0}{2} -o {1} {1}.cu && compute-sanitizer --tool {3} --error-exitcode 1 "
        "./{1}{4}\n",
        flags, name, tool->flags, tool->tool, is(finding, FailureClass::DataRace) ? " 1" : "");
  }
  return text + (tool->remark.empty() ? "" : fmt::format("// {}\n", tool->remark));
}

/// Ends a launch that goes on for ten seconds.
constexpr std::string_view kWait =
    "  for (int tenths = 0; cudaStreamQuery(nullptr) == cudaErrorNotReady; ++tenths) {\n"
    "    if (tenths == 100) {\n"
    "      std::printf(\"the launch goes on for ever\\n\");\n"
    "      std::fflush(stdout);\n"
    "      std::_Exit(1);\n"
    "    }\n"
    "    std::this_thread::sleep_for(std::chrono::milliseconds(100));\n"
    "  }\n";

std::string body(const Finding& finding, const Launch& launch, const std::vector<Buffer>& buffers, CudaForm form) {
  const bool is_test = form == CudaForm::Test;
  std::string text, wrong;
  for (const Buffer& buffer : buffers) {
    if (!buffer.lies_in.empty()) continue;
    text += memory_of(buffer);
    const std::string call = fmt::format("{0}_tensor.wrong(\"{0}\", {1})", buffer.name, elements_text(buffer));
    wrong += is_test ? fmt::format("  EXPECT_EQ({}, 0);\n", call) : fmt::format("  wrong += {};\n", call);
  }
  text += is_test ? "  ASSERT_EQ(cudaGetLastError(), cudaSuccess);\n"
                  : "  if (cudaGetLastError() != cudaSuccess) return 2;\n";
  text += launch.statements;
  if (is(finding, FailureClass::Hang)) text += kWait;
  text += "  cudaError_t error = cudaGetLastError();\n  if (error == cudaSuccess) error = cudaDeviceSynchronize();\n";
  if (launch.may_refuse) {
    text += is_test ? "  ASSERT_FALSE(result.refused) << result.reason;\n"
                    : "  if (result.refused) return std::printf(\"refused: %s\\n\", result.reason.c_str()), 1;\n";
  }
  if (is_test) return text + "  ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error);\n" + wrong;
  return text + "  if (error != cudaSuccess) return std::printf(\"%s\\n\", cudaGetErrorString(error)), 1;\n" +
         "  int wrong = 0;\n" + wrong + "  return wrong == 0 ? 0 : 1;\n";
}

}  // namespace

std::string pointer_to(const Buffer& buffer, std::string_view type) {
  std::string place = (buffer.lies_in.empty() ? buffer.name : buffer.lies_in) + "_memory";
  if (buffer.layout.offset != 0) place += fmt::format(" + {}", buffer.layout.offset);
  return type == "void" ? place : fmt::format("reinterpret_cast<{}*>({})", type, place);
}

std::string bits(number::FormatId format, std::uint64_t word) { return number::to_hex(number::format(format), word); }

base::Result<std::string> cuda_file(const Finding& finding, const Launch& launch, CudaForm form) {
  if (const base::Status whole = is_in_one_piece(finding); !whole) return whole.error();
  const std::vector<Buffer> buffers = buffers_of(finding);
  std::size_t words = 0;
  for (const Buffer& buffer : buffers) words += buffer.words.size() + buffer.elements.size();
  if (words > kMostWords) {
    return base::usage_error(
        fmt::format("{}: {} words of memory and of what is permitted are more than the {} that a "
                    "file of code has; `negzero shrink` makes a smaller case",
                    finding.from, words, kMostWords));
  }
  if (!finding.value.history.empty()) {
    return base::usage_error(finding.from +
                             ": it fails only after other launches, which exported code has not; `negzero replay` "
                             "repeats them");
  }
  const std::string head = heading(finding, "//") + compile_lines(finding, launch, form);
  if (form == CudaForm::Program && is_plain(finding, launch, buffers)) return head + plain_file(launch, buffers);
  std::set<std::string> headers = {"<algorithm>", "<cstdint>", "<cstdio>", "<cstring>", "<utility>", "<vector>"};
  headers.insert(launch.headers.begin(), launch.headers.end());
  if (form == CudaForm::Test) headers.insert("<gtest/gtest.h>");
  if (is(finding, FailureClass::Hang)) headers.insert({"<chrono>", "<cstdlib>", "<thread>"});
  if (is(finding, FailureClass::DataRace)) headers.insert("<cstdlib>");
  std::string text = head + "\n";
  for (const std::string& header : headers) text += fmt::format("#include {}\n", header);
  text += "\n" + launch.kernels +
          "\n#ifndef GUARD\n#define GUARD 4096  // bytes of poison on each side of a tensor\n#endif\n\n";
  text += kHelpers;
  const std::string does = body(finding, launch, buffers, form);
  if (form == CudaForm::Test) {
    return text + fmt::format("\nTEST({}, {}) {{\n{}}}\n", identifier(finding.kernel),
                              finding.failure_class ? verdict::name(*finding.failure_class) : "fails", does);
  }
  if (!is(finding, FailureClass::DataRace)) return text + fmt::format("\nint main() {{\n{}}}\n", does);
  return text + fmt::format(
                    "\nint run() {{\n{}}}\n\nint main(int count, char** words) {{\n"
                    "  const int most = count > 1 ? std::atoi(words[1]) : 1000;\n  int code = 0;\n"
                    "  for (int i = 0; i < most && code == 0; ++i) code = run();\n  return code;\n}}\n",
                    does);
}

}  // namespace negzero::as_code
