// What a case of a declared operation is held to, whose values no oracle knows.

#pragma once

#include <span>

#include <negzero/operation/case.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// The verdict on outputs: NotJudged, or Fail by rule declared.bound where an output of indices holds one that is none
/// of the extent that bounds it, or by rule declared.words where it has one twice. Elements that do not count are not
/// looked at. Requires a declared operation.
[[nodiscard]] verdict::Verdict judge_declared(const operation::Case& value, std::span<const tensor::Tensor> outputs);

}  // namespace negzero::property
