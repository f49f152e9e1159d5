// A libseccomp filter under construction.

#if defined(NEGZERO_HAS_SECCOMP)

#include <cerrno>

#include <sys/mman.h>
#include <unistd.h>

#include <negzero/confine/seccomp_builder.hpp>

namespace negzero::confine {

SeccompBuilder::SeccompBuilder(const SeccompLibrary& library, std::uint32_t otherwise)
    : library_(library), filter_(library.init(otherwise), library.release) {
  if (!filter_) {
    error_ = ENOMEM;
    return;
  }
  // A 32-bit call from a 64-bit program has other numbers.
  keep(library_.attr_set(filter_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)));
  // A binary tree instead of a chain. Libraries before 2.5 have none, and are as right.
  (void)library_.attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
}

void SeccompBuilder::add(std::uint32_t action, const char* name, std::span<const scmp_arg_cmp> conditions) {
  if (error_ != 0) return;
  const int number = library_.syscall_resolve_name(name);
  if (number < 0) return;
  keep(library_.rule_add_array(filter_.get(), action, number, static_cast<unsigned>(conditions.size()),
                               conditions.data()));
}

void SeccompBuilder::permit(const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
  add(SCMP_ACT_ALLOW, name, {conditions.begin(), conditions.size()});
}

void SeccompBuilder::refuse(const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
  add(SCMP_ACT_ERRNO(EPERM), name, {conditions.begin(), conditions.size()});
}

std::vector<sock_filter> SeccompBuilder::program() {
  std::vector<sock_filter> program;
  // Version 2.5 exports into descriptors only.
  const int file = error_ == 0 ? ::memfd_create("filter", MFD_CLOEXEC) : -1;
  if (error_ == 0 && file < 0) error_ = errno;
  if (error_ != 0) return program;
  keep(library_.export_bpf(filter_.get(), file));
  const off_t bytes = ::lseek(file, 0, SEEK_END);
  if (error_ == 0 && bytes > 0) {
    program.resize(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
    if (::pread(file, program.data(), static_cast<std::size_t>(bytes), 0) != bytes) error_ = EIO;
  }
  ::close(file);
  if (error_ != 0) program.clear();
  return program;
}

}  // namespace negzero::confine

#endif
