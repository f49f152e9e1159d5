// Which cases of a stream are watched, and by which launches state is looked for: the same ones for a seed.

#pragma once

#include <cstdint>

#include <negzero/campaign/wire.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/history.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::campaign {

/// Whether a case of the stream is watched, with Watch::Auto.
[[nodiscard]] bool is_drawn_for_the_watch(const GeneratedRange& range, std::uint64_t index);

/// The launches with which state is looked for at a case of the stream; none at most of them. On a GPU a large case has
/// fewer of them: those of a look go one after the other, and the GPU waits.
[[nodiscard]] operation::History launches_for_state(const GeneratedRange& range, std::uint64_t index,
                                                    const operation::Operation& operation, kernel::Executor executor);

}  // namespace negzero::campaign
