// libseccomp, loaded where it is there.

#if defined(NEGZERO_HAS_SECCOMP)

#include <string>

#include <dlfcn.h>

#include <negzero/confine/seccomp_library.hpp>

namespace negzero::confine {

base::Result<SeccompLibrary> SeccompLibrary::load(const char* name) {
  const auto problem = [name] {
    const char* const why = ::dlerror();
    return base::infrastructure_error(std::string(why == nullptr ? name : why));
  };
  void* const opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return problem();
  SeccompLibrary library;
  const auto find = [opened](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, symbol));
    return function != nullptr;
  };
  if (find(library.init, "seccomp_init") && find(library.release, "seccomp_release") &&
      find(library.attr_set, "seccomp_attr_set") &&
      find(library.syscall_resolve_name, "seccomp_syscall_resolve_name") &&
      find(library.rule_add_array, "seccomp_rule_add_array") && find(library.export_bpf, "seccomp_export_bpf")) {
    return library;
  }
  return problem();
}

const base::Result<SeccompLibrary>& SeccompLibrary::loaded() {
  static const base::Result<SeccompLibrary> library = load("libseccomp.so.2");
  return library;
}

}  // namespace negzero::confine

#endif
