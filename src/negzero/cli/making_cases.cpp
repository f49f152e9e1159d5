// What the commands that make cases share: the mix of strategies, the seed, a line of progress.

#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/session.hpp>

namespace negzero::cli {

base::Result<generate::Weights> parse_weights(const std::vector<std::string>& texts) {
  generate::Weights weights;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    char* end = nullptr;
    const double weight = equals == std::string::npos ? -1 : std::strtod(text.c_str() + equals + 1, &end);
    if (equals == std::string::npos || end == text.c_str() + equals + 1 || *end != '\0' || !(weight >= 0)) {
      return base::usage_error(fmt::format("--weight {}: write STRATEGY=WEIGHT with a weight of at least 0", text));
    }
    weights[text.substr(0, equals)] = weight;
  }
  return weights;
}

std::uint64_t seed_or_another(std::uint64_t seed) {
  if (seed != 0) return seed;
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) | 1;  // Never 0, which would pick another one.
}

void tell_failure(const std::string& kernel, const operation::Failure& failure, const std::string& path) {
  tell_line(fmt::format("found  {}  {} by {}: {}  ({})", kernel, operation::name(failure.kind), failure.rule,
                        failure.message, path.empty() ? "not saved" : path));
}

void tell_shrinking(const std::string& kernel, const operation::Failure& failure,
                    const campaign::EvaluationOptions& evaluation) {
  if (evaluation.shrink_time_ms == 0) return;
  tell(fmt::format("shrinking {} ({}), {}\n", kernel, operation::name(failure.kind),
                   campaign::shrinking_takes(evaluation, failure.kind)));
}

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1), interval_(terminal_ ? 200 : 2000) {}

bool Progress::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < interval_) return false;
  last_ = now;
  if (!terminal_) interval_ = std::chrono::seconds(10);
  return true;
}

void Progress::show(const std::string& line) const {
  if (terminal_) {
    tell(fmt::format("\r{}\033[K", base::one_line(line)));
  } else {
    tell_line(line);
  }
}

void Progress::clear() const {
  if (terminal_) tell("\r\033[K");
}

}  // namespace negzero::cli
