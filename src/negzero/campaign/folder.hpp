// What all shards of a search have come to, read from the folder that they share.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/shard_file.hpp>

namespace negzero::campaign {

struct ShardEntry {
  Shard shard;
  ShardState state;
};

/// What the cases of a kernel have come to, summed over the shards.
struct KernelTotal : KernelState {
  std::string name;
  std::uint64_t corpus = 0;  ///< case files
};

struct FolderState {
  std::vector<ShardEntry> shards;    ///< by count, then by number; at least one
  std::vector<KernelTotal> kernels;  ///< by name
  std::vector<FuzzPoint> points;     ///< together_over_time() of the shards
  std::vector<FailureFiles> failures;
};

/// Reads a folder of fuzz(), also while shards are at work in it. Changes nothing there.
/// Usage error: no such folder, no shard's file in it, or one that is none. Infrastructure error: it cannot be read.
[[nodiscard]] base::Result<FolderState> read_folder(const std::string& folder);

/// How far all shards were after each had worked for a time: cases of all, and the rest of the shard that knew most,
/// because every shard reads what the others keep. A shard that ended earlier counts as it ended.
[[nodiscard]] std::vector<FuzzPoint> together_over_time(const std::vector<ShardEntry>& shards);

}  // namespace negzero::campaign
