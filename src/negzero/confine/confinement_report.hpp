// What of the confinement this system enforces, found by trying it.

#pragma once

#include <string>
#include <vector>

#include <negzero/confine/confinement.hpp>

namespace negzero::confine {

/// One thing that a system can enforce or not.
struct Ability {
  std::string name;
  bool there = true;
  std::string answer;  ///< what it does, or why it does not
  std::string cure{};  ///< what to do where it is not there
  friend bool operator==(const Ability&, const Ability&) = default;
};

/// What a trial found.
struct Trial {
  InForce in_force;
  int landlock_abi = 0;         ///< version, or -errno
  std::string calls_why_not{};  ///< why there is no filter, where none was built
  bool ran = true;              ///< a child could be forked and came back
  bool held = true;  ///< what is in force refused what it should: a socket, a file of the system's, a handler
  bool keeps_device_memory = true;  ///< host code cannot open it, where calls are confined
};

/// Confines a forked child and lets it try. Takes about a millisecond.
[[nodiscard]] Trial try_confinement(Profile profile);

/// Puts a trial into words: "confined calls", "confined files", "confined rights", each once, in this order.
[[nodiscard]] std::vector<Ability> describe(const Trial& trial);

}  // namespace negzero::confine
