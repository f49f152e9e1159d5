// The campaign behind `fuzz`: a search that learns which cases are worth making.

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include <negzero/campaign/corpus.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/flights.hpp>
#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/loop.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/campaign/searched.hpp>
#include <negzero/campaign/seats.hpp>
#include <negzero/campaign/settlers.hpp>
#include <negzero/campaign/shard_file.hpp>
#include <negzero/files/writable.hpp>

namespace negzero::campaign {

namespace {

using Clock = std::chrono::steady_clock;

/// Between two looks at what other shards have added, and between two states on disk.
constexpr std::chrono::seconds kSync{15}, kSave{1};
/// Longest wait for what is being settled, where there is nothing else to do.
constexpr std::chrono::milliseconds kPoll{50};
/// About ten times as long as a worker takes to start.
constexpr kernel::AtPlace<std::uint64_t> kStartMs{.host = 100, .device = 3000};

class Fuzz final : public Source, public Sink {
 public:
  Fuzz(const std::vector<const kernel::Kernel*>& kernels, LedgerOutcome ledger, const FuzzOptions& options,
       FuzzListener& listener, const Stop& stop)
      : options_(options),
        listener_(listener),
        stop_(stop, {.time_ms = options.time_ms, .cases = options.cases, .first_finding = options.first_finding}),
        files_(options.folder + "/findings", FindingFiles::Named::ByCause),
        loop_(options.evaluation),
        state_path_(shard_path(options.folder, options.shard)),
        seats_(static_cast<std::size_t>(loop_.size()), kernels.size(), kStartMs[options.evaluation.place]),
        settlers_(options.evaluation, loop_, files_) {
    report_.ledger = std::move(ledger);
    for (const kernel::Kernel* kernel : kernels) searched_.emplace_back(*kernel, options);
  }

  base::Result<FuzzReport> run() {
    if (const auto opened = open(); !opened) return opened.error();
    listener_.on_start(report_.resumed);
    if (const auto found = find_files(); !found) return found.error();
    const auto ran = loop_.run(*this, *this, stop_);
    flights_.clear();
    if (!ran && cases_ == 0) return ran.error();
    if (!ran) note(ran.error());
    while (settle_failures(kPoll)) save_in_time();
    save();
    return finished();
  }

  // Source.

