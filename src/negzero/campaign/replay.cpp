// The loop behind `replay`: case files against what they expect.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/outputs.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/campaign/replay_jobs.hpp>
#include <negzero/campaign/reruns.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/property/counterexample.hpp>

namespace negzero::campaign {

namespace {

using operation::Expectation;
using verdict::VerdictKind;

/// A file whose jobs are under way.
struct File : ReplayFile {
  std::size_t next = 0;  ///< job to hand out; behind them comes what is done at the end of the file
  [[nodiscard]] bool is_handed_out() const { return next > jobs.size(); }
  std::vector<Expectation> seen{};  ///< what is recorded
};

/// An unknown kernel that files name.
struct Unknown {
  std::string first_file, last_file;
  std::size_t files = 0;
  std::size_t error = 0;  ///< which error of the report it is
};

class Replay {
 public:
  Replay(const std::vector<std::string>& paths, const ReplayOptions& options,
         const std::function<void(const ReplayItem&)>& on_item, const std::function<bool()>& stop)
      : paths_(paths), options_(options), on_item_(on_item), stop_(stop), outputs_(options.save_outputs) {}

  base::Result<ReplayReport> run() {
    if (!options_.kernels.empty()) {
      auto kernels = kernels_matching(options_.kernels, place());
      if (!kernels) return kernels.error();
      chosen_ = *std::move(kernels);
    }
    const auto ran = rerun(
        options_.evaluation, [this] { return next(); }, stop_);
    if (!ran) return ran.error();
    report_.place = place();
    for (const auto& [message, unknown] : unknown_) {
      const std::string others =
          unknown.files > 1 ? fmt::format(" (and {} more of these files)", unknown.files - 1) : "";
      report_.errors[unknown.error].message = fmt::format("{}{}: {}", unknown.first_file, others, message);
    }
    report_.interrupted = stop_();
    return std::move(report_);
  }

 private:
  /// Puts what happened in the place of what was expected of the same kernel here. A kernel that was asked for by name
  /// ran both plainly and watched, unless a flag said otherwise; else one of the two keeps its expectation.
  void record(Expectation now, std::vector<Expectation>& expect) const {
    const bool both = !options_.kernels.empty() && options_.evaluation.watch == Watch::Auto;
    const auto replaced = [&](const Expectation& e) {
      const bool alike = both || (e.executor == "watched") == (now.executor == "watched");
      return e.kernel == now.kernel && alike && is_expected_at(e, place());
    };
    const auto at = std::ranges::find_if(expect, replaced);
    const auto place = at - expect.begin();
    if (at != expect.end()) now.needs = at->needs;
    std::erase_if(expect, replaced);
    expect.insert(expect.begin() + place, std::move(now));
  }
  [[nodiscard]] Watch watch_of(const ReplayItem& item) const {
    return watch_for(item.expected, options_.evaluation.watch);
  }
  [[nodiscard]] kernel::Place place() const { return options_.evaluation.place; }

  /// The next job, or the end of a file.
  std::optional<Rerun> next() {
    if (files_.empty() || files_.back().is_handed_out()) {
      if (next_ == paths_.size() || is_to_be_written(paths_[next_])) return std::nullopt;
      files_.push_back({read_jobs(paths_[next_++], options_, chosen_)});
    }
    File& file = files_.back();
    if (file.next == file.jobs.size()) {
      ++file.next;
      return Rerun{.value = &file.value, .settle = [this](RanAgain) {
                     close(files_.front());
                     files_.pop_front();
                   }};
    }
    ReplayJob& job = file.jobs[file.next++];
    // What a case without expectations was found by is looked for as it was found.
    const auto known =
        job.item.expected ? std::nullopt : known_failure(file.value, job.item.kernel, options_.evaluation.place);
    return Rerun{.value = &file.value,
                 .kernel = job.kernel,
                 .watch = watch_for_known(known, watch_of(job.item)),
                 .explains =
                     [&job](const verdict::Verdict& verdict) {
                       job.item.verdict = verdict;
                       return job.item.status() == ReplayStatus::Different;
                     },
                 .settle = [this, &file, &job](RanAgain seen) { settle(file, job, std::move(seen)); }};
  }

