// Registration of a fault from the field together with its twin, the same kernel without it.

#pragma once

#include <string>
#include <string_view>

#include <negzero/kernel/kernel.hpp>

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

using LaunchFunction = kernel::LaunchResult (*)(const kernel::Args&, kernel::Workspace&, engine::Stream&);

/// One row of the catalogue of faults. Contract and limits are what both kernels declare; only the twin keeps to them.
struct Fault {
  std::string_view id;         ///< of the catalogue: "A1"
  std::string_view slug;       ///< what the fault does: the kernel is faulty.<id>.<slug>
  std::string_view twin_slug;  ///< what is right: twin.<id>.<twin_slug>
  std::string_view about;      ///< what is wrong
  std::string_view twin_about;
  std::string_view seen_in;  ///< the reports
  std::string_view operation;
  contract::Contract contract;
  operation::Limits limits;
  kernel::Reference reference{};  ///< where the operation is declared: what both are held to
  LaunchFunction faulty, twin;
};

inline bool add_fault(const Fault& fault, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const std::string id(fault.id);
  auto add = [&](std::string name, std::string about, LaunchFunction launch) {
    kernel::registry().add({.name = std::move(name),
                            .operation = std::string(fault.operation),
                            .about = std::move(about),
                            .contract = fault.contract,
                            .limits = fault.limits,
                            .reference = fault.reference,
                            .launch = launch},
                           file, line);
  };
  add("faulty." + id + "." + std::string(fault.slug),
      std::string(fault.about) + " (" + std::string(fault.seen_in) + ")", fault.faulty);
  add("twin." + id + "." + std::string(fault.twin_slug), std::string(fault.twin_about), fault.twin);
  return true;
}

}  // namespace
}  // namespace negzero::kernels
