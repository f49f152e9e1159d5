// Names of a signature, and how many of what it may have.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/notation/line_parser.hpp>

namespace negzero::notation {

std::size_t LineParser::new_extent(const std::string& name) {
  signature_.extents.push_back(name);
  return signature_.extents.size() - 1;
}

Expression LineParser::new_scalar(std::string name) {
  const auto same = [&](const ScalarSignature& scalar) { return scalar.name == name; };
  if (std::ranges::any_of(signature_.scalars, same)) line_.fail(fmt::format("scalar {} appears twice", name));
  signature_.scalars.push_back({std::move(name)});
  return {.kind = Expression::Kind::Scalar, .which = signature_.scalars.size() - 1};
}

void LineParser::check() const {
  const auto most = [](std::size_t count, std::size_t limit, std::string_view what) {
    if (count > limit) throw Mistake{fmt::format("{} {}, and at most {} are allowed", count, what, limit)};
  };
  most(signature_.name.size(), kMostOperationName, "letters in the name");
  most(signature_.extents.size(), kMostExtents, "extents");
  most(signature_.tensors.size(), kMostTensors, "tensors");
  most(signature_.scalars.size(), kMostScalars, "scalars");
  for (const std::string& extent : signature_.extents)
    most(extent.size(), kMostTensorName, "letters in extent " + extent);
  for (const ScalarSignature& scalar : signature_.scalars) {
    most(scalar.name.size(), kMostTensorName, "letters in scalar " + scalar.name);
  }
  for (std::size_t i = 0; i < signature_.tensors.size(); ++i) {
    const TensorSignature& tensor = signature_.tensors[i];
    most(tensor.extents.size(), kMostDimensions, "dimensions of tensor " + tensor.name);
    most(tensor.name.size(), kMostTensorName, "letters in tensor " + tensor.name);
    const auto same = [&](const ScalarSignature& scalar) { return scalar.name == tensor.name; };
    if (*signature_.find_tensor(tensor.name) != i || std::ranges::any_of(signature_.scalars, same)) {
      throw Mistake{fmt::format("tensor {} appears twice", tensor.name)};
    }
  }
}

}  // namespace negzero::notation
