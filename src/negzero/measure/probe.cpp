// Writes the declarations, and guesses launches of kernels that no function of their file launches.

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/measure/probe.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;

/// Launches in which published kernels cover as many results: a thread or a block for each, or a square of threads.
std::vector<std::string> launches_of(const Callee& callee) {
  if (!callee.is_kernel()) return {""};
  std::vector<std::string> sizes;
  for (const std::size_t place : callee.places_of(Role::Size)) sizes.push_back(callee.parameters[place].name);
  if (sizes.empty()) return {"1, 256"};
  const std::string& first = sizes.front();
  std::vector<std::string> result{fmt::format("({} + 255) / 256, 256", first)};
  if (sizes.size() == 1) {
    result.emplace_back("1, 256");
    result.emplace_back("1, 1024");
    return result;
  }
  const std::string& second = sizes[1];
  result.push_back(fmt::format("{}, 256", first));
  result.push_back(fmt::format("({} * {} + 255) / 256, 256", first, second));
  result.push_back(fmt::format("dim3(({} + 15) / 16, ({} + 15) / 16), dim3(16, 16)", second, first));
  return result;
}

const char* word_of(Treatment treatment) {
  switch (treatment) {
    case Treatment::Outputs:
      return "outputs";
    case Treatment::LastOutput:
      return "last";
    case Treatment::Zeroed:
      return "zeroed";
    case Treatment::InPlace:
      return "in_place";
  }
  return "";
}

bool is_name(char sign) { return std::isalnum(static_cast<unsigned char>(sign)) != 0 || sign == '_'; }

}  // namespace

std::vector<std::size_t> Probe::read() const {
  std::vector<std::size_t> result = inputs;
  if (treatment == Treatment::InPlace) result.push_back(outputs.front());
  return result;
}

std::vector<Probe> probes_of(const Callee& callee, std::size_t number) {
  if (!can_be_measured(callee)) return {};
  std::vector<std::size_t> constant, written;
  for (const std::size_t place : callee.places_of(Role::Pointer)) {
    (callee.parameters[place].is_const ? constant : written).push_back(place);
  }
  std::vector<Treatment> treatments{Treatment::Outputs, Treatment::Zeroed, Treatment::InPlace};
  if (written.size() > 1) treatments.insert(treatments.begin() + 1, Treatment::LastOutput);
  std::vector<Probe> result;
  std::size_t launches = 0;
  for (const std::string& launch : launches_of(callee)) {
    for (const Treatment treatment : treatments) {
      Probe probe{.kernel = fmt::format("probe.c{}.{}.l{}", number, word_of(treatment), launches),
                  .callee = number,
                  .treatment = treatment,
                  .launch = launch,
                  .inputs = constant,
                  .outputs = written};
      if (treatment != Treatment::Outputs) {
        probe.inputs.insert(probe.inputs.end(), written.begin(), written.end() - 1);
        std::ranges::sort(probe.inputs);
        probe.outputs = {written.back()};
      }
      result.push_back(std::move(probe));
    }
    ++launches;
  }
  return result;
}

std::string declaration_of(const Probe& probe, const Callee& callee) {
  std::vector<std::string> inputs, outputs, formats, arguments(callee.parameters.size());
  const std::vector<std::size_t> with_extent = sizes_with_extent(callee);
  for (const std::size_t place : probe.outputs) outputs.push_back(fmt::format("p{0}[l{0}]", place));
  if (probe.treatment == Treatment::InPlace) inputs.push_back(fmt::format("q{0}[l{0}]", probe.outputs.front()));
  for (const std::size_t place : probe.inputs) inputs.push_back(fmt::format("p{0}[l{0}]", place));
  for (std::size_t place = 0; place < callee.parameters.size(); ++place) {
    const Parameter& each = callee.parameters[place];
    switch (each.role) {
      case Role::Pointer:
        arguments[place] = fmt::format("reinterpret_cast<{}*>(p{})", each.type, place);
        formats.push_back(fmt::format("p{}={}", place, each.format));
        break;
      case Role::Size:
        if (std::ranges::find(with_extent, place) == with_extent.end()) {
          arguments[place] = fmt::format("static_cast<{}>(f{})", each.type, place);
          inputs.push_back(fmt::format("f{}", place));
          break;
        }
        arguments[place] = fmt::format("static_cast<{}>(s{})", each.type, place);
        inputs.push_back(fmt::format("z{0}[s{0}]", place));
        formats.push_back(fmt::format("z{}=I32", place));
        break;
      case Role::Stream:
        arguments[place] = "stream";
        break;
      default:
        arguments[place] = fmt::format("static_cast<{}>(f{})", each.type, place);
        inputs.push_back(fmt::format("f{}", place));
    }
  }
  if (probe.treatment == Treatment::InPlace) {
    const std::size_t place = probe.outputs.front();
    formats.push_back(fmt::format("q{}={}", place, callee.parameters[place].format));
  }
  std::string text = fmt::format("kernel    {0}\noperation {0}: {1} <- {2}\nformats   {3}\n", probe.kernel,
                                 fmt::join(outputs, ", "), fmt::join(inputs, ", "), fmt::join(formats, " "));
  if (probe.treatment == Treatment::InPlace) text += fmt::format("in_place  q{}\n", probe.outputs.front());
  std::string before;
  if (probe.treatment == Treatment::Zeroed) {
    const std::size_t place = probe.outputs.front();
    before = fmt::format("cudaMemset(p{0}, 0, sizeof(*p{0}) * static_cast<std::size_t>(l{0})); ", place);
  }
  std::vector<std::string> sizes(callee.parameters.size());
  for (const std::size_t place : callee.places_of(Role::Size)) {
    const bool has_extent = std::ranges::find(with_extent, place) != with_extent.end();
    sizes[place] = has_extent ? fmt::format("s{}", place) : fmt::format("static_cast<int>(f{})", place);
  }
  Probe called = probe;
  called.launch = launch_with(probe.launch, callee, sizes);
  return text + fmt::format("launch    {}{};\n", before, call_of(called, callee, arguments));
}

std::string call_of(const Probe& probe, const Callee& callee, std::span<const std::string> arguments) {
  const std::string launch = callee.is_kernel() ? fmt::format("<<<{}>>>", probe.launch) : "";
  return fmt::format("{}{}({})", callee.name, launch, fmt::join(arguments, ", "));
}

std::string launch_with(const std::string& launch, const Callee& callee, std::span<const std::string> names) {
  std::string result;
  for (std::size_t begin = 0; begin < launch.size();) {
    std::size_t end = begin;
    while (end < launch.size() && is_name(launch[end])) ++end;
    std::string word = launch.substr(begin, end - begin);
    for (const std::size_t place : callee.places_of(Role::Size)) {
      if (callee.parameters[place].name == word) {
        word = names[place];
        break;
      }
    }
    result += word;
    if (end < launch.size()) result += launch[end];
    begin = end + 1;
  }
  return result;
}

}  // namespace negzero::measure
