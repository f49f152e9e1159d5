// The two kernels of a row of the catalogue.

#include <string>
#include <utility>

#include <fmt/format.h>

#include <negzero/kernel/fault.hpp>

namespace negzero::kernel {

bool add_fault(Fault fault, const char* file, int line) {
  const auto add = [&](std::string name, std::string about, Fault::Launch launch) {
    return registry().add({.name = std::move(name),
                           .operation = std::string(fault.operation),
                           .about = std::move(about),
                           .contract = fault.contract,
                           .limits = fault.limits,
                           .reference = fault.reference,
                           .launch = launch,
                           .place = fault.place,
                           .build = fault.build},
                          file, line);
  };
  const bool has_fault = add(fmt::format("faulty.{}.{}", fault.id, fault.slug),
                             fmt::format("{} ({})", fault.about, fault.seen_in), fault.faulty);
  const bool has_twin =
      add(fmt::format("twin.{}.{}", fault.id, fault.twin_slug), std::string(fault.twin_about), fault.twin);
  return has_fault && has_twin;
}

}  // namespace negzero::kernel
