// The table of sticky errors.

#include <algorithm>

#include <negzero/device/error.hpp>

namespace negzero::device {

namespace {

// An illegal address, a launch timeout, an assertion, a stack error, an illegal instruction, a misaligned address, an
// address space or program counter that is wrong, an exception that is none of these, and a leak of tensor memory.
constexpr int kKernels[] = {700, kLaunchTimeout, 710, 714, 715, 716, 717, 718, 719, 721};
// An ECC error that cannot be corrected, an NVLink error, a contained hardware error, a lost MPS client, an error of an
// external device.
constexpr int kMachines[] = {214, 220, 226, 810, 911};

}  // namespace

bool is_kernels_doing(int code) noexcept { return std::ranges::find(kKernels, code) != std::end(kKernels); }

bool is_sticky(int code) noexcept {
  return is_kernels_doing(code) || std::ranges::find(kMachines, code) != std::end(kMachines);
}

}  // namespace negzero::device
