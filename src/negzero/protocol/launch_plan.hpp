// All that a process which runs a kernel is told of a launch, and what it answers; the elements lie in an image that
// both sides see.
//
//   image   | case 0: [guard][a][guard] [guard][b][guard] ... | case 1: ...       each case begins on a page of its own
//   plan    where each buffer of a case lies in the image, what it is, extents, scalars, the order of threads
//
// As bytes (base/bytes.hpp), every name and enumerator a text, in the order of the operation's signature:
//
//   plan      operation
//             u8 extents, each: name, i64                                      "m" 4
//             u8 formats, each: name, format                                   "a" "F16"
//             u8 scalars, each: name, format, u64 bits                         "alpha" "F32" 0x3f800000
//             u8 buffers, each: name, format, layout, use, u64 at
//             poison, order of threads, u8 preempt + 2 * rounding, u64 seed, u64 elements, u8 stream, u64 moved
//             u8 options, each: name, i64                                      "algorithm" 2
//   layout    u8 rank, i64 extents, i64 strides, i64 offset
//   outcome   status, fault (FaultRow::word; empty unless it failed), message; it may end here
//             u32 took_us, u8 spoilt, u8 warnings, each a text, u32 covered blocks, each u32 place, u32 times
//   words     use: input, unread_input, output, initialised_output, in_output; poison: nan, large;
//             order: forward, backward, random; status: done, failed, error, lost
//
// A plan holds no seed, no strategy, no contract and nothing that is expected: a kernel cannot look up what would pass.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/bytes.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/protocol/fault.hpp>
#include <negzero/tensor/layout.hpp>
#include <negzero/watch/coverage.hpp>

namespace negzero::protocol {

/// Streams of a process that launches.
inline constexpr std::uint8_t kStreams = 8;
/// Chains of launches that may run at once, on two streams each.
inline constexpr std::uint8_t kChains = kStreams / 2;

/// Bytes of each guard zone: wide enough for a missing bound of a whole 64 x 16 tile of F32.
inline constexpr std::size_t kGuardBytes = 4096;

/// Longest word of an enumerator, longest message or warning of an outcome, in bytes, and most warnings.
inline constexpr std::uint32_t kMostWord = 32, kMostText = 4096, kMostWarnings = 32;

/// Of every buffer's first byte: what cudaMalloc gives.
inline constexpr std::size_t kBufferAlignment = 256;
static_assert(kBufferAlignment % operation::kMostAlignment == 0);

/// What a kernel may do with a buffer.
enum class BufferUse : std::uint8_t {
  Input,
  UnreadInput,        ///< C at beta = 0, A and B at alpha = 0: no byte of it may be read
  Output,             ///< written first
  InitialisedOutput,  ///< holds initial values: of a scatter, or of an input that lies in it
  InOutput,           ///< an input that lies in the first output's memory, or an unread one that would
};

/// A tensor in the image, of half bytes as the bytes that hold them (tensor::byte_layout()), with memory of its own but
/// for BufferUse::InOutput. `at` is the first byte of the memory that the layout spans, counted from the image's start;
/// of a distant layout, the first byte of its first island (islands.hpp).
struct PlannedBuffer {
  std::string name;  ///< of its layout: "a", "x", "out"
  number::FormatId format = number::FormatId::F32;
  tensor::Layout layout{};
  BufferUse use = BufferUse::Input;
  std::uint64_t at = 0;
  std::int64_t line = 0;  ///< of half bytes: the elements of the last dimension; no message says them
  /// Of an output of half bytes some of which the line does not write: each must keep what is there, so that the byte
  /// with the other half is read. The operation says it, no message.
  bool keeps_halves = false;

  [[nodiscard]] std::size_t element_bytes() const noexcept {
    return static_cast<std::size_t>(number::format(format).bytes());
  }
  /// Of the memory that the layout spans.
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return static_cast<std::size_t>(layout.extent()) * element_bytes();
  }
};

/// PlannedBuffer::keeps_halves of a tensor.
[[nodiscard]] bool keeps_halves(const operation::Operation& operation, const operation::TensorSpec& tensor);

struct LaunchPlan {
  operation::Operation operation;
  std::vector<PlannedBuffer> buffers{};               ///< inputs in their order, then the output
  operation::Poison poison = operation::Poison::Nan;  ///< of shared memory and of the workspace
  operation::Schedule schedule{};
  std::uint64_t elements = 0;  ///< of all inputs: what budgets are counted from
  std::uint8_t stream = 0;     ///< below kStreams; launches of one stream go one after the other
  /// Bytes by which its memory lies nearer to the image's start while it is launched: launches that go one after the
  /// other in the same memory, on an even stream and the one behind it. Only on a GPU; of all plans of a request, or of
  /// none.
  std::uint64_t moved = 0;
  /// The kernel's whole configuration: all of its options, in the order of their names, with the defaults that the case
  /// does not say.
  operation::Configuration configuration{};
};

/// Bytes of an image.
struct Part {
  std::size_t begin = 0, size_bytes = 0;
};

/// What one launch did, apart from what it left in the image.
struct LaunchOutcome {
  enum class Status : std::uint8_t {
    Done,    ///< the image has what it wrote
    Failed,  ///< by `fault`
    Error,   ///< ours (too little memory): `message` says what
    Lost,    ///< ours, and for good (a GPU that is gone): no launch will work any more
  };
  Status status = Status::Error;
  Fault fault = Fault::BadLaunch;
  std::string message{};
  std::vector<std::string> warnings{};
  bool spoilt = false;        ///< the process must end: threads of the launch stand in the middle of the kernel
  std::uint32_t took_us = 0;  ///< the process's own time; on a GPU an equal share of the time that a batch took
  std::vector<watch::CoveredBlock> covered{};  ///< by a watched launch

  [[nodiscard]] static LaunchOutcome failed(Fault fault, std::string message) {
    return {.status = Status::Failed, .fault = fault, .message = std::move(message)};
  }
  [[nodiscard]] static LaunchOutcome error(std::string message) {
    return {.status = Status::Error, .message = std::move(message)};
  }
};

/// The bytes of the image that a plan's buffers and their guard zones take. Requires a buffer.
[[nodiscard]] Part part_of(const LaunchPlan& plan);

void write(base::ByteWriter& to, const LaunchPlan& plan);
/// Nothing where the bytes are no plan: its buffers are the operation's tensors, in order, aligned, and with guard
/// zones around them one behind the other inside `whole_bytes`; its options are well formed and ascend by name.
[[nodiscard]] std::optional<LaunchPlan> read_plan(base::ByteReader& from, std::uint64_t whole_bytes);

void write(base::ByteWriter& to, const LaunchOutcome& outcome);
/// Spoils the reader where the bytes are no outcome. What is left out behind the message has its default. Long texts
/// are cut by the writer, and refused here.
[[nodiscard]] LaunchOutcome read_outcome(base::ByteReader& from);

}  // namespace negzero::protocol
