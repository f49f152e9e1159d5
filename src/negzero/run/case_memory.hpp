// What lies in memory for one case, and what may be wrong with it after a launch: the same for every executor.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/guarded_buffer.hpp>
#include <negzero/run/outcome.hpp>
#include <negzero/simt/stream.hpp>
#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::run {

/// Most buffers of a case: a GEMM's.
inline constexpr std::size_t kMostBuffers = 4;

/// One buffer of a case: a tensor where its layout puts it. Points into the case.
struct CaseBuffer {
  std::string name;  ///< of its layout: "a", "x", "out"
  const tensor::Layout* layout = nullptr;
  const tensor::Tensor* elements = nullptr;  ///< what it holds before the launch; nullptr: poison alone
  number::FormatId format = number::FormatId::F32;
  operation::Poison poison = operation::Poison::Nan;
  bool is_output = false;
  std::string_view unread{};  ///< when the contract does not let it be read: "at beta = 0"; empty: it may be read

  [[nodiscard]] std::size_t element_bytes() const noexcept {
    return static_cast<std::size_t>(number::format(format).bits) / 8;
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return static_cast<std::size_t>(layout->extent()) * element_bytes();
  }
};

/// Inputs in their order, then the output. An input that the contract says is not read holds poison alone; the output
/// of a scatter holds its initial values.
[[nodiscard]] std::vector<CaseBuffer> buffers_of(const operation::Case& value, const contract::Contract& contract,
                                                 operation::Poison output_poison);

/// Copies a buffer's elements to where its layout puts them; memory between them is left alone.
void place_elements(const CaseBuffer& buffer, std::span<std::byte> memory);

/// What the launch wrapper receives, for buffers whose memory begins at `starts` (as the kernel sees it).
[[nodiscard]] kernel::Args args_of(const operation::Operation& operation, std::span<const CaseBuffer> buffers,
                                   std::span<void* const> starts);

/// A failure that needs no oracle.
[[nodiscard]] Outcome failed(operation::FailureClass kind, std::string rule, std::string message);

/// Calls the launch wrapper, as a kernel that runs (mark_kernel()) and in a simt::HostCode. Nothing, or the failure that
/// shows at once: it threw, it refused a case inside its limits, or the stream has a failure.
[[nodiscard]] std::optional<Outcome> launch(const kernel::Kernel& kernel, const kernel::Args& args,
                                            kernel::Workspace& workspace, simt::Stream& stream);

/// A buffer's memory after a launch and its data before it.
struct Inspected {
  const CaseBuffer* buffer = nullptr;
  GuardedRegion after{};
  const std::byte* before = nullptr;
};

/// The outcome of a launch that ended well: the output, packed, or the first stray write by rule run.guard. Overwrites
/// the output's memory. The output comes last.
[[nodiscard]] Outcome inspect(const operation::Case& value, std::span<const Inspected> memory);

/// A stray write around allocation `number` of the workspace.
[[nodiscard]] Outcome workspace_damage(std::size_t number, std::ptrdiff_t byte, std::size_t size_bytes);

/// What a kernel keeps in its workspace is not declared; F32 poison is a NaN or a large number in most views of it.
[[nodiscard]] std::uint64_t workspace_pattern(operation::Poison poison) noexcept;

/// Whether an element of the output holds the case's poison. It may have been computed so: unwritten is what holds the
/// other poison when the run is repeated with nothing else changed. Never for a scatter, which starts from initial
/// values.
[[nodiscard]] bool looks_unwritten(const operation::Case& value, const Outcome& outcome);
[[nodiscard]] operation::Poison other_poison(operation::Poison poison) noexcept;
/// The outcome of both runs: `again` had the other poison in its output.
[[nodiscard]] Outcome combine(const operation::Case& value, Outcome outcome, Outcome again);

/// Refused, when the case lies outside the kernel's limits.
[[nodiscard]] std::optional<Outcome> outside_limits(const operation::Case& value, const kernel::Kernel& kernel);

}  // namespace negzero::run
