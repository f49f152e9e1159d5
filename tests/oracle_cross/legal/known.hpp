// Legal results that the oracle refuses and is known to refuse: each class by what its evaluations have in common.

#pragma once

#include <span>

#include "legal.hpp"

namespace negzero::oracle_legal {

/// A result that an evaluation gave and the oracle refuses.
struct Refused {
  const Question& question;
  const contract::Contract& contract;
  Traits traits;
};

/// A class of refusals. Remove it when the oracle is mended: the test says where none was met any more.
struct KnownClass {
  const char* name;  ///< as in the notes on the oracle
  const char* what;
  bool (*holds)(const Refused&);
};
/// In the order in which they are asked.
[[nodiscard]] std::span<const KnownClass> known_classes();
/// The first that it is of; nullptr where it is of none.
[[nodiscard]] const KnownClass* class_of(const Refused& refused);

}  // namespace negzero::oracle_legal
