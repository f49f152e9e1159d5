// The cases of one kernel that showed something new: in a folder that several campaigns share, and in memory.
//
//   FOLDER/corpus/KERNEL/HASH.safetensors     one case each, named by its content, written once and never changed
//   FOLDER/corpus/KERNEL/HASH.shown.json      what its run showed (shown_file.hpp)

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/base/result.hpp>
#include <negzero/campaign/shown_file.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::campaign {

class Corpus {
 public:
  /// Touches nothing yet.
  Corpus(const std::string& folder, const kernel::Kernel& kernel, const EvaluationOptions& options);

  /// The files that lie in the folder and were not taken here before: those of an earlier run, and of other shards. A
  /// folder that is not there has none. Infrastructure error where it cannot be read.
  [[nodiscard]] base::Result<std::vector<std::string>> unknown_files();
  /// Makes a file of unknown_files() unknown again: one that could not be read may have been half-written.
  void forget(const std::string& file);

  /// What is on record of the run of a file of unknown_files(). Nothing where it has to run: there is no record, or one
  /// of another build.
  [[nodiscard]] std::optional<Shown> recorded(const std::string& file) const { return load_shown(file, build_); }
  /// Puts the run of a file on record, so that it need not run again. A case that keep() writes is on record.
  void record(const std::string& file, const Shown& shown) const;

  /// Counts the features of a run; whether one of them is new. Once there are kMostFeatures, no further feature of code
  /// is: that many are made up by the kernel's process, and each would keep a case.
  bool count(const Features& features);
  static constexpr std::size_t kMostFeatures = std::size_t{1} << 14;
  /// Keeps a case that is no failure: in memory, and as a file with the names of its kernel and contract. One that
  /// comes from a file of the folder (`file`: its path) has one already. A case that is kept again, be it by another
  /// shard, stays one entry, with the features of all its runs. Infrastructure error where it cannot be written; it is
  /// kept in memory all the same.
  base::Status keep(const operation::Case& value, Shown shown, const std::string& file = "");

  /// Case files to change, `count` of them or fewer, drawn by energy over time: energy is the sum over an entry's
  /// features of one over the runs that showed it, so that what few runs reach is tried most; and where children take
  /// as long as their parents, entries share time as they share energy.
  [[nodiscard]] std::vector<std::string> parents(std::size_t count, base::Random& random);

  /// Removes files, large ones first, until none can go without a feature that no other shows. With `most` above 0 at
  /// most so many stay: one after the other the case that shows most which those before it do not show, the smallest
  /// of several. Features that none shows any more are forgotten. Returns how many files went.
  [[nodiscard]] base::Result<std::size_t> minimise(std::size_t most = 0);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t features() const { return runs_.size(); }
  [[nodiscard]] std::size_t code_blocks() const { return blocks_.size(); }  ///< that features are about
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  struct Entry {
    std::string file;  ///< its bytes, without names: what a child is made of
    std::string name;  ///< of the file
    Shown shown;
  };
  /// Energy over time.
  [[nodiscard]] double worth(const Entry& entry) const;
  /// Which entries stay, by place.
  [[nodiscard]] std::vector<bool> needed() const;
  [[nodiscard]] std::vector<bool> most_telling(std::size_t most) const;

  std::string directory_, kernel_, contract_, build_;
  std::set<std::string> known_;  ///< names of files
  std::vector<Entry> entries_;
  std::unordered_map<std::uint32_t, std::uint64_t> runs_;  ///< by feature
  std::set<std::uint32_t> blocks_;                         ///< of code, that they are about
  std::uint64_t counted_ = 0;                              ///< runs
  std::vector<double> until_;  ///< by entry: the worth of all up to it, as it was when `weighed_` runs were counted
  std::uint64_t weighed_ = 0;
};

}  // namespace negzero::campaign
