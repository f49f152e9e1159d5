// What every kind of workspace shares: its poison, and words for writes around it.

#include <fmt/format.h>

#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/protocol/workspace.hpp>

namespace negzero::protocol {

std::uint64_t workspace_pattern(operation::Poison poison) noexcept {
  return poison_pattern(poison, number::format(number::FormatId::F32));
}

LaunchOutcome workspace_damage(std::size_t number, std::ptrdiff_t byte, std::size_t size_bytes) {
  return LaunchOutcome::failed(Fault::Guard,
                               write_outside(fmt::format("workspace {}", number), byte, size_bytes).value_or(""));
}

std::optional<std::string> write_outside(const std::string& name, std::ptrdiff_t byte, std::size_t size_bytes) {
  const std::string whole = fmt::format("the {} bytes of {}", size_bytes, name);
  const auto bytes = [](std::size_t count) { return fmt::format("{} byte{}", count, count == 1 ? "" : "s"); };
  if (byte < 0) return fmt::format("a write {} before {}", bytes(static_cast<std::size_t>(-byte)), whole);
  const auto at = static_cast<std::size_t>(byte);
  if (at >= size_bytes) return fmt::format("a write {} past {}", bytes(at - size_bytes + 1), whole);
  return std::nullopt;
}

}  // namespace negzero::protocol
