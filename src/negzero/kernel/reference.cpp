// References as data: JSON, what may be wrong with them, and words.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/base/nearest.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/kernel/reference.hpp>
#include <negzero/notation/index_words.hpp>
#include <negzero/operation/by_name_members.hpp>

template class negzero::operation::ByName<negzero::kernel::ErrorBound>;

namespace negzero::kernel {

namespace {

using base::usage_error;
using files::require_known;
using notation::Role;
using notation::Signature;
using notation::TensorSignature;
using Json = nlohmann::ordered_json;

constexpr std::string_view kAny = "any", kSame = "same";

ErrorBound bound_of(const std::string& output, const nlohmann::json& json) {
  if (json.is_string()) {
    if (json.get<std::string>() == kAny) return {.any = true};
    throw std::invalid_argument("the error of " + output + " is " + json.dump() + ", and no object nor \"any\"");
  }
  require_known(json, "the error of " + output, {"ulps", "relative"});
  ErrorBound bound;
  if (json.contains("ulps")) {
    if (!json.at("ulps").is_number_unsigned()) {
      throw std::invalid_argument("ulps of " + output + " is " + json.at("ulps").dump() +
                                  ", and no whole number from 0");
    }
    bound.ulps = json.at("ulps").get<std::uint64_t>();
  }
  if (json.contains("relative")) bound.relative = json.at("relative").get<double>();
  return bound;
}

std::vector<std::string> names_of(const Signature& signature, bool outputs) {
  std::vector<std::string> names;
  for (const TensorSignature& tensor : signature.tensors) {
    if ((tensor.role == Role::Output) == outputs) names.push_back(tensor.name);
  }
  return names;
}

/// "x[rows, columns] < bins", for comparison and for messages.
std::string text_of(const Signature& signature, const TensorSignature& tensor) {
  std::vector<std::string_view> extents;
  for (const std::size_t extent : tensor.extents) extents.emplace_back(signature.extents[extent]);
  std::string text = fmt::format("{}{}[{}]", tensor.name, tensor.is_optional ? "?" : "", fmt::join(extents, ", "));
  if (tensor.index_below) text += " < " + signature.extents[*tensor.index_below];
  if (tensor.counts_of) text += " <= " + signature.extents[*tensor.counts_of];
  return text;
}

/// Whether indices of a kernel's cases may break what a reference's line says of them.
bool asks_more(const TensorSignature& reference, const TensorSignature& kernel) {
  const notation::IndexWords &asked = reference.words, &kept = kernel.words;
  const bool is_distinct = asked.distinct <= kept.distinct ||
                           (kept.is_permutation && asked.distinct == notation::IndexWords::DistinctIn::Row);
  return (reference.is_ascending && !kernel.is_ascending) || !is_distinct ||
         (asked.is_permutation && !kept.is_permutation) || (asked.starts_at_zero && !kept.starts_at_zero) ||
         (asked.ends_at_bound && !kept.ends_at_bound) || (kept.has_none && !asked.has_none);
}

}  // namespace

std::string scale_name(std::string_view output) { return std::string(output) + "_scale"; }

Json reference_json(const Reference& reference) {
  Json json{{"kernel", reference.kernel}};
  for (const auto& [output, bound] : reference.errors) {
    if (bound.any) {
      json["errors"][output] = kAny;
      continue;
    }
    Json& error = json["errors"][output] = Json::object();
    if (bound.ulps > 0) error["ulps"] = bound.ulps;
    if (bound.relative > 0) error["relative"] = bound.relative;
  }
  if (!reference.nan) json["nan"] = kAny;
  if (reference.zero_signs) json["zero_signs"] = true;
  return json;
}

Reference reference_of(const nlohmann::json& json) {
  require_known(json, "reference", {"kernel", "errors", "nan", "zero_signs"});
  Reference reference{.kernel = json.at("kernel").get<std::string>()};
  if (json.contains("errors")) {
    for (const auto& [output, said] : json.at("errors").items()) reference.errors[output] = bound_of(output, said);
  }
  if (json.contains("nan")) {
    const auto word = json.at("nan").get<std::string>();
    if (word != kSame && word != kAny) throw std::invalid_argument("nan \"" + word + "\" is none of same, any");
    reference.nan = word == kSame;
  }
  if (json.contains("zero_signs")) reference.zero_signs = json.at("zero_signs").get<bool>();
  return reference;
}

base::Status validate(const Reference& reference, const Signature& signature) {
  if (!reference.exists()) {
    if (reference == Reference{}) return base::Ok{};
    return usage_error("reference: errors without a kernel; name the kernel that gives what is right");
  }
  if (!signature.is_declared) {
    return usage_error(
        fmt::format("reference: {} ships, and its contract says what is right; leave it out", signature.name));
  }
  const std::vector<std::string> outputs = names_of(signature, true);
  for (const auto& [output, bound] : reference.errors) {
    if (std::ranges::find(outputs, output) == outputs.end()) {
      return usage_error(fmt::format("reference: {} has no output {}; {}it has {}", signature.name, output,
                                     base::did_you_mean(output, outputs), fmt::join(outputs, ", ")));
    }
    if (std::isfinite(bound.relative) && bound.relative >= 0) continue;
    return usage_error(fmt::format("reference: the relative error {} of {}: a number from 0", bound.relative, output));
  }
  const auto is_any = [&](const std::string& output) { return reference.errors[output].any; };
  if (std::ranges::all_of(outputs, is_any)) {
    return usage_error("reference: every output may be anything; leave it out, and the values are not judged");
  }
  return base::Ok{};
}

base::Status validate_line(const Reference& reference, const Signature& signature, const Signature& line) {
  const auto fail = [&](const std::string& why) {
    return usage_error(fmt::format("reference {} of {}: {}", reference.kernel, signature.name, why));
  };
  const auto wanted = [&](const std::string& name) { return line.find_tensor(name); };
  std::vector<std::string> expected;  // Tensors of the reference.
  for (const TensorSignature& tensor : signature.tensors) {
    expected.push_back(tensor.name);
    const auto place = wanted(tensor.name);
    if (!place) return fail(fmt::format("its line has no {}; it is '{}'", tensor.name, line.identity()));
    const std::string own = text_of(signature, tensor), other = text_of(line, line.tensors[*place]);
    if (own != other || (line.tensors[*place].role == Role::Output) != (tensor.role == Role::Output)) {
      return fail(fmt::format("it has {}, and the kernel {}", other, own));
    }
    if (tensor.role != Role::Output && asks_more(line.tensors[*place], tensor)) {
      return fail(
          fmt::format("its line says '{}{}', which cases of the kernel, '{}{}', may break; give both the same words",
                      other, words_text(line, line.tensors[*place]), own, words_text(signature, tensor)));
    }
    if (tensor.role != Role::Output || reference.errors[tensor.name].relative == 0) continue;
    const auto scale = wanted(scale_name(tensor.name));
    const bool is_alike = scale && line.tensors[*scale].role == Role::Output &&
                          line.tensors[*scale].extents == line.tensors[*place].extents;
    if (!is_alike) {
      return fail(
          fmt::format("the error of {} is relative to a scale, which the reference must give as an output {} of "
                      "the same extents",
                      tensor.name, scale_name(tensor.name)));
    }
    expected.push_back(scale_name(tensor.name));
  }
  for (const TensorSignature& tensor : line.tensors) {
    if (std::ranges::find(expected, tensor.name) != expected.end()) continue;
    return fail(fmt::format("it has {}, which is nothing of the kernel's", text_of(line, tensor)));
  }
  std::vector<std::string> own, other;
  const auto text_of_scalar = [](const notation::ScalarSignature& scalar) {
    return scalar.is_whole() ? fmt::format("{} {}", scalar.name, word_of(scalar.kind)) : scalar.name;
  };
  for (const auto& scalar : signature.scalars) own.push_back(text_of_scalar(scalar));
  for (const auto& scalar : line.scalars) other.push_back(text_of_scalar(scalar));
  std::ranges::sort(own);
  std::ranges::sort(other);
  if (own != other) {
    return fail(fmt::format("it takes the scalars {{{}}}, and the kernel {{{}}}", fmt::join(other, ", "),
                            fmt::join(own, ", ")));
  }
  return base::Ok{};
}

std::string line_for(const Reference& reference, const Signature& signature) {
  std::string scales;
  for (const TensorSignature& tensor : signature.tensors) {
    if (tensor.role != Role::Output || reference.errors[tensor.name].relative == 0) continue;
    TensorSignature scale{.name = scale_name(tensor.name), .extents = tensor.extents};
    scales += ", " + text_of(signature, scale);
  }
  const std::size_t sign = signature.definition.find(" <-");
  return signature.name + ".reference: " + signature.definition.substr(0, sign) + scales +
         signature.definition.substr(sign);
}

std::string describe(const Reference& reference, const Signature& signature) {
  std::vector<std::string> parts;
  const std::vector<std::string> outputs = names_of(signature, true);
  for (const std::string& output : outputs) {
    const ErrorBound bound = reference.errors[output];
    const std::string name = outputs.size() == 1 ? "" : output + " ";
    if (bound.any) {
      parts.push_back(name + "any");
      continue;
    }
    std::string text = fmt::format("{}within {} ulp", name, bound.ulps);
    if (bound.relative > 0) text += fmt::format(" and {} of {}", bound.relative, scale_name(output));
    parts.push_back(std::move(text));
  }
  return fmt::format("{} of {}{}{}", fmt::join(parts, ", "), reference.kernel,
                     reference.nan ? "" : ", anything where that is NaN",
                     reference.zero_signs ? ", zeros of its sign" : "");
}

}  // namespace negzero::kernel
