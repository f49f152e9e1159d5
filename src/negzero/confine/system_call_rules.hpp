// The system calls that a confined process may make, as rules of two libseccomp filters.

#pragma once

#include <cstdint>

#include <negzero/confine/seccomp_builder.hpp>
#include <negzero/confine/system_calls.hpp>
#include <negzero/engine/runtime_calls.hpp>

namespace negzero::confine {

/// A number that no other comparison of the filters holds; install() writes the process's own over it.
inline constexpr std::uint32_t kOwnId = 0x6e7a5049;
/// The same for the process's group, as kill() names it: its number, negated.
inline constexpr std::uint32_t kOwnGroup = 0x6e7a4752;

/// Ranges of 16 TiB are told by these bits of an address. Bits 56 to 63 count for nothing: some processors ignore them.
inline constexpr std::uint64_t kRangeMask = 0x00ff'f000'0000'0000;
/// Where device memory of a confined worker lies, and nothing else does. Systems with 47 bits of addresses map
/// downwards from the top or upwards from a third (42 TiB), and programs from two thirds (85 TiB).
inline constexpr std::uint64_t kDeviceRange = 0x1000'0000'0000;
/// In the middle of it: what begins below the range and is shorter than kMostMapped does not reach here.
inline constexpr std::uintptr_t kDevicePlace = 0x1800'0000'0000;
inline constexpr std::uint64_t kMostMapped = std::uint64_t{1} << 40;
/// Where Linux puts a program that may lie anywhere (ELF_ET_DYN_BASE): the runtime's code, and the hooks of the watch.
/// One that may not lies below 4 GiB.
#if defined(__aarch64__)
inline constexpr std::uint64_t kProgramRange = 0xa000'0000'0000;
#else
inline constexpr std::uint64_t kProgramRange = 0x5000'0000'0000;
#endif

/// Adds the rules of the filter that permits.
void permit_calls(SeccompBuilder& filter, Profile profile, std::uint64_t exec_key, const engine::RuntimeKey& runtime);
/// Adds the rules of the filter that takes away from what the first permits. The stricter answer of the two counts.
void refuse_calls(SeccompBuilder& filter, Profile profile, const engine::RuntimeKey& runtime);

}  // namespace negzero::confine
