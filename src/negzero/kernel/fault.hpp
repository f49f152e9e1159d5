// The catalogue of faults: a fault from the field together with its twin, the same kernel without it.

#pragma once

#include <string_view>

#include <negzero/kernel/kernel.hpp>

namespace negzero::kernel {

/// One row. Contract, limits and reference are what both kernels declare; only the twin keeps to them.
struct Fault {
  using Launch = LaunchResult (*)(const Args&, Workspace&, engine::Stream&);

  std::string_view id;         ///< of the catalogue: "A1"
  std::string_view slug;       ///< what the fault does: the kernel is faulty.<id>.<slug>
  std::string_view twin_slug;  ///< what is right: twin.<id>.<twin_slug>
  std::string_view about;      ///< what is wrong
  std::string_view twin_about;
  std::string_view seen_in;  ///< the reports
  std::string_view operation;
  contract::Contract contract;
  operation::Limits limits;
  Reference reference{};  ///< where the operation is declared
  Launch faulty, twin;
  Place place = kThisPlace;  ///< of both, and their build
  Build build{.watched = kThisIsWatched, .coverage = kThisIsWatched};
};

/// Adds both to the registry, as Registry::add() does.
bool add_fault(Fault fault, const char* file = __builtin_FILE(), int line = __builtin_LINE());

}  // namespace negzero::kernel
