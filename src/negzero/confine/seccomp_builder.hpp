// A libseccomp filter under construction.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include <linux/filter.h>
#include <seccomp.h>

#include <negzero/confine/seccomp_library.hpp>

namespace negzero::confine {

/// The first error sticks.
class SeccompBuilder {
 public:
  /// `otherwise`: the answer to what no rule covers. `library` outlives this.
  SeccompBuilder(const SeccompLibrary& library, std::uint32_t otherwise);

  /// Adds one rule; several for one call are alternatives. A call that this architecture or this library does not know
  /// is left out: the filter's default covers it.
  void add(std::uint32_t action, const char* name, std::span<const scmp_arg_cmp> conditions = {});
  void permit(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {});
  /// The call fails with EPERM.
  void refuse(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {});

  /// 0 or an errno.
  [[nodiscard]] int error() const { return error_; }
  /// Returns the program, or nothing after an error.
  [[nodiscard]] std::vector<sock_filter> program();

 private:
  void keep(int result) {
    if (error_ == 0 && result < 0) error_ = -result;
  }

  const SeccompLibrary& library_;
  std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter_;
  int error_ = 0;
};

/// Conditions on whole registers, or on the bits of them that the kernel looks at: it cuts an int off a register, so
/// that "is not 9" would let 9 + 2^32 through. A rule holds one condition an argument.
inline scmp_arg_cmp is(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
inline scmp_arg_cmp is_not(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_NE, value, 0}; }
inline scmp_arg_cmp at_least(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_GE, value, 0}; }
inline scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

}  // namespace negzero::confine
