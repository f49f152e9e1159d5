// The reference has the same extents and inputs, all in F64, and the scale of the error beside the output.

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/measure/reference_lines.hpp>

namespace negzero::measure {

ReferenceLines::ReferenceLines(const Measured& measured, std::string name, std::vector<std::size_t> inputs)
    : measured_(measured),
      name_(std::move(name)),
      inputs_(std::move(inputs)),
      output_(measured.probe.outputs.front()),
      lines_(measured, name_) {}

void ReferenceLines::begin(bool has_reference, const std::string& range, const std::vector<std::string>& scalars) {
  const Probe& probe = measured_.probe;
  std::vector<std::string> outputs, sources, inputs;
  std::map<std::string, std::size_t> formats;
  for (const std::size_t place : probe.outputs) {
    outputs.push_back(lines_.word(place) + lines_.brackets(place));
    formats[lines_.word(place)] = place;
  }
  for (const std::size_t place : inputs_) {
    const bool is_in_place = probe.treatment == Treatment::InPlace && place == output_;
    const std::string word = lines_.word(place) + (is_in_place ? "_before" : "");
    sources.push_back(word + lines_.brackets(place));
    arguments_.push_back(word);
    if (!measured_.parameter(place).is_integer()) inputs.push_back(word);
    formats[word] = place;
  }
  std::map<std::string, std::string> values;
  for (const std::string& input : inputs) values[input] = range;
  std::size_t number = 0;
  for (const std::size_t place : measured_.callee->places_of(Parameter::Role::Number)) {
    sources.push_back(lines_.word(place));
    arguments_.push_back(lines_.word(place));
    if (number < scalars.size() && !scalars[number].empty()) values[lines_.word(place)] = scalars[number];
    ++number;
  }
  sources_ = fmt::format("{}", fmt::join(sources, ", "));
  lines_.add("operation", fmt::format("{}: {} <- {}", name_, fmt::join(outputs, ", "), sources_));
  lines_.add_formats(formats);
  if (const std::string limits = lines_.limits(); !limits.empty()) lines_.add("limits", limits);
  if (!values.empty()) lines_.add_values(values);
  if (probe.treatment == Treatment::InPlace) lines_.add("in_place", lines_.word(output_) + "_before");
  if (has_reference) lines_.add("reference", name_ + ".reference");
}

std::string ReferenceLines::reference_format(std::size_t place) const {
  const Parameter& parameter = measured_.parameter(place);
  return parameter.is_integer() ? parameter.format : "F64";
}

std::string ReferenceLines::text(const std::string& function, const std::string& sizes, const std::string& range,
                                 const std::string& error, const std::vector<std::string>& scalars) {
  begin(true, range, scalars);
  const std::string y = lines_.word(output_);
  lines_.add("error", fmt::format("{} {}", y, error));
  const std::string brackets = lines_.brackets(output_);
  const bool has_scale = error.find("relative") != std::string::npos;
  std::string formats = fmt::format("{}={}", y, reference_format(output_));
  if (has_scale) formats += fmt::format(" {}_scale=F64", y);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    formats += fmt::format(" {}={}", arguments_[i], reference_format(inputs_[i]));
  }
  const std::string outputs = has_scale ? fmt::format("{0}{1}, {0}_scale{1}", y, brackets) : y + brackets;
  std::string text = fmt::format("kernel    {0}.reference\noperation {0}.reference: {1} <- {2}\nformats   {3}\n", name_,
                                 outputs, sources_, formats);
  if (const std::string limits = lines_.limits(); !limits.empty()) text += fmt::format("limits    {}\n", limits);
  text += fmt::format("launch    negzero::reference::{}<<<1, 1>>>({}, {}, {}, {});\n\n", function, y,
                      has_scale ? y + "_scale" : "nullptr", sizes, fmt::join(arguments_, ", "));
  return text + lines_.text();
}

std::string ReferenceLines::without_reference() {
  // Negative numbers are out of the domain of much that works in place, as of shortest paths.
  begin(false, "0..", {});
  lines_.add("#", "Without a reference values are not judged: memory, races, hangs and crashes are.");
  return lines_.text();
}

}  // namespace negzero::measure
