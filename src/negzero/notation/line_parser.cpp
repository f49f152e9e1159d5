// Names of a signature, and how many of what it may have.

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <negzero/notation/line_parser.hpp>

namespace negzero::notation {

std::size_t LineParser::new_extent(const std::string& name, std::size_t place) {
  signature_.extents.push_back(name);
  extent_places_.push_back(place);
  return signature_.extents.size() - 1;
}

Expression LineParser::new_scalar(std::string name) {
  const auto same = [&](const ScalarSignature& scalar) { return scalar.name == name; };
  if (std::ranges::any_of(signature_.scalars, same)) line_.fail(fmt::format("scalar {} appears twice", name));
  signature_.scalars.push_back({std::move(name)});
  scalar_places_.push_back(line_.word_place());
  return {.kind = Expression::Kind::Scalar, .which = signature_.scalars.size() - 1};
}

void LineParser::fail_at(const TensorSignature& tensor, std::string what) const {
  const auto place = tensor_places_.find(tensor.name);
  throw Mistake{std::move(what), place == tensor_places_.end() ? std::nullopt : std::optional(place->second)};
}

void LineParser::check() const {
  const auto too_many = [](std::size_t count, std::size_t limit, std::string_view what) {
    return fmt::format("{} {}, and at most {} are allowed", count, what, limit);
  };
  const std::string& name = signature_.name;
  const std::vector<std::string>& extents = signature_.extents;
  const std::vector<TensorSignature>& tensors = signature_.tensors;
  const std::vector<ScalarSignature>& scalars = signature_.scalars;
  if (name.size() > kMostOperationName) {
    throw Mistake{too_many(name.size(), kMostOperationName, "letters in the name"), 0};
  }
  std::vector<std::size_t> own, parameters;  ///< their places in the line
  for (std::size_t i = 0; i < extents.size(); ++i) {
    (signature_.is_parameter(i) ? parameters : own).push_back(extent_places_[i]);
  }
  if (own.size() > kMostOwnExtents) {
    throw Mistake{too_many(own.size(), kMostOwnExtents, "extents"), own[kMostOwnExtents]};
  }
  if (parameters.size() > kMostParameters) {
    throw Mistake{too_many(parameters.size(), kMostParameters, "parameters"), parameters[kMostParameters]};
  }
  if (tensors.size() > kMostTensors) {
    std::vector<std::size_t> places;
    for (const auto& [tensor, place] : tensor_places_) places.push_back(place);
    std::ranges::sort(places);
    throw Mistake{too_many(tensors.size(), kMostTensors, "tensors"),
                  places[std::min(kMostTensors, places.size() - 1)]};  // fewer where names appear twice
  }
  if (scalars.size() > kMostScalars) {
    throw Mistake{too_many(scalars.size(), kMostScalars, "scalars"), scalar_places_[kMostScalars]};
  }
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].size() <= kMostTensorName) continue;
    throw Mistake{too_many(extents[i].size(), kMostTensorName, "letters in extent " + extents[i]), extent_places_[i]};
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::string& scalar = scalars[i].name;
    if (scalar.size() <= kMostTensorName) continue;
    throw Mistake{too_many(scalar.size(), kMostTensorName, "letters in scalar " + scalar), scalar_places_[i]};
  }
  const auto relates = [&](const std::string& other) {
    return std::ranges::any_of(signature_.relations, [&](const Relation& relation) {
      const std::vector<std::string> names = relation.names();
      return std::ranges::find(names, other) != names.end();
    });
  };
  static constexpr const char* kRelated =
      "{} is a {}, and relations are between extents; give one of them another name";
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (relates(scalars[i].name)) throw Mistake{fmt::format(kRelated, scalars[i].name, "scalar"), scalar_places_[i]};
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorSignature& tensor = tensors[i];
    const auto named = signature_.find_extent(tensor.name);
    if (named && signature_.is_parameter(*named)) fail_at(tensor, fmt::format(kRelated, tensor.name, "tensor"));
    if (tensor.extents.size() > kMostDimensions) {
      fail_at(tensor, too_many(tensor.extents.size(), kMostDimensions, "dimensions of tensor " + tensor.name));
    }
    if (tensor.name.size() > kMostTensorName) {
      fail_at(tensor, too_many(tensor.name.size(), kMostTensorName, "letters in tensor " + tensor.name));
    }
    const auto same = [&](const ScalarSignature& scalar) { return scalar.name == tensor.name; };
    if (*signature_.find_tensor(tensor.name) != i || std::ranges::any_of(scalars, same)) {
      fail_at(tensor, fmt::format("tensor {} appears twice", tensor.name));
    }
  }
}

}  // namespace negzero::notation
