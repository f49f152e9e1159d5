// The filters of a confined process, compiled in its parent and installed by itself.

#include <cerrno>
#include <cstring>

#include <linux/seccomp.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <negzero/confine/system_calls.hpp>

#if defined(NEGZERO_HAS_SECCOMP)
#include <sys/mman.h>

#include <negzero/confine/system_call_rules.hpp>
#endif

namespace negzero::confine {

#if defined(NEGZERO_HAS_SECCOMP)

namespace {

std::uint64_t random_key() {
  std::uint64_t key = 0;
  return ::getrandom(&key, sizeof key, 0) == sizeof key ? key : 0;
}

/// Whether programs of this system can map memory there, as those of this one's size can.
bool has_place(std::uintptr_t place) {
  constexpr std::size_t kPage = 4096;
  void* const wanted = reinterpret_cast<void*>(place);
  constexpr int kKind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const made = ::mmap(wanted, kPage, PROT_NONE, kKind, -1, 0);
  if (made == MAP_FAILED) return errno == EEXIST;
  ::munmap(made, kPage);
  return made == wanted;
}

}  // namespace

SystemCallFilter SystemCallFilter::compile(Profile profile) {
  SystemCallFilter result;
  result.exec_key_ = random_key();
  if (profile == Profile::Host) {
    result.runtime_ = {.key = random_key(), .place = has_place(kDevicePlace) ? kDevicePlace : 0};
  }
  if (result.exec_key_ == 0 || (profile == Profile::Host && result.runtime_.key == 0)) {
    result.why_not_ = std::string("no random number is to be had: ") + std::strerror(errno);
    return result;
  }
  const base::Result<SeccompLibrary>& library = SeccompLibrary::loaded();
  if (!library) {
    result.runtime_ = {};
    result.why_not_ = library.error().message;
    return result;
  }
  SeccompBuilder permitted(*library, SCMP_ACT_ERRNO(EPERM));
  permit_calls(permitted, profile, result.exec_key_, result.runtime_);
  SeccompBuilder refused(*library, SCMP_ACT_ALLOW);
  refuse_calls(refused, profile, result.runtime_);
  result.permitted_ = permitted.program();
  result.refused_ = refused.program();
  for (const bool is_permitting : {true, false}) {
    const std::vector<sock_filter>& filter = is_permitting ? result.permitted_ : result.refused_;
    for (std::size_t i = 0; i < filter.size(); ++i) {
      if (BPF_CLASS(filter[i].code) != BPF_JMP || (filter[i].k != kOwnId && filter[i].k != kOwnGroup)) continue;
      result.own_ids_.push_back({is_permitting, i, filter[i].k == kOwnGroup});
    }
  }
  const int error = permitted.error() != 0 ? permitted.error() : refused.error();
  if (error != 0 || result.own_ids_.empty()) {
    result.permitted_.clear();
    result.refused_.clear();
    result.runtime_ = {};
    result.why_not_ = std::string("libseccomp compiles no filter here: ") + std::strerror(error);
  }
  return result;
}

#else

SystemCallFilter SystemCallFilter::compile(Profile) {
  SystemCallFilter result;
  result.why_not_ = "this program was built without libseccomp";
  return result;
}

#endif

int SystemCallFilter::install() noexcept {
  const auto own = static_cast<std::uint32_t>(::getpid());
  for (const auto& [is_permitting, at, is_group] : own_ids_) {
    (is_permitting ? permitted_ : refused_)[at].k = is_group ? 0 - own : own;
  }
  // The one that permits comes last: it does not permit this call.
  for (std::vector<sock_filter>* const filter : {&refused_, &permitted_}) {
    if (filter->empty()) continue;
    const sock_fprog program{static_cast<unsigned short>(filter->size()), filter->data()};
    // Before Linux 5.16 a filter also slowed the process down against speculation (SSBD), which is about secrets of the
    // process itself. It has none.
    long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
    if (result != 0 && errno == EINVAL) result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    if (result != 0) return errno;
  }
  return 0;
}

}  // namespace negzero::confine
