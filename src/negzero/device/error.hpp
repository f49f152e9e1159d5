// Errors of the CUDA runtime as values: what they are called, which end a process, and whose doing they are.

#pragma once

#include <string>

namespace negzero::device {

/// What the CUDA runtime answered: a cudaError_t, 0 for success. The runtime keeps its last error; this keeps nothing.
struct [[nodiscard]] Answer {
  int code = 0;
  [[nodiscard]] bool ok() const noexcept { return code == 0; }
};

/// cudaErrorMemoryAllocation: there was not enough memory, and nothing else is wrong.
inline constexpr int kOutOfMemory = 2;
/// cudaErrorNoDevice.
inline constexpr int kNoDevice = 100;
/// cudaErrorNotSupported: this GPU or its driver cannot do it.
inline constexpr int kNotSupported = 801;
/// cudaErrorLaunchTimeout: a display's watchdog ended a kernel.
inline constexpr int kLaunchTimeout = 702;

/// Whether every later call of the process fails too, so that only its end helps: 226 700 702 710 714 to 719 721 810
/// 911, and the hardware's 214 and 220.
[[nodiscard]] bool is_sticky(int code) noexcept;
/// Whether a kernel causes that error by what it does (an illegal address, a trap, an assertion), and not the machine
/// (memory that fails, a device that is lost, MPS). Only sticky errors are.
[[nodiscard]] bool is_kernels_doing(int code) noexcept;

/// "CUDA error 700 (an illegal memory access was encountered)". Without CUDA in this build, the number alone.
[[nodiscard]] std::string describe(int code);

}  // namespace negzero::device