  std::optional<Task> next(int examiner) override {
    // Of files that cannot be read no case is left: then others come next.
    while (!stop_.is_over() && std::ranges::any_of(searched_, &Searched::goes_on)) {
      const auto kernel = next_kernel(static_cast<std::size_t>(examiner));
      if (!kernel) return std::nullopt;
      if (auto task = next_of(*kernel)) return task;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_open() const override {
    return settlers_.is_busy() || (!has_first() && std::ranges::any_of(searched_, &Searched::has_failures));
  }

  // Sink.

  bool take(std::uint64_t tag, const Reply& reply) override {
    Flight& flight = flights_.at(tag);
    Searched& searched = searched_[flight.kernel];
    ++cases_;
    if (auto failure = searched.take(flight.request, flight.portion, reply); failure) {
      failure->value.found = seen(searched.kernel().name, options_.evaluation.place, failure->verdict);
      const Cause cause = searched.cause_of(*failure->verdict.failure, failure->specials);
      failure->path = files_.save(failure->value, cause, "original");
      listener_.on_failure(searched.kernel().name, *failure->verdict.failure, failure->path);
      searched.add_failure(*std::move(failure));
    }
    const bool goes_on = searched.goes_on();
    flights_.answered(tag, goes_on);
    return goes_on;
  }

  void pass_time() override {
    (void)settle_failures({});
    save_in_time();
  }

 private:
  base::Status open() {
    for (Searched& searched : searched_) {
      if (const auto valid = searched.validate(); !valid) return valid.error();
    }
    if (const auto opened = files_.open(); !opened) return base::infrastructure_error(opened.error().message);
    files::remove_abandoned_files(std::filesystem::path(state_path_).parent_path().string());
    for (Searched& searched : searched_) files::remove_abandoned_files(searched.corpus().directory());
    auto state = load_shard(state_path_);
    if (!state) return state.error();
    report_.resumed = state->has_value();
    if (*state) state_ = **std::move(state);
    if (!report_.resumed) state_.seed = options_.seed;
    // Written now, so that what keeps it from being written is known before hours have gone by.
    if (const auto saved = save_shard(state_path_, state_); !saved) return saved.error();
    for (Searched& searched : searched_) {
      const auto known = state_.kernels.find(searched.kernel().name);
      if (known != state_.kernels.end()) searched.go_on_from(known->second);
      searched.know_findings(files_.directory(), options_.evaluation.place);
    }
    return base::Ok{};
  }

  base::Status find_files() {
    synced_ = Clock::now();
    for (Searched& searched : searched_) {
      if (const auto found = searched.find_files(); !found) return found.error();
    }
    return base::Ok{};
  }

  /// A task that is under way.
  struct Flight {
    std::size_t kernel = 0;
    Portion portion;
    Request request;
  };

  std::optional<std::size_t> next_kernel(std::size_t examiner) {
    if (Clock::now() - synced_ > kSync) {
      if (const auto found = find_files(); !found) note(found.error());
    }
    // What is known comes first: until it has run, everything looks new.
    const auto unread = std::ranges::find_if(
        searched_, [](const Searched& searched) { return searched.goes_on() && searched.has_files(); });
    if (unread != searched_.end()) return static_cast<std::size_t>(unread - searched_.begin());
    return seats_.at(examiner, stop_.elapsed_ms(), [this](std::size_t kernel) { return searched_[kernel].goes_on(); });
  }

  std::optional<Task> next_of(std::size_t kernel) {
    Searched& searched = searched_[kernel];
    // What is read from the corpus is none of the cases that are asked for.
    const std::uint64_t most = std::min<std::uint64_t>(loop_.task_cases(), 256);
    const std::uint64_t granted = searched.has_files() ? 0 : stop_.grant(most);
    Flight flight{
        .kernel = kernel, .portion = searched.next(shard_seed(), granted > 0 ? granted : most), .request = {}};
    flight.request = {.kernel = searched.kernel().name,
                      .watch = watch_unless(searched.accepting().not_watched().has_value(), options_.evaluation.watch),
                      .repeat = repeat_of(flight.portion),
                      .timeout_ms = options_.evaluation.timeout_ms,
                      .features = feature::Depth::Code,
                      .source = std::move(flight.portion.source)};
    const std::uint64_t cases = count(flight.request);
    Task task{.request = flight.request};
    const auto tag = flights_.begin(std::move(flight), cases);
    if (!tag) return std::nullopt;
    task.tag = *tag;
    return task;
  }
  /// Which cases of a portion run twice. Changed cases have no number of their own to draw it from: those of one
  /// portion in twenty do.
  [[nodiscard]] property::Repeat repeat_of(const Portion& portion) const {
    if (!std::holds_alternative<ChangedRange>(portion.source)) return property::Repeat::Some;
    return flights_.next() % 20 == 0 ? property::Repeat::Always : property::Repeat::Never;
  }

  /// Streams of different shards share no case.
  [[nodiscard]] std::uint64_t shard_seed() const {
    return base::mix64(state_.seed ^ base::mix64(options_.shard.number | std::uint64_t{options_.shard.count} << 32));
  }

  /// Takes what has been settled, after `longest` at the latest, and begins with more. False where nothing is left.
  bool settle_failures(std::chrono::milliseconds longest) {
    if (is_cut_short()) settlers_.stop();
    while (auto settled = settlers_.take(longest)) take_settled(searched_[settled->first], std::move(settled->second));
    for (std::size_t i = 0; i < searched_.size() && settlers_.has_room() && !has_first(); ++i) {
      Searched& searched = searched_[i];
      if (!searched.has_failures() || settlers_.is_busy(i)) continue;
      Met met = *searched.take_failure();
      listener_.on_shrinking(searched.kernel().name, *met.verdict.failure);
      settlers_.begin(i, std::move(met), searched.told(), searched.kernel(), searched.accepting());
    }
    return is_open();
  }
  /// Whether shrinking ends too: the time is over, or the first finding was made that it was to stop at.
  [[nodiscard]] bool is_cut_short() const {
    const auto reason = stop_.reason();
    return reason != StopCondition::Reason::None && reason != StopCondition::Reason::Cases;
  }

  /// Whether it ends at the finding that it has: a later run goes on with the failures that wait.
  [[nodiscard]] bool has_first() const { return stop_.reason() == StopCondition::Reason::FirstFinding; }

  void take_settled(Searched& searched, Settled settled) {
    if (settled.problem) note(*settled.problem);
    if (settled.known || has_first() || !searched.is_new(settled.cause)) return;
    Finding& finding = settled.finding;
    if (!finding.accepted) stop_.found();
    finding.also_at = searched.report().places.beside(finding.failure, finding.watched);
    listener_.on_finding(finding);
    searched.report().findings.push_back(std::move(finding));
  }

  void save_in_time() {
    if (Clock::now() - saved_ > kSave) save();
  }

  void save() {
    saved_ = Clock::now();
    FuzzPoint now{.elapsed_ms = state_.elapsed_ms + stop_.elapsed_ms()};
    std::uint64_t vacuous = 0;
    // Of kernels that an earlier run had to do with, and this one has not.
    for (const auto& [name, kernel] : state_.kernels) {
      const auto is_it = [&name = name](const Searched& searched) { return searched.kernel().name == name; };
      if (std::ranges::none_of(searched_, is_it)) now.cases += kernel.cases;
    }
    for (const Searched& searched : searched_) {
      const FuzzedKernel& report = searched.report();
      now.cases += report.cases;
      now.features += report.features;
      now.code_blocks += report.code_blocks;
      now.corpus += report.corpus;
      now.findings += report.findings.size() + report.known.size() + report.known_accepted.size();
      vacuous += report.vacuous;
    }
    BeingShrunk shrinking = settlers_.under_way();
    shrinking.left_ms = std::min(shrinking.left_ms, stop_.left_ms());
    listener_.on_progress(now, vacuous, shrinking);
    add_point(state_.points, now);
    ShardState state = state_;
    state.elapsed_ms = now.elapsed_ms;
    for (const Searched& searched : searched_) state.kernels[searched.kernel().name] = searched.report();
    if (const auto saved = save_shard(state_path_, state); !saved) note(saved.error());
  }

  FuzzReport finished() {
    report_.place = options_.evaluation.place;
    report_.folder = options_.folder;
    report_.shard = options_.shard;
    report_.seed = state_.seed;
    report_.run_ms = stop_.elapsed_ms();
    report_.elapsed_ms = state_.elapsed_ms + report_.run_ms;
    report_.interrupted = stop_.is_interrupted();
    report_.points = std::move(state_.points);
    if (files_.problem()) note(*files_.problem());
    std::vector<KernelRun> runs;
    // Only now: a file that could not be read may have been read later.
    for (const Searched& searched : searched_) {
      if (const auto problem = searched.problem()) note(*problem);
    }
    for (const Searched& searched : searched_) {
      KernelRun& run = runs.emplace_back(searched.run());
      run.whole = run.whole && !report_.interrupted && report_.errors.empty();
    }
    report_.ledger.stale = stale_entries(options_.accepted, runs, options_.evaluation.place);
    for (Searched& searched : searched_) report_.kernels.push_back(std::move(searched.report()));
    return std::move(report_);
  }

  void note(const base::Error& error) {
    if (std::ranges::find(report_.errors, error) == report_.errors.end()) report_.errors.push_back(error);
  }

  const FuzzOptions& options_;
  FuzzListener& listener_;
  StopCondition stop_;
  FindingFiles files_;
  Loop loop_;
  std::string state_path_;
  ShardState state_;  ///< as it was when this run began; points of this run besides
  std::deque<Searched> searched_;
  Seats seats_;
  Settlers settlers_;
  Flights<Flight> flights_;
  std::uint64_t cases_ = 0;
  FuzzReport report_;
  Clock::time_point synced_ = Clock::now(), saved_ = synced_;
};

}  // namespace

base::Result<FuzzReport> fuzz(const std::vector<const kernel::Kernel*>& kernels, const FuzzOptions& options,
                              FuzzListener& listener, const Stop& stop) {
  LedgerOutcome ledger;
  const auto run = without_quarantined(kernels, options.accepted, options.evaluation, ledger);
  return Fuzz(run, std::move(ledger), options, listener, stop).run();
}

}  // namespace negzero::campaign
