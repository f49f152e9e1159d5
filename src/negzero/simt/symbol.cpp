// The line of source behind an address of code, read by libbacktrace where that was found.

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#ifdef NEGZERO_HAS_BACKTRACE
#include <backtrace.h>
#endif

#include <negzero/simt/symbol.hpp>

namespace negzero::simt {

namespace {

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

#ifdef NEGZERO_HAS_BACKTRACE
/// Frames from the innermost inlined function outwards.
std::vector<std::string> lines_of(std::uintptr_t address) {
  // One state for the program's life, as the library wants it. It is not safe to use from two threads at once.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto ignore = [](void*, const char*, int) {};
  static backtrace_state* const state = backtrace_create_state(nullptr, 0, ignore, nullptr);
  std::vector<std::string> lines;
  if (state == nullptr) return lines;
  backtrace_pcinfo(
      state, address,
      [](void* data, std::uintptr_t, const char* file, int line, const char*) {
        if (file == nullptr || line == 0) return 0;
        static_cast<std::vector<std::string>*>(data)->push_back(std::string(file) + ":" + std::to_string(line));
        return 0;
      },
      ignore, &lines);
  return lines;
}
#else
std::vector<std::string> lines_of(std::uintptr_t) { return {}; }
#endif

/// Whether a line belongs to the shims: an atomicAdd is the caller's, not ours.
bool is_vocabulary(std::string_view line) {
  return line.find("negzero/simt/") != std::string_view::npos || line.starts_with("/usr/include/") ||
         line.starts_with("/usr/lib/");
}

}  // namespace

std::string place_of(const void* return_address) {
  // The call itself stands before the address it returns to.
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  std::vector<std::string> lines = lines_of(address);
  std::erase_if(lines, [](const std::string& line) { return is_vocabulary(line); });
  if (!lines.empty()) {
    std::string place(file_of(lines.front()));
    const std::string outermost(file_of(lines.back()));
    if (outermost.substr(0, outermost.find(':')) != place.substr(0, place.find(':'))) {
      place += " (from " + outermost + ")";
    }
    return place;
  }
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<const void*>(address), &info) != 0 && info.dli_fname != nullptr;
  char text[32];
  std::snprintf(text, sizeof text, "+0x%llx",
                static_cast<unsigned long long>(address - (known ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0)));
  return (known ? std::string(file_of(info.dli_fname)) : std::string()) + text;
}

}  // namespace negzero::simt
