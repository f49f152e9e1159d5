// A case as a file: safetensors, with what is no tensor as metadata.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::case_file {

/// The version that write() writes, and the only one that parse() reads.
inline constexpr std::string_view kVersion = "1";

/// The file's bytes; equal cases give equal bytes. Requires a valid case.
///
/// A safetensors file with the tensors packed and these strings as metadata; empty texts and lists are left out:
///
///     negzero    1
///     operation  {"extents":{"batch":1,"k":2,"m":1,"n":1},"formats":{"a":"F16","b":"F16","d":"F32"},"name":"gemm"}
///     scalars    {"alpha":{"bits":"0x3f800000","format":"F32"},"beta":...}                    (where it has some)
///     layout     {"a":{"offset":0,"shape":[1,1,2],"strides":[2,2,1]},...,"d":...}
///     in_place   c                            (where that input lies in the first output's memory)
///     configuration  {"algorithm":2}          (options that are not the kernel's default, where there are some)
///     poison     nan
///     schedule   {"order":"forward","preempt":false,"seed":"0"}
///     history    [{"contents":"other","seed":"7","shape":"same","storage":"same","times":1},...]
///     seed       18446744073709551615        index  7        (64-bit numbers are decimal text)
///     kernel, contract, strategy             text as it is
///     expect     [{"class":"wrong_value","executor":"*","kernel":"faulty.g8.k_tail","verdict":"fail"},...]
///                (and "needs", what a program without the kernel lacks: "--kernels systems/x/kernels.py")
///     found      one such entry
[[nodiscard]] std::vector<std::byte> write(const operation::Case& value);
/// Reads and validates; never undefined behaviour, whatever the bytes. Keys that may be missing get the defaults of
/// operation::Case, layouts packed ones. Unknown keys are kept, but a field inside a known key that this version does
/// not know is an error, as it could change the case's meaning. Errors are usage errors.
[[nodiscard]] base::Result<operation::Case> parse(std::span<const std::byte> file);
/// parse() of a file; errors name the path and a cure. A file that is not there or is no case is a usage error.
[[nodiscard]] base::Result<operation::Case> load(const std::string& path);
/// Validates, then writes the file at once or not at all; errors name the path. A case that is not valid is a usage
/// error, a place that cannot be written an infrastructure error.
[[nodiscard]] base::Status save(const std::string& path, const operation::Case& value);

}  // namespace negzero::case_file
