// Reads what a child prints.

#include <algorithm>
#include <string_view>

#include <unistd.h>

#include <negzero/run/printed.hpp>

namespace negzero::run {

namespace {

constexpr std::size_t kMostPrinted = 4096, kMostLast = 200;

}  // namespace

void Printed::drain(int output) {
  constexpr int kMostReads = 64;
  char buffer[4096];
  for (int reads = 0; reads < kMostReads; ++reads) {
    const ssize_t done = ::read(output, buffer, sizeof buffer);
    if (done <= 0) return;
    const std::string_view text(buffer, static_cast<std::size_t>(done));
    first += text.substr(0, kMostPrinted - std::min(kMostPrinted, first.size()));
    last += text;
    if (last.size() > kMostLast) last.erase(0, last.size() - kMostLast);
    if (text.size() < sizeof buffer) return;
  }
}

}  // namespace negzero::run
