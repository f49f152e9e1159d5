// Recorded outputs of a case, and its permitted sets, as safetensors.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::judgement {

/// The case's outputs in their order, taken from an archive that has each by its name. Other tensors may be there.
/// Usage errors name an output that is missing, or has another dtype or shape than the case's.
[[nodiscard]] base::Result<std::vector<tensor::Tensor>> outputs_of(const operation::Case& value,
                                                                   files::Archive archive);

/// Bits of NAME.flags.
enum Permission : std::uint32_t {
  kNumbers = 1,  ///< numbers are permitted
  kNan = 2,
  kPlusInfinity = 4,
  kMinusInfinity = 8,
  kPlusZero = 16,  ///< of a zero that lies in [low, high]
  kMinusZero = 32,
  kWithGaps = 64,  ///< not every number in [low, high]
  kVacuous = 128,  ///< the set is too wide to reject garbage
};

/// The permitted set of every element, `threads` at once: for each output `d` the tensors d.low and d.high (its format,
/// +0 where no number is permitted) and d.flags (I32, Permission). Errors are the oracle's.
[[nodiscard]] base::Result<files::Archive> permitted_sets(const operation::Case& value,
                                                          const contract::Contract& contract, std::size_t threads);

/// The least and the greatest permitted number; nothing where none is permitted.
struct Ends {
  std::uint64_t low = 0, high = 0;
};
[[nodiscard]] std::optional<Ends> ends_of(const oracle::Permitted& permitted);

}  // namespace negzero::judgement
