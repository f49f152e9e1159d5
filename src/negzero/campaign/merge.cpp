// A corpus made smaller: every case runs once, unless its run is on record, and those that show nothing of their own
// go.

#include <utility>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/corpus.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/requested_cases.hpp>

namespace negzero::campaign {

namespace {

/// The cases of a kernel's corpus, read when they are handed out.
class Merging final : public Source, public Sink {
 public:
  Merging(const kernel::Kernel& kernel, const FuzzOptions& options)
      : kernel_(kernel), options_(options), corpus_(options.folder, kernel, options.evaluation) {
    merged_.name = kernel.name;
  }

  base::Result<MergedKernel> run(Crew& crew, const Stop& stop) {
    auto files = corpus_.unknown_files();
    if (!files) return files.error();
    files_ = *std::move(files);
    merged_.before = files_.size();
    std::erase_if(files_, [this](const std::string& path) { return take_recorded(path); });
    most_ = crew.task_cases();
    const auto ran = crew.run(*this, *this, stop);
    if (!ran) return ran.error();
    if (stop()) {
      return base::Error{base::ErrorKind::Interrupted,
                         kernel_.name + ": stopped before a file of it was removed; the kernels before it are merged"};
    }
    const auto removed = corpus_.minimise(options_.most);
    if (!removed) return removed.error();
    merged_.after = merged_.before - *removed;
    merged_.features = corpus_.features();
    return std::move(merged_);
  }

  std::optional<Task> next(int) override {
    if (handed_out_ == files_.size()) return std::nullopt;
    Task task{.request = {.kernel = kernel_.name,
                          .watch = options_.evaluation.watch,
                          .timeout_ms = options_.evaluation.timeout_ms,
                          .features = feature::Depth::Code,
                          .source = WholeCases{}},
              .tag = handed_out_};
    auto& cases = std::get<WholeCases>(task.request.source);
    for (; cases.size() < most_ && handed_out_ < files_.size(); ++handed_out_) {
      auto value = load_case(files_[handed_out_]);
      // What is no case is answered by an Error verdict.
      std::string file = value ? file_of(*std::move(value)) : "";
      if (!has_room(cases, file.size())) break;
      cases.push_back(std::move(file));
    }
    return task;
  }

  bool take(std::uint64_t tag, const Reply& reply) override {
    const std::string& path = files_[tag + reply.index];
    auto value = verdict::is_good(reply.verdict.kind)
                     ? load_case(path)
                     : base::Result<operation::Case>(base::usage_error(reply.verdict.reason));
    if (!value) {
      merged_.failing.push_back(path);
      return true;
    }
    const Shown shown{reply.features, reply.took_us};
    corpus_.record(path, shown);
    count(path, *value, shown);
    return true;
  }

 private:
  /// Whether the run of a file is on record, of a build that is still this one.
  bool take_recorded(const std::string& path) {
    const auto shown = corpus_.recorded(path);
    const auto value = shown ? load_case(path) : base::Result<operation::Case>(base::usage_error(""));
    if (value) count(path, *value, *shown);
    return value.ok();
  }
  void count(const std::string& path, const operation::Case& value, const Shown& shown) {
    corpus_.count(shown.features);
    (void)corpus_.keep(value, shown, path);
  }

  const kernel::Kernel& kernel_;
  const FuzzOptions& options_;
  Corpus corpus_;
  std::uint64_t most_ = 0;  ///< cases of a task
  std::vector<std::string> files_;
  std::size_t handed_out_ = 0;
  MergedKernel merged_;
};

}  // namespace

base::Result<std::vector<MergedKernel>> merge(const std::vector<const kernel::Kernel*>& kernels,
                                              const FuzzOptions& options, const Stop& stop) {
  Crew crew(options.evaluation);
  std::vector<MergedKernel> merged;
  for (const kernel::Kernel* kernel : kernels) {
    auto one = Merging(*kernel, options).run(crew, stop);
    if (!one) return one.error();
    if (one->before > 0) merged.push_back(*std::move(one));
  }
  if (merged.empty()) {
    return base::Error{base::ErrorKind::Undecided,
                       options.folder + "/corpus holds no case of these kernels; `negzero fuzz --folder` makes them"};
  }
  return merged;
}

}  // namespace negzero::campaign
