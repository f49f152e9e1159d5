// The line of source behind an address of code and the variable behind one of data, read by libbacktrace where that was
// found.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#include <dlfcn.h>

#ifdef NEGZERO_HAS_BACKTRACE
#include <backtrace.h>
#endif

#include <negzero/watch/symbol.hpp>

namespace negzero::watch {

namespace {

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

#ifdef NEGZERO_HAS_BACKTRACE
void ignore(void*, const char*, int) {}

/// The one state of the program's life, as the library wants it. It is not safe to use from two threads at once.
class Library {
 public:
  Library() : lock_(mutex()) {
    static backtrace_state* const state = backtrace_create_state(nullptr, 0, ignore, nullptr);
    state_ = state;
  }
  [[nodiscard]] backtrace_state* state() const { return state_; }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
  backtrace_state* state_;
};

/// Frames from the innermost inlined function outwards.
std::vector<std::string> lines_of(std::uintptr_t address) {
  const Library library;
  std::vector<std::string> lines;
  if (library.state() == nullptr) return lines;
  backtrace_pcinfo(
      library.state(), address,
      [](void* data, std::uintptr_t, const char* file, int line, const char*) {
        if (file == nullptr || line == 0) return 0;
        static_cast<std::vector<std::string>*>(data)->push_back(std::string(file) + ":" + std::to_string(line));
        return 0;
      },
      ignore, &lines);
  return lines;
}

std::optional<Variable> symbol_of(std::uintptr_t address) {
  const Library library;
  std::optional<Variable> found;
  if (library.state() == nullptr) return found;
  backtrace_syminfo(
      library.state(), address,
      [](void* data, std::uintptr_t, const char* name, std::uintptr_t value, std::uintptr_t size_bytes) {
        if (name == nullptr) return;
        *static_cast<std::optional<Variable>*>(data) = Variable{name, value, size_bytes};
      },
      ignore, &found);
  return found;
}
#else
std::vector<std::string> lines_of(std::uintptr_t) { return {}; }
std::optional<Variable> symbol_of(std::uintptr_t) { return std::nullopt; }
#endif

/// A symbol as a person wrote it.
std::string readable(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = text != nullptr ? text : symbol;
  std::free(text);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(kAnonymous)) != std::string::npos;) name.erase(at, kAnonymous.size());
  return name;
}

/// Whether a line belongs to CUDA's words on the host or to what they call: an atomicAdd is the caller's, not ours.
bool is_vocabulary(std::string_view line) {
  for (const std::string_view folder : {"negzero/cuda/", "negzero/engine/", "negzero/watch/"}) {
    if (line.find(folder) != std::string_view::npos && line.find(".hpp:") != std::string_view::npos) return true;
  }
  return line.starts_with("/usr/include/") || line.starts_with("/usr/lib/");
}

}  // namespace

std::string place_of(const void* return_address) {
  // The call itself comes before the address it returns to.
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
  std::snprintf(
      text, sizeof text, "+0x%llx",
      static_cast<unsigned long long>(address - (known ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0)));
  return (known ? std::string(file_of(info.dli_fname)) : std::string()) + text;
}

std::optional<Variable> variable_of(std::uintptr_t address) {
  std::optional<Variable> found = symbol_of(address);
  if (!found || address - found->begin >= found->size_bytes) return std::nullopt;
  found->name = readable(found->name);
  return found;
}

}  // namespace negzero::watch
