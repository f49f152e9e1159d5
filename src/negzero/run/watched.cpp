// What a watched kernel may do with the memory of one case, and a finding as an outcome.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/run/watched.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::run {

namespace {

using operation::FailureClass;
using simt::FindingKind;
using simt::Permission;

/// "a[0,1,2]", or where in the memory of `a` the byte is when no element is there.
std::string describe(const std::string& name, const tensor::Layout& layout, std::size_t element_bytes,
                     std::size_t byte) {
  const auto address = static_cast<std::int64_t>(byte / element_bytes);
  const std::int64_t count = layout.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    if (layout.address(i) != address) continue;
    return fmt::format("{}[{}]", name, fmt::join(tensor::coordinates_of(layout.shape, i), ","));
  }
  return std::string(address < layout.offset ? "the memory before the offset" : "the padding") + " of " + name +
         ", at element " + std::to_string(address) + " of its memory";
}

}  // namespace

bool is_watch_rule(std::string_view rule) noexcept {
  constexpr std::string_view kRules[] = {"run.bounds", "run.uninitialised", "run.forbidden_read", "run.race",
                                         "run.misaligned"};
  return std::ranges::find(kRules, rule) != std::end(kRules);
}

bool is_small_enough_to_watch(const operation::Operation& operation) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 15;
  // Extents reach 2^31 each: their product is not formed beyond the limit.
  const auto fits = [](std::initializer_list<std::int64_t> extents) {
    std::int64_t work = 1;
    for (const std::int64_t extent : extents) {
      if (extent > kMost) return false;
      work *= std::max<std::int64_t>(extent, 1);
      if (work > kMost) return false;
    }
    return true;
  };
  if (const auto* gemm = std::get_if<operation::Gemm>(&operation))
    return fits({gemm->batch, gemm->m, gemm->n, gemm->k});
  if (const auto* reduce = std::get_if<operation::Reduce>(&operation)) return fits({reduce->rows, reduce->columns});
  const auto& scatter = std::get<operation::Scatter>(operation);
  return fits({std::max(scatter.updates, scatter.destinations)});
}

void WatchedCase::add(const std::string& name, const tensor::Layout& layout, std::size_t element_bytes,
                      std::span<const std::byte> memory, Use use) {
  simt::WatchedRegion region;
  region.begin = memory.data();
  region.size_bytes = memory.size();
  region.element_bytes = element_bytes;
  region.name = name;
  region.describe = [name, &layout, element_bytes](std::size_t byte) {
    return describe(name, layout, element_bytes, byte);
  };
  const Permission permission = use == Use::UnreadInput ? Permission::None
                                : use == Use::Input     ? Permission::Read
                                                        : Permission::ReadWrite;
  const std::size_t number = watch_.add(std::move(region), permission, use != Use::Output);
  if (use == Use::UnreadInput) {
    watch_.set_reason(number, "the contract says that " + name + " is not read here");
    return;
  }
  watch_.set_reason(number, "no element lies there");
  if (layout.extent() == layout.element_count()) return;
  for (const tensor::Gap& gap : tensor::padding(layout)) {
    watch_.set(number, static_cast<std::size_t>(gap.begin) * element_bytes,
               static_cast<std::size_t>(gap.end - gap.begin) * element_bytes, Permission::None, false);
  }
}

void WatchedCase::add_workspace(std::size_t number, std::span<const std::byte> memory) {
  simt::WatchedRegion region;
  region.begin = memory.data();
  region.size_bytes = memory.size();
  region.element_bytes = 0;
  region.name = "workspace " + std::to_string(number);
  watch_.add(std::move(region), Permission::ReadWrite, false);
}

Outcome WatchedCase::outcome() {
  const simt::WatchFinding& finding = *watch_.finding();
  struct Words {
    FailureClass kind;
    const char* rule;
  };
  const auto words = [&]() -> Words {
    switch (finding.kind) {
      case FindingKind::OutOfBounds:
        return {FailureClass::OutOfBoundsAccess, "run.bounds"};
      case FindingKind::Uninitialised:
        return {FailureClass::UninitialisedRead, "run.uninitialised"};
      case FindingKind::Forbidden:
        return {FailureClass::ForbiddenRead, "run.forbidden_read"};
      case FindingKind::Race:
        return {FailureClass::DataRace, "run.race"};
      case FindingKind::Misaligned:
        break;
    }
    return {FailureClass::Crash, "run.misaligned"};
  }();
  Outcome outcome;
  outcome.status = Outcome::Status::Failed;
  outcome.failure = operation::Failure{.kind = words.kind, .rule = words.rule, .message = finding.message};
  return outcome;
}

}  // namespace negzero::run
