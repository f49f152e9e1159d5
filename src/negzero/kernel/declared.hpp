// A kernel that is declared by text and launched by generated code: what `negzero check FILE.cu` compiles.

#pragma once

#include <functional>
#include <string>

#include <negzero/engine/stream.hpp>
#include <negzero/kernel/args.hpp>
#include <negzero/kernel/place.hpp>

namespace negzero::kernel {

using LaunchFunction = std::function<LaunchResult(const Args&, Workspace&, engine::Stream&)>;

/// Adds to the registry what an entry of declarations() says (docs/reference/worker_protocol.md), without its executor,
/// with this launch. `file` and `line` are where its author has declared it. A declaration that cannot be read, or that
/// no case fits, is among Registry::errors(). Returns true, so that a namespace-scope constant can hold the result.
bool add_declared(const std::string& declaration, LaunchFunction launch, const char* file, int line,
                  Where where = {kThisPlace, kThisIsWatched});

}  // namespace negzero::kernel
