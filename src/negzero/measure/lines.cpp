// Names extents after the author's parameters, in small letters where nothing else has that name.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/lower.hpp>
#include <negzero/measure/lines.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;

}  // namespace

Lines::Lines(const Measured& measured, const std::string& name)
    : measured_(measured), text_(fmt::format("kernel    {}\n", name)), words_(measured.callee->parameters.size()) {
  const std::vector<Parameter>& parameters = measured.callee->parameters;
  for (std::size_t place = 0; place < parameters.size(); ++place) {
    words_[place] = parameters[place].name;
    // The launch and the limits have meanings of their own for these.
    for (const char* const taken : {"stream", "limits", "values", "each"}) {
      if (words_[place] == taken) words_[place] += "_";
    }
    if (parameters[place].role == Role::Stream) words_[place] = "stream";
    if (parameters[place].role != Role::Size) continue;
    const std::string small = base::lower(parameters[place].name);
    const auto is_taken = [&](const Parameter& other) { return &other != &parameters[place] && other.name == small; };
    if (std::ranges::none_of(parameters, is_taken)) words_[place] = small;
  }
}

void Lines::add(const std::string& word, const std::string& says) { text_ += fmt::format("{:<9} {}\n", word, says); }

void Lines::add_formats(const std::map<std::string, std::size_t>& tensors) {
  std::vector<std::string> all;
  for (const auto& [tensor, place] : tensors) {
    all.push_back(fmt::format("{}={}", tensor, measured_.callee->parameters[place].format));
  }
  add("formats", fmt::format("{}", fmt::join(all, " ")));
}

void Lines::add_values(const std::map<std::string, std::string>& ranges) {
  std::vector<std::string> all;
  for (const auto& [name, range] : ranges) all.push_back(fmt::format("{} {}", name, range));
  add("values", fmt::format("{}", fmt::join(all, ", ")));
}

std::string Lines::brackets(std::size_t place) {
  std::vector<std::string> extents;
  for (const std::size_t factor : measured_.factors(place)) {
    std::string extent = words_[factor];
    while (std::ranges::find(extents, extent) != extents.end()) extent += "_again";
    if (std::ranges::find(used_, extent) == used_.end()) {
      used_.push_back(extent);
      if (extent != words_[factor]) equal_.push_back(fmt::format("{} = {}", extent, words_[factor]));
    }
    extents.push_back(extent);
  }
  const std::int64_t times = measured_.lengths.of.at(place).times;
  if (times > 1 || extents.empty()) {
    constexpr const char* kNumbers[] = {"one", "two", "three", "four"};
    const char* const word = kNumbers[times - 1];
    const std::string equal = fmt::format("{} = {}", word, times);
    extents.emplace_back(word);
    if (std::ranges::find(equal_, equal) == equal_.end()) equal_.push_back(equal);
  }
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string Lines::product(std::size_t place) const {
  std::vector<std::string> factors;
  for (const std::size_t factor : measured_.factors(place)) factors.push_back(words_[factor]);
  return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, " * "));
}

std::string Lines::count(std::size_t place) const {
  const std::int64_t times = measured_.lengths.of.at(place).times;
  return times == 1 ? product(place) : fmt::format("{} * {}", times, product(place));
}

std::string Lines::range(std::size_t place, const std::string& word) const {
  const Range& range = measured_.ranges.at(place);
  std::string text = fmt::format("{} >= {}", word, range.least);
  if (range.greatest) text += fmt::format(", {} <= {}", word, *range.greatest);
  return text;
}

std::string Lines::limits() const {
  std::vector<std::string> all;
  for (const std::size_t place : measured_.extents()) {
    if (std::ranges::find(used_, words_[place]) != used_.end()) all.push_back(range(place, words_[place]));
  }
  all.insert(all.end(), equal_.begin(), equal_.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string Lines::text() const {
  const Probe& probe = measured_.probe;
  std::vector<std::string> arguments = words_, in_launch = words_;
  for (const auto& [place, use] : measured_.lengths.uses) {
    arguments[place] = use.fixed ? std::to_string(*use.fixed) : fmt::format("{} * {}", use.times, words_[place]);
    in_launch[place] = fmt::format("({})", arguments[place]);
  }
  Probe called = probe;
  called.launch = launch_with(probe.launch, *measured_.callee, in_launch);
  std::string before;
  if (probe.treatment == Treatment::Zeroed) {
    const std::size_t place = probe.outputs.front();
    const std::string elements = count(place), times = elements == "1" ? "" : fmt::format(" * ({})", elements);
    before = fmt::format("cudaMemset({0}, 0, sizeof(*{0}){1}); ", words_[place], times);
  }
  // Inside the launch the operation's names hide a function of the same name.
  constexpr const char* kHiding[] = {"a", "b", "c", "d", "x", "y", "m", "n", "k", "batch", "rows", "columns", "stream"};
  const std::string& name = measured_.callee->name;
  const bool is_hidden = std::ranges::find(words_, name) != words_.end() ||
                         std::ranges::find(kHiding, std::string_view(name)) != std::end(kHiding);
  return text_ + fmt::format("{:<9} {}{}{};\n", "launch", before, is_hidden ? "::" : "",
                             call_of(called, *measured_.callee, arguments));
}

}  // namespace negzero::measure
