// How far a shard of a search is, as a file that a later run goes on from.
//
//   {"version": 2, "seed": "17", "elapsed_ms": 61000,
//    "points": [[elapsed_ms, cases, features, code blocks, corpus, findings], ...],
//    "kernels": {"gemm.naive.f32": {"cases": 9, "pass": 9, ..., "arms": {"exact": [next, cases, kept], ...},
//      "options": {"algorithm": {"values": [[value, cases, fail], ...], "others": [cases, fail]}, ...}}}}

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/fuzz.hpp>

namespace negzero::campaign {

struct ShardState {
  std::uint64_t seed = 0, elapsed_ms = 0;
  std::vector<FuzzPoint> points;
  std::map<std::string, KernelState> kernels;  ///< those that this run has nothing to do with too
};

/// Appends a point of time; where they are too many, every second one goes, and the last stays.
void add_point(std::vector<FuzzPoint>& points, const FuzzPoint& now);

/// "FOLDER/shards/2-of-4.json".
[[nodiscard]] std::string shard_path(const std::string& folder, const Shard& shard);
/// Nothing where there is no such file. Usage error, naming it, where it is no state of a shard.
[[nodiscard]] base::Result<std::optional<ShardState>> load_shard(const std::string& path);
/// Infrastructure error where it cannot be written.
[[nodiscard]] base::Status save_shard(const std::string& path, const ShardState& state);

}  // namespace negzero::campaign
