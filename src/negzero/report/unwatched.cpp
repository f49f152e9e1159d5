// Kernels that were to be watched and were not.

#include <negzero/kernel/kernel.hpp>
#include <negzero/report/unwatched.hpp>

namespace negzero::report {

std::string why_unwatched(const campaign::CheckReport& report, const campaign::KernelReport& kernel) {
  const bool any_ended = kernel.pass + kernel.vacuous + kernel.fail > 0;
  if (report.watch != campaign::Watch::Always || kernel.watched > 0 || !any_ended) return "";
  const std::string what = "--watch always watched no case: ";
  if (!kernel::kCanBeWatched[report.place]) return what + "only the host executor can; add --executor host";
  if (kernel::registry().find(kernel.name, {report.place, true}) == nullptr) {
    return what + "the kernel has no watched build";
  }
  return what +
         "each has more than 2^19 products, elements or updates, or ended its worker; `replay --watch always` watches "
         "a case of any size";
}

}  // namespace negzero::report
