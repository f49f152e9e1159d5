// Copies that threads have begun.

#include <algorithm>
#include <cstring>

#include <negzero/engine/engine.hpp>
#include <negzero/engine/late_copies.hpp>

namespace negzero::engine {

void LateCopies::begin(std::uint32_t thread, const void* owner, const LateCopy& copy) {
  std::vector<Begun>& copies = of(thread).copies;
  std::erase_if(copies, [&](const Begun& begun) { return begun.copy.to == copy.to; });
  copies.push_back({owner, copy});
}

std::optional<LateCopy> LateCopies::take(std::uint32_t thread, const void* owner, std::uint64_t last) {
  std::vector<Begun>& copies = of(thread).copies;
  const auto found = std::ranges::find_if(
      copies, [&](const Begun& begun) { return begun.owner == owner && begun.copy.stage <= last; });
  if (found == copies.end()) return std::nullopt;
  const LateCopy copy = found->copy;
  copies.erase(found);
  return copy;
}

void begin_late_copy(const void* owner, const LateCopy& copy) {
  Engine& engine = *current.engine;
  engine.late_copies().begin(current.linear_thread, owner, copy);
  std::memset(copy.to, engine.launch().settings.poison, copy.size_bytes);
}

bool take_late_copy(const void* owner, std::uint64_t last_stage, LateCopy& copy) {
  const auto taken = current.engine->late_copies().take(current.linear_thread, owner, last_stage);
  if (taken) copy = *taken;
  return taken.has_value();
}

std::uint64_t commit_late_copies(std::uint64_t more) {
  return current.engine->late_copies().commit(current.linear_thread, more);
}

}  // namespace negzero::engine
