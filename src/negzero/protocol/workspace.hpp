// What every kind of workspace shares: its poison, and words for writes around it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <negzero/operation/case.hpp>
#include <negzero/protocol/launch_plan.hpp>

namespace negzero::protocol {

/// What a kernel keeps in its workspace is not declared; F32 poison is a NaN or a large number in most views of it.
[[nodiscard]] std::uint64_t workspace_pattern(operation::Poison poison) noexcept;

/// A stray write around allocation `number` of the workspace; `byte` counts from its start.
[[nodiscard]] LaunchOutcome workspace_damage(std::size_t number, std::ptrdiff_t byte, std::size_t size_bytes);

/// A write outside the `size_bytes` of `name`, in words: "a write 4 bytes past the 64 bytes of y". Nothing for one
/// inside.
[[nodiscard]] std::optional<std::string> write_outside(const std::string& name, std::ptrdiff_t byte,
                                                       std::size_t size_bytes);

}  // namespace negzero::protocol
