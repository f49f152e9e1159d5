// Names extents after the author's parameters, in small letters where nothing else has that name.

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/measure/lines.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char sign) { return std::tolower(sign); });
  return text;
}

}  // namespace

Lines::Lines(const Measured& measured, const std::string& name)
    : measured_(measured), text_(fmt::format("kernel    {}\n", name)), words_(measured.callee->parameters.size()) {
  const std::vector<Parameter>& parameters = measured.callee->parameters;
  for (std::size_t place = 0; place < parameters.size(); ++place) {
    words_[place] = parameters[place].name;
    if (parameters[place].role != Role::Size) continue;
    const std::string small = lower(parameters[place].name);
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

void Lines::add_values(const std::vector<std::string>& inputs, const std::string& range) {
  std::vector<std::string> all;
  for (const std::string& input : inputs) all.push_back(fmt::format("{} {}", input, range));
  add("values", fmt::format("{}", fmt::join(all, ", ")));
}

std::string Lines::brackets(std::size_t place) {
  std::vector<std::string> extents;
  for (const std::size_t factor : measured_.lengths.at(place).factors) {
    std::string extent = words_[factor];
    while (std::ranges::find(extents, extent) != extents.end()) extent += "_again";
    if (std::ranges::find(used_, extent) == used_.end()) {
      used_.push_back(extent);
      if (extent != words_[factor]) equal_.push_back(fmt::format("{} = {}", extent, words_[factor]));
    }
    extents.push_back(extent);
  }
  if (extents.empty()) {
    extents.emplace_back("one");
    if (std::ranges::find(equal_, "one = 1") == equal_.end()) equal_.emplace_back("one = 1");
  }
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string Lines::count(std::size_t place) const {
  std::vector<std::string> factors;
  for (const std::size_t factor : measured_.lengths.at(place).factors) factors.push_back(words_[factor]);
  return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, " * "));
}

std::string Lines::limits() const {
  std::vector<std::string> all;
  for (const std::string& extent : used_) {
    const auto is_its = [&](const std::string& equal) { return equal.starts_with(extent + " "); };
    if (std::ranges::none_of(equal_, is_its)) all.push_back(extent + " >= 1");
  }
  all.insert(all.end(), equal_.begin(), equal_.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string Lines::text() const {
  const Probe& probe = measured_.probe;
  Probe called = probe;
  called.launch = launch_with(probe.launch, *measured_.callee, words_);
  std::string before;
  if (probe.treatment == Treatment::Zeroed) {
    const std::size_t place = probe.outputs.front();
    before = fmt::format("cudaMemset({0}, 0, sizeof(*{0}) * ({1})); ", words_[place], count(place));
  }
  return text_ + fmt::format("{:<9} {}{};\n", "launch", before, call_of(called, *measured_.callee, words_));
}

}  // namespace negzero::measure
