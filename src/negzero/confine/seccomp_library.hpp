// libseccomp, loaded where it is there: programs are carried to machines that lack it, and its licence (LGPL-2.1) asks
// that it can be exchanged.

#pragma once

#include <seccomp.h>

#include <negzero/base/result.hpp>

namespace negzero::confine {

/// The functions of libseccomp that compile a filter, by their names there.
struct SeccompLibrary {
  decltype(&::seccomp_init) init = nullptr;
  decltype(&::seccomp_release) release = nullptr;
  decltype(&::seccomp_attr_set) attr_set = nullptr;
  decltype(&::seccomp_syscall_resolve_name) syscall_resolve_name = nullptr;
  decltype(&::seccomp_rule_add_array) rule_add_array = nullptr;
  decltype(&::seccomp_export_bpf) export_bpf = nullptr;

  /// Loads a library for as long as the process lives. Infrastructure error: it is missing, or is no libseccomp.
  [[nodiscard]] static base::Result<SeccompLibrary> load(const char* name);
  /// libseccomp.so.2, loaded at the first call.
  [[nodiscard]] static const base::Result<SeccompLibrary>& loaded();
};

}  // namespace negzero::confine
