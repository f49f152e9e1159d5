// Shared memory: declarations with __shared__ as types with a macro behind them, which makes the variable.

#pragma once

#include <span>
#include <string_view>

#include <negzero/source/edit.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {

/// Returns the edits that take __shared__ out of a text. In a function, with all else where it was:
///
///     __shared__ float tile[16][17], *p;
///     typedef float negzero_type_tile[16][17], *negzero_type_p; NEGZERO_SHARED_NAME(tile); NEGZERO_SHARED_NAME(p);
///     extern __shared__ float s[];
///     typedef float negzero_type_s[]; NEGZERO_DYNAMIC_SHARED_NAME(s);
///
/// Elsewhere no reference can be the variable, so that each later use of the name changes: to
/// NEGZERO_DYNAMIC_SHARED_OF(s), and to NEGZERO_SHARED_OF(n) of one that is not extern, whose declaration gets
/// NEGZERO_SHARED_TAG(n). Units that declare the name themselves keep it.
///
/// static, extern, inline, __device__, [[attributes]] and an empty initialiser are deleted, alignas(X) becomes
/// __attribute__((aligned(X))). In bodies of macros names are pasted: negzero_type_##name. The use of a macro whose
/// body has but qualifiers (#define SHMEM __shared__) is what that body says; its definition stays. A __shared__ of
/// a parameter, or of the type in a cast, is deleted.
///
/// Noted and left as they are: other initialisers, what declares no name that can be read (a macro's parameter may hold
/// it), and uses of a variable at namespace scope through the name of that scope.
[[nodiscard]] Prepared shared_edits(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source
