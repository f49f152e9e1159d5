// What a reference permits of each element, as sets: for those who show a case without running it through a judge.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::property {

/// Returns the permitted set of each element of an output, by what the reference gave for case_for_reference(): those
/// and no other words are what judge_by_reference() accepts. An element that does not count may be anything, and so may
/// one whose scale is infinite. Requires outputs of a reference that ended well, with scales that are not negative.
[[nodiscard]] std::vector<oracle::Permitted> permitted_by_reference(const operation::Case& value,
                                                                    const contract::Contract& contract,
                                                                    const kernel::Kernel& kernel, std::size_t output,
                                                                    const operation::Case& reference_case,
                                                                    std::span<const tensor::Tensor> reference_outputs);

/// Returns the set of all encodings of a format.
[[nodiscard]] oracle::Permitted anything(number::FormatId format);

}  // namespace negzero::property
