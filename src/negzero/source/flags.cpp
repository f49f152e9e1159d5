// Keeps what a host compiler has too, and drops what says how a GPU is to be compiled for.

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include <negzero/source/flags.hpp>

namespace negzero::source {
namespace {

namespace fs = std::filesystem;

bool begins_with_any(const std::string& flag, std::initializer_list<std::string_view> heads) {
  return std::ranges::any_of(heads, [&](std::string_view head) { return flag.starts_with(head); });
}

}  // namespace

bool is_toolkit(const std::string& folder) {
  std::error_code code;
  return fs::exists(fs::path(folder) / "cuda_runtime.h", code) &&
         fs::exists(fs::path(folder) / "crt" / "host_runtime.h", code);
}

base::Result<HostFlags> host_flags(const std::vector<std::string>& of_nvcc, const std::vector<std::string>& folders) {
  HostFlags result;
  for (std::size_t i = 0; i < of_nvcc.size(); ++i) {
    const std::size_t first = i;
    std::string flag = of_nvcc[i];
    const auto value = [&](std::size_t head) {
      if (flag.size() > head) return flag.substr(flag[head] == '=' ? head + 1 : head);
      return i + 1 < of_nvcc.size() ? of_nvcc[++i] : std::string();
    };
    if (begins_with_any(flag, {"-I", "--include-path"})) {
      const std::string named = value(flag.starts_with("-I") ? 2 : 14);
      const auto from = [&](const std::string& folder) { return (fs::path(folder) / named).lexically_normal(); };
      std::error_code code;
      const auto found =
          std::ranges::find_if(folders, [&](const auto& folder) { return fs::exists(from(folder), code); });
      const fs::path included = from(found == folders.end() ? folders.front() : *found);
      if (!is_toolkit(included.string())) result.flags.push_back("-I" + included.string());
      result.of_nvcc.push_back("-I" + included.string());
      continue;
    } else if (begins_with_any(flag, {"-D", "-U"})) {
      const std::string name = flag.substr(0, 2);
      result.flags.push_back(name + value(2));
    } else if (begins_with_any(flag, {"-std=", "--std="})) {
      // The headers of negzero need C++20, of which older text is mostly a part.
      if (flag.ends_with("23") || flag.ends_with("2b")) result.flags.push_back("-std=c++23");
    } else if (begins_with_any(flag, {"-arch", "--gpu-architecture"})) {
      const std::string name = value(flag.starts_with("-a") ? 5 : 18);
      const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
      int number = 0;
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
      if (number == 0) return base::usage_error(fmt::format("{} names no architecture, such as sm_80", flag));
      result.flags.push_back(fmt::format("-D__CUDA_ARCH__={}", 10 * number));
    } else if (begins_with_any(flag, {"-gencode", "--generate-code"})) {
      (void)value(flag.starts_with("-g") ? 8 : 15);
    } else if (begins_with_any(flag, {"--use_fast_math", "-use_fast_math", "-ftz", "--ftz", "-prec-div", "--prec-div",
                                      "-prec-sqrt", "--prec-sqrt"})) {
      result.notes.push_back(flag + ": the host computes as without it; `--executor cuda` has it");
    } else if (begins_with_any(flag, {"-Xcompiler", "--compiler-options", "-Xptxas", "--ptxas-options", "-Xcudafe",
                                      "-maxrregcount", "--maxrregcount", "-l", "-L"})) {
      const bool has_value = flag.find('=') != std::string::npos || flag.starts_with("-l") || flag.starts_with("-L");
      if (!has_value) ++i;
    } else if (!begins_with_any(flag, {"--expt-", "-expt-", "--extended-lambda", "-extended-lambda", "-O", "-g", "-G",
                                       "-lineinfo", "--generate-line-info", "-fmad", "--fmad", "-w", "-W", "--threads",
                                       "-rdc", "--relocatable-device-code", "-dc", "-c"})) {
      return base::usage_error(fmt::format(
          "negzero does not know nvcc's flag {}; what follows -- is given to the compiler: -I, -D, -U, -std, -arch ...",
          flag));
    }
    result.of_nvcc.insert(result.of_nvcc.end(), of_nvcc.begin() + static_cast<std::ptrdiff_t>(first),
                          of_nvcc.begin() + static_cast<std::ptrdiff_t>(std::min(i + 1, of_nvcc.size())));
  }
  return result;
}

}  // namespace negzero::source
