// What goes between a campaign and those that examine cases for it: requests, replies, and the bytes that they are.
//
//   Setup    once     what is declared of all kernels, and where they run
//   Request  a task   a kernel, what is claimed of it, how to look, and the cases: a range of generated ones, or whole
//   Reply    a case   where it came from, how it was looked at, the verdict
//
// Numbers are little-endian (base/bytes.hpp), every length is limited, and frames (protocol/frames.hpp) carry a
// version: who reads this may be another program, in another language, on another machine.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/cause.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/feature/feature.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/generate/shape_counts.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/protocol/frames.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

enum class CampaignFrame : std::uint8_t {
  Setup = 16,  ///< campaign -> examiner, first
  Request,     ///< campaign -> examiner
  Replies,     ///< examiner -> campaign: some of a request's replies, in order
  Problem,     ///< examiner -> campaign: what ends the whole campaign (a GPU that is lost); then the examiner ends
};

struct Setup {
  std::vector<kernel::KernelSource> sources{};
  kernel::Place place = kernel::Place::Host;
  int gpu = 0;
  std::string exact{};
  int threads = 1;  ///< that make and judge the cases of a batch
  friend bool operator==(const Setup&, const Setup&) = default;
};

/// Cases [begin, end) of the stream `seed` for the kernel's own operation, limits and contract.
struct GeneratedRange {
  std::uint64_t seed = 0, begin = 0, end = 0;
  generate::Mix mix{};
  friend bool operator==(const GeneratedRange&, const GeneratedRange&) = default;
};
/// Children [begin, end) of these case files (RequestedCases says how they are made); the mix is that of what is drawn
/// anew in a child, and its extents are those of every child.
struct ChangedRange {
  GeneratedRange numbers{};
  std::vector<std::string> parents{};
  friend bool operator==(const ChangedRange&, const ChangedRange&) = default;
};
/// Case files, whole.
using WholeCases = std::vector<std::string>;

/// The claim that `check` and `replay` make.
inline constexpr const char* kConformance = "conformance";

struct Request {
  std::string kernel{};
  std::string claim = kConformance;  ///< of claims.hpp, with its words
  Watch watch = Watch::Auto;
  property::Repeat repeat = property::Repeat::Never;
  bool fresh = false;  ///< each case in a process of its own
  std::uint64_t timeout_ms = 10000;
  feature::Depth features = feature::Depth::Setting;  ///< how much the features of its replies look at
  std::variant<GeneratedRange, WholeCases, ChangedRange> source{};
  friend bool operator==(const Request&, const Request&) = default;
};

/// The numbers of the cases of a request; nullptr where it has whole cases.
[[nodiscard]] const GeneratedRange* range_of(const Request& request);
/// The number of cases of a request.
[[nodiscard]] std::uint64_t count(const Request& request);

/// Most bytes of the case files of a request: what a frame carries, less 1 MiB for everything else of a request.
inline constexpr std::uint32_t kMostCaseBytes = protocol::kMostFrameBytes - (std::uint32_t{1} << 20);
/// Bytes of the case files of a request.
[[nodiscard]] std::uint64_t case_bytes(const Request& request);
/// Whether a request that has `files` is to take one more: the first always, others up to 64 MiB together, so that
/// a large case goes alone.
[[nodiscard]] bool has_room(const std::vector<std::string>& files, std::uint64_t next_bytes,
                            std::uint64_t most = std::uint64_t{1} << 26);

struct Reply {
  std::uint64_t index = 0;                   ///< of the case: in the stream, or in the request
  std::string strategy;                      ///< that made it; empty where it is not known
  operation::Configuration configuration{};  ///< all options of its launch, defaults too
  bool watched = false;                      ///< the verdict is one of a watched run
  bool too_large = false;                    ///< it was to be one, and the case is too large
  bool ended = false;                        ///< a plain run ended its process, whose cause a watched run has named
  verdict::Verdict verdict;
  Specials specials = kFinite;   ///< of the cause of a failure
  operation::History history{};  ///< launches behind which the case fails so; empty where it fails alone
  /// The launch beside the case that fails so, alone, in its place (property/steps.hpp); nothing: the case does.
  std::optional<operation::EarlierLaunches> launch{};
  /// feature::features_of() the run, as deep as the request says: a campaign that learns prefers cases with new ones.
  std::vector<std::uint32_t> features{};
  std::string printed{};       ///< the beginning of what the kernel printed since the last reply; any bytes
  std::uint64_t elements = 0;  ///< of all tensors of the case together, its output too; 0 where there is no case
  /// Time for the case: its launch, and of what the whole batch took besides a share by its elements.
  std::uint32_t took_us = 0;
  std::string shape{};      ///< of those tensors: "a 1x2x3, b 1x3x4, c 1x2x4, d 1x2x4"
  generate::Shape drawn{};  ///< the same as extents, and how far their elements reach
};

[[nodiscard]] std::string to_bytes(const Setup& setup);
[[nodiscard]] std::string to_bytes(const Request& request);
[[nodiscard]] std::string to_bytes(const std::vector<Reply>& replies);

// Nothing where the bytes are not exactly one of these. What is in a request need not make sense: a kernel that is not
// known, cases that are none, are answered by Error verdicts.
[[nodiscard]] std::optional<Setup> read_setup(std::string_view bytes);
[[nodiscard]] std::optional<Request> read_request(std::string_view bytes);
[[nodiscard]] std::optional<std::vector<Reply>> read_replies(std::string_view bytes);

}  // namespace negzero::campaign
