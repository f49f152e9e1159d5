// What a watched kernel may do with the memory of one case, and a finding as an outcome.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <negzero/operation/operation.hpp>
#include <negzero/run/outcome.hpp>
#include <negzero/simt/watch.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::run {

/// The rules of watched runs: run.bounds (an access outside every buffer, a write to an input or
/// to padding), run.uninitialised (a read of what nobody has written: shared memory, workspace, an output),
/// run.forbidden_read (a read of padding, or of an input that the contract says is not read), run.race (two accesses
/// that nothing orders), run.misaligned (an error on a GPU). Only a watched run of a case can break them.
[[nodiscard]] bool is_watch_rule(std::string_view rule) noexcept;

/// Whether a case is watched where nobody asked for this one: at most 2^15 products, elements or updates. A watched run
/// takes ten times as long, and a large case would run into the time limit, which is no hang of the kernel's.
[[nodiscard]] bool is_small_enough_to_watch(const operation::Operation& operation) noexcept;

/// The regions of one launch wrapper's memory.
class WatchedCase {
 public:
  enum class Use {
    Input,
    UnreadInput,        ///< C at beta = 0, A and B at alpha = 0: no byte of it may be read
    Output,             ///< written first
    InitialisedOutput,  ///< of a scatter: holds its initial values
  };

  /// Forgets the last case.
  void begin() { watch_.clear(); }
  /// `memory` is what `layout` spans, of elements of that many bytes. The layout must outlive the launch.
  void add(const std::string& name, const tensor::Layout& layout, std::size_t element_bytes,
           std::span<const std::byte> memory, Use use);
  void add_workspace(std::size_t number, std::span<const std::byte> memory);
  [[nodiscard]] simt::Watch& watch() noexcept { return watch_; }
  /// The finding that ended a launch, as a failure. Requires one.
  [[nodiscard]] Outcome outcome();

 private:
  simt::Watch watch_;
};

}  // namespace negzero::run