  /// Whether a file is under way that is the same one, and what happens is recorded in it first.
  [[nodiscard]] bool is_to_be_written(const std::string& path) const {
    std::error_code code;
    return options_.record && std::ranges::any_of(files_, [&](const File& file) {
             return std::filesystem::equivalent(file.path, path, code);
           });
  }

  /// A corpus names the same few kernels in many files: each that is not known is said once.
  void note_unknown(const std::string& path, const std::string& message) {
    Unknown& unknown = unknown_[message];
    if (unknown.last_file == path) return;  // Expected on several executors.
    unknown.last_file = path;
    if (unknown.files++ > 0) return;
    unknown.first_file = path;
    unknown.error = report_.errors.size();
    report_.errors.push_back(base::usage_error(message));
  }

  void settle(File& file, ReplayJob& job, RanAgain seen) {
    ReplayItem& item = job.item;
    if (!job.unknown.empty()) {
      note_unknown(file.path, job.unknown);
      return;
    }
    if (job.kernel != nullptr) {
      item.verdict = std::move(seen.verdict);
      item.watched = std::move(seen.watched);
      tell_more(file, *job.kernel, item);
    }
    on_item_(item);
    report_.items.push_back(std::move(item));
  }

  /// Adds to the verdict what is shown, saved and recorded with it.
  void tell_more(File& file, const kernel::Kernel& kernel, ReplayItem& item) {
    const EvaluationOptions& how = options_.evaluation;
    if (const auto& failure = item.verdict.failure) {
      item.counterexample = property::counterexample(kernel, file.value, *failure,
                                                     replay_line(options_.command, file.path, item.kernel, true));
      if (!item.watched.empty()) item.counterexample += fmt::format("  watched    {}\n", item.watched);
      const bool is_expected = item.status() != ReplayStatus::Different;
      if (!is_expected && how.observe && !stop_()) item.observations = {observe(file.value, kernel, *failure, how)};
    }
    if (!options_.save_outputs.empty()) save_outputs(file.path, file.value, kernel, item);
    // An error is no property of the kernel.
    if (!options_.record || item.verdict.kind == VerdictKind::Error) return;
    Expectation now = campaign::seen(item.kernel, place(), item.verdict);
    if (item.expected) now.executor = kernel::name(place());
    if (watch_of(item) == Watch::Always) now.executor = "watched";
    file.seen.push_back(now);
    item.expected = std::move(now);
    item.recorded = true;
  }

  /// Ends a file whose jobs are settled.
  void close(File& file) {
    if (file.problem && file.names_unknown) {
      note_unknown(file.path, file.problem->message);
    } else if (file.problem) {
      report_.errors.push_back(*std::move(file.problem));
    }
    if (file.seen.empty()) return;
    for (const Expectation& now : file.seen) record(now, file.value.expect);
    if (const auto saved = case_file::save(file.path, file.value); !saved) {
      report_.errors.push_back(saved.error());
      return;
    }
    for (Expectation& now : file.seen) report_.recorded.push_back({file.path, std::move(now)});
  }

  void save_outputs(const std::string& path, const operation::Case& value, const kernel::Kernel& kernel,
                    ReplayItem& item) {
    const auto saved = outputs_.save(path, value, kernel, options_.evaluation);
    if (saved) {
      item.outputs = *saved;
    } else {
      report_.errors.push_back(saved.error());
    }
  }

  const std::vector<std::string>& paths_;
  const ReplayOptions& options_;
  const std::function<void(const ReplayItem&)>& on_item_;
  const std::function<bool()>& stop_;
  OutputFiles outputs_;
  std::vector<const kernel::Kernel*> chosen_;  ///< by ReplayOptions::kernels
  std::size_t next_ = 0;                       ///< path to read
  std::deque<File> files_;                     ///< those that are not settled
  std::map<std::string, Unknown> unknown_;     ///< by message
  ReplayReport report_;
};

}  // namespace

base::Result<ReplayReport> replay(const std::vector<std::string>& files, const ReplayOptions& options,
                                  const std::function<void(const ReplayItem&)>& on_item,
                                  const std::function<bool()>& stop) {
  return Replay(files, options, on_item, stop).run();
}

}  // namespace negzero::campaign
