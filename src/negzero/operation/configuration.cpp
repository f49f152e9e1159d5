// A kernel's configuration: what it may be, what a launch gets of it, and simpler ones.

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/files/strict_json.hpp>
#include <negzero/operation/by_name_members.hpp>
#include <negzero/operation/configuration.hpp>

namespace negzero::operation {

namespace {

using Reason = std::optional<std::string>;
using Values = std::vector<std::int64_t>;

/// Most earlier values of an option that each_simpler() tries all; of more, every second one of what is left, so that
/// a list of 4096 values costs a dozen runs.
constexpr std::size_t kMostTried = 32;

Reason wrong_name(std::string_view name) {
  if (is_option_name(name)) return std::nullopt;
  return fmt::format("option {}: a name is 1 to {} of a-z, 0-9 and _, and begins with a letter", files::in_quotes(name),
                     kMostOptionName);
}

Reason wrong_values(std::string_view name, const Values& values) {
  if (values.empty()) return fmt::format("option {} has no values; give at least one, the default first", name);
  if (values.size() > kMostOptionValues) {
    return fmt::format("option {} has {} values; at most {}", name, values.size(), kMostOptionValues);
  }
  Values sorted = values;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) return fmt::format("option {} has the value {} twice", name, *twice);
  return std::nullopt;
}

/// How many options there are, where that is too many.
Reason too_many(std::size_t options) {
  if (options <= kMostOptions) return std::nullopt;
  return fmt::format("{} options; at most {}", options, kMostOptions);
}

/// The place of a value in an option's list; nothing where the kernel has no such option, or no such value.
std::optional<std::size_t> place_of(const Values* values, std::int64_t value) {
  if (values == nullptr) return std::nullopt;
  const auto found = std::ranges::find(*values, value);
  return found == values->end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - values->begin()));
}

}  // namespace

template class ByName<std::vector<std::int64_t>>;

bool is_option_name(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= kMostOptionName && is_letter(name.front()) && std::ranges::all_of(name, fits);
}

Reason wrong_options(const Options& options) {
  std::size_t count = 0;
  for (const auto& [name, values] : options) {
    if (Reason reason = wrong_name(name)) return reason;
    if (Reason reason = wrong_values(name, values)) return reason;
    ++count;
  }
  return too_many(count);
}

Reason wrong_configuration(const Configuration& configuration) {
  for (const auto& [name, value] : configuration) {
    if (Reason reason = wrong_name(name)) return reason;
  }
  return too_many(configuration.size());
}

Reason outside(const Options& options, const Configuration& configuration) {
  for (const auto& [name, value] : configuration) {
    const Values* const values = options.find(name);
    if (values == nullptr || place_of(values, value)) continue;
    return fmt::format("option {} = {} is none of {}", name, value, values_text(*values));
  }
  return std::nullopt;
}

Configuration whole(const Options& options, const Configuration& configuration) {
  Configuration result;
  for (const auto& [name, values] : options) {
    const auto said = configuration.find(name);
    result.emplace_hint(result.end(), name, said != configuration.end() ? said->second : values.front());
  }
  return result;
}

Configuration accepted(const Options& options, const Configuration& configuration) {
  Configuration result;
  for (const auto& [name, value] : configuration) {
    if (place_of(options.find(name), value).value_or(0) != 0) result.emplace_hint(result.end(), name, value);
  }
  return result;
}

void set_option(Configuration& configuration, const Options& options, std::string_view name, std::int64_t value) {
  if (place_of(options.find(name), value) == 0) {
    configuration.erase(std::string(name));
  } else {
    configuration[std::string(name)] = value;
  }
}

std::uint64_t complexity(const Options& options, const Configuration& configuration) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : configuration) sum += 1 + place_of(options.find(name), value).value_or(0);
  return sum;
}

bool each_simpler(const Options& options, const Configuration& configuration,
                  const std::function<bool(Configuration)>& use) {
  if (configuration.size() > 1 && !use({})) return false;
  for (const auto& [name, value] : configuration) {
    Configuration simpler = configuration;
    simpler.erase(name);
    if (!use(std::move(simpler))) return false;
    const Values* const values = options.find(name);
    const std::size_t place = place_of(values, value).value_or(0);
    // Of a long list the first half of the way is left out, then a quarter of it, and so on, down to one step.
    for (std::size_t back = place == 0 ? 0 : place - 1; back > 0; back = place <= kMostTried ? back - 1 : back / 2) {
      simpler = configuration;
      simpler[name] = (*values)[place - back];
      if (!use(std::move(simpler))) return false;
    }
  }
  return true;
}

std::string describe(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::string values_text(const Values& values) {
  constexpr std::size_t kMostShown = 8;
  if (values.empty()) return "no values";
  const auto is_step = [&](std::size_t i) { return values[i] > values[i - 1] && values[i] - 1 == values[i - 1]; };
  std::size_t steps = 1;
  while (steps < values.size() && is_step(steps)) ++steps;
  if (steps == values.size() && steps > 2) return fmt::format("{} to {}", values.front(), values.back());
  if (values.size() == 1) return fmt::format("{}", values.front());
  if (values.size() > kMostShown) {
    const auto first = std::span(values).first(kMostShown - 1);
    return fmt::format("{} ... or {} ({} values)", fmt::join(first, ", "), values.back(), values.size());
  }
  const auto first = std::span(values).first(values.size() - 1);
  return fmt::format("{} or {}", fmt::join(first, ", "), values.back());
}

}  // namespace negzero::operation
