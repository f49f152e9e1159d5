// Changes and crosses cases, within a kernel's limits.
//
// Every child is a valid case (operation::validate) inside the limits of the request and the extents of its mix, and
// depends on nothing but the arguments. It keeps what its parent says of where it runs (kernel, contract, history, keys
// that nobody knows) and drops what was seen of the parent (expect, found). Of where it came from it keeps the strategy
// of its first ancestor, as "mutated.exact"; seed and index are 0, because no stream holds it.

#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::mutate {

/// The one part of a case that a change touches. Elements besides: those that no longer fit a changed shape or format
/// are carried over, and those that come to share an address become equal.
enum class Part : unsigned char { Elements, Indices, Operation, Layouts, Memory, Schedule, Configuration, Inputs };

/// A case that is being changed.
struct Work {
  const generate::Request& request;
  operation::Case& value;
  base::Random& random;
};

/// One kind of change.
struct Change {
  std::string_view name;     ///< "negate", "layout"
  std::string_view changes;  ///< what it does, for people
  Part part;
  /// Changes the case, which need not be valid then; false where it has nothing of the kind.
  bool (*apply)(Work& work);
};
/// Every kind of change. A campaign counts by name which of them pay.
[[nodiscard]] std::span<const Change> changes();

/// The parent after one change of that kind; nothing where the case has nothing of the kind, or the change drawn leads
/// out of the limits or back to the parent. Requires a valid parent inside the limits.
[[nodiscard]] std::optional<operation::Case> changed(const Change& change, const generate::Request& request,
                                                     const operation::Case& parent, base::Random& random);

/// A child with the changes that made it, first to last.
struct Child {
  operation::Case value;
  std::vector<const Change*> changes;
};
/// Changes the parent once, or a few times in a row. A parent outside the limits is brought inside first: the nearest
/// extents, accepted formats, scalars (in the format that the contract says) and layouts; where no such case is found,
/// or the parent is of another operation, a generated case takes its place. Options that the kernel does not accept get
/// their defaults. Products and elements stay below what the
/// generator's usual cases have, or what the parent has. Requires a valid parent and a valid request.
[[nodiscard]] Child child_of(const generate::Request& request, const operation::Case& parent, base::Random& random);
/// The child alone.
[[nodiscard]] operation::Case mutate(const generate::Request& request, const operation::Case& parent,
                                     base::Random& random);

/// A case with parts of both: each extent, each tensor or a range of its elements, each layout, each scalar, each
/// option, formats, poison and schedule from `a` or from `b`; optional inputs are there where they are in `a`. What
/// comes from another shape or format is carried over as by a change of extents. Both are brought inside the limits
/// first, as by child_of(). Kernel, contract, history, unknown keys and strategy are those of `a`. Requires valid cases
/// and a valid request.
[[nodiscard]] operation::Case cross(const generate::Request& request, const operation::Case& a,
                                    const operation::Case& b, base::Random& random);

}  // namespace negzero::mutate
