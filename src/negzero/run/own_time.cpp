// How long a process has been at something, without the time in which it waited for a core.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <negzero/run/own_time.hpp>

namespace negzero::run {

using std::chrono::nanoseconds;

std::optional<ProcessTimes> times_of(pid_t pid) {
  char text[512];
  const auto read = [&](const char* name) {
    std::FILE* const file = std::fopen(fmt::format("/proc/{}/{}", pid, name).c_str(), "re");
    const std::size_t size = file == nullptr ? 0 : std::fread(text, 1, sizeof text - 1, file);
    if (file != nullptr) std::fclose(file);
    text[size] = '\0';
  };
  read("schedstat");
  unsigned long long ran = 0, waited = 0;
  if (std::sscanf(text, "%llu %llu", &ran, &waited) != 2) return std::nullopt;
  read("stat");
  // The name before the state is in parentheses, and may hold some.
  const char* const name_end = std::strrchr(text, ')');
  if (name_end == nullptr || name_end[1] != ' ') return std::nullopt;
  return ProcessTimes{nanoseconds(ran), nanoseconds(waited), name_end[2] == 'R'};
}

void OwnTime::turn(nanoseconds passed, const std::optional<ProcessTimes>& now) {
  const ProcessTimes before = std::exchange(before_, now.value_or(ProcessTimes{}));
  if (!std::exchange(has_begun_, true)) return;
  nanoseconds own = passed;
  if (now && now->is_runnable) {
    // A wait that goes on is in no number yet.
    own = std::max(now->ran - before.ran, passed / kStarved);
  } else if (now) {
    own = passed - std::clamp(now->waited - before.waited, nanoseconds(0), passed);
  }
  own = std::clamp(own, nanoseconds(0), std::min<nanoseconds>(passed, kMostOfATurn));
  whole_ += own;
  since_ += own;
}

}  // namespace negzero::run
