// What the commands that make cases share: the mix of strategies, the seed, a line of progress.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/base/duration.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/numbers.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/places.hpp>

namespace negzero::cli {

namespace {

/// STRATEGY=WEIGHT.
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

/// NAME=VALUE or NAME=LOW:HIGH[:STEP], by commas.
base::Result<generate::ExtentRanges> parse_extents(const std::string& text) {
  generate::ExtentRanges extents;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = part.find('=');
    const auto wrong = [&](const std::string& why) {
      return base::usage_error(fmt::format("--extents {}: {}", part.empty() ? "''" : part, why));
    };
    if (equals == std::string::npos || equals == 0)
      return wrong("write NAME=VALUE or NAME=LOW:HIGH or NAME=LOW:HIGH:STEP");
    std::vector<std::int64_t> numbers;
    for (std::size_t at = equals + 1; at <= part.size();) {
      if (at == part.size() || part[at] == ':') return wrong("a number is missing: write NAME=VALUE or NAME=LOW:HIGH");
      const std::size_t colon = std::min(part.find(':', at), part.size());
      const auto number =
          parse_number(part.substr(at, colon - at), 0, static_cast<std::uint64_t>(tensor::kMaxElements));
      if (!number) return wrong(number.error().message);
      numbers.push_back(static_cast<std::int64_t>(*number));
      at = colon + 1;
    }
    if (numbers.size() > 3) return wrong("at most a low end, a high end and a step");
    generate::ExtentRange range{numbers[0], numbers.back(), 1};
    if (numbers.size() == 3) range = {numbers[0], numbers[1], numbers[2]};
    if (range.high < range.low)
      return wrong(fmt::format("the low end {} exceeds the high end {}", range.low, range.high));
    if (range.step == 0) return wrong("a step of 0 leads nowhere: give one of at least 1");
    if (!extents.emplace(part.substr(0, equals), range).second) return wrong("this extent stands there twice");
  }
  return extents;
}

base::Status check_extents(const generate::ExtentRanges& extents, std::span<const kernel::Kernel* const> kernels) {
  for (const kernel::Kernel* const kernel : kernels) {
    // Whether the limits make sense at all is another question.
    if (!operation::validate(kernel->limits, kernel->operation)) continue;
    const auto valid = generate::validate(extents, kernel->operation, kernel->limits);
    if (!valid) return base::usage_error(fmt::format("--extents: kernel {}: {}", kernel->name, valid.error().message));
  }
  return base::Ok{};
}

/// Ranges by commas, each with the name of its tensor.
base::Result<operation::ByName<operation::ValueRange>> parse_values(const std::vector<std::string>& texts) {
  operation::ByName<operation::ValueRange> values;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const auto said = operation::parse_range(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
      if (!said) return base::usage_error("--" + said.error().message);
      if (values.find(said->name) != nullptr) {
        return base::usage_error(fmt::format("--values {}: {} stands there twice", text, said->name));
      }
      values[said->name] = said->range;
    }
  }
  return values;
}

base::Status narrow(const std::vector<std::string>& texts, std::span<const kernel::Kernel* const> kernels) {
  const auto values = parse_values(texts);
  if (!values) return values.error();
  for (const kernel::Kernel* const kernel : kernels) {
    const auto narrowed = kernel::registry().narrow(kernel->name, *values);
    if (!narrowed)
      return base::usage_error(fmt::format("--values: kernel {}: {}", kernel->name, narrowed.error().message));
  }
  return base::Ok{};
}

/// Texts of lines, each read when a finding names it for the first time: files do not change while their kernels run.
class LineReader {
 public:
  explicit LineReader(report::Sources sources) : sources_(std::move(sources)) {}
  /// campaign::LineTexts. Failures are shrunk on threads of their own.
  std::vector<std::string> texts(const std::string& file, const std::vector<operation::SourceLine>& lines) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> result;
    for (const operation::SourceLine& line : lines) {
      const auto [at, is_new] = read_.try_emplace({file, line});
      if (is_new) at->second = report::texts_of({line}, file, sources_);
      result.insert(result.end(), at->second.begin(), at->second.end());
    }
    return result;
  }

 private:
  report::Sources sources_;
  std::mutex mutex_;
  std::map<std::pair<std::string, operation::SourceLine>, std::vector<std::string>> read_;
};

}  // namespace

base::Result<generate::Mix> mix_of(const Making& making, std::span<const kernel::Kernel* const> kernels) {
  const auto weights = parse_weights(making.weights);
  if (!weights) return weights.error();
  const auto extents = parse_extents(making.extents);
  if (!extents) return extents.error();
  if (const auto valid = check_extents(*extents, kernels); !valid) return valid.error();
  if (const auto narrowed = narrow(making.values, kernels); !narrowed) return narrowed.error();
  return generate::Mix{*weights, making.finite, *extents};
}

base::Result<campaign::LedgerFile> accepted_findings(const std::string& path, const Common& common) {
  campaign::LedgerFile known;
  if (!path.empty()) {
    auto file = campaign::load_ledger(path);
    if (!file) return base::Error{file.error().kind, "--accept " + file.error().message};
    known = *std::move(file);
  }
  known.add(common.accepted);
  known.texts = [reader = std::make_shared<LineReader>(invocation_of(common, std::nullopt).sources)](
                    const kernel::Kernel& kernel, const std::vector<operation::SourceLine>& lines) {
    return reader->texts(kernel.file, lines);
  };
  return known;
}

bool complain_of_stale(const campaign::LedgerOutcome& ledger) {
  for (const std::string& message : ledger.stale) complain(base::usage_error(message));
  return !ledger.stale.empty();
}

std::uint64_t seed_or_another(std::uint64_t seed) {
  if (seed != 0) return seed;
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) | 1;  // Never 0, which would pick another one.
}

void tell_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path) {
  tell_line(fmt::format("found  {}  {} by {}: {}  ({})", kernel, verdict::name(failure.kind), failure.rule,
                        failure.message, path.empty() ? "not saved" : path));
}

void tell_shrinking(const std::string& kernel, const verdict::Failure& failure,
                    const campaign::EvaluationOptions& evaluation) {
  if (evaluation.shrink_time_ms == 0) return;
  tell_line(fmt::format("shrinking {} ({}), {}", kernel, verdict::name(failure.kind),
                        campaign::shrinking_takes(evaluation, failure.kind)));
}

std::string shrinking_text(const campaign::BeingShrunk& shrinking) {
  if (shrinking.count == 0) return "";
  const std::string what =
      shrinking.count == 1 ? std::string(shrinking.kernel) : fmt::format("{} findings", shrinking.count);
  const std::uint64_t left_s = shrinking.left_ms / 1000;
  return "; shrinking " + what + (left_s > 0 ? fmt::format(", {} left", base::duration_text(left_s * 1000)) : "");
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
    tell(fmt::format("\r{}\033[K", for_errors(base::one_line(line), Style::Secondary)));
  } else {
    tell_line(line);
  }
}

void Progress::clear() const {
  if (terminal_) tell("\r\033[K");
}

}  // namespace negzero::cli
