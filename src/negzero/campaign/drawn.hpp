// Which cases of a stream are watched, and by which launches state is looked for: the same ones for a seed.

#pragma once

#include <cstdint>

#include <negzero/campaign/wire.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/history.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::campaign {

/// Why a case of a stream is watched, with Watch::Auto, as far as it is small enough.
enum class Watched : std::uint8_t {
  No,
  ByChance,  ///< one in twenty
  ByRisk,    ///< the first in a thousand of each shape at which kernels err (generate::is_risky)
};
/// `wanted`: what the cases are drawn for; nullptr where they are none that were drawn.
[[nodiscard]] Watched drawn_for_the_watch(const GeneratedRange& range, const generate::Request* wanted,
                                          std::uint64_t index);
/// Whether that is small enough: of cases by risk those are that take a watched run of a few tenths of a second.
[[nodiscard]] bool is_small_enough(Watched why, const operation::Operation& operation) noexcept;

/// The launches with which state is looked for at a case of the stream; none at most of them. On a GPU a large case has
/// fewer of them: those of a look go one after the other, and the GPU waits.
[[nodiscard]] operation::History launches_for_state(const GeneratedRange& range, std::uint64_t index,
                                                    const operation::Operation& operation, kernel::Place place);

}  // namespace negzero::campaign
