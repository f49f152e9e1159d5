// How the words of this build wait and read: through the engine in plain builds, through the watch in watched ones.

#pragma once

#include <negzero/engine/build.hpp>
#include <negzero/engine/current.hpp>

#ifdef NEGZERO_WATCHED
#include <negzero/watch/seam.hpp>
#endif

/// Not negzero::cuda: a kernel file that says `using namespace negzero;` and names libcu++'s `cuda::` would be
/// ambiguous.
namespace negzero::cuda_on_host {

/// Both have the same functions. Calls name it, since the arguments would lead to the engine's functions as well.
#ifdef NEGZERO_WATCHED
namespace threads = ::negzero::watch;
#else
namespace threads = ::negzero::engine;
#endif

using engine::BarrierKind;
using engine::CallSite;
using engine::FenceScope;
using engine::note_change;
using engine::SharedTag;
using engine::WarpKind;
using engine::WarpRequest;

}  // namespace negzero::cuda_on_host
