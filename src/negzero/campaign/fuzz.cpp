// The campaign behind `fuzz`: a search that learns which cases are worth making.

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include <negzero/campaign/corpus.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/flights.hpp>
#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/campaign/searched.hpp>
#include <negzero/campaign/seats.hpp>
#include <negzero/campaign/settle.hpp>
#include <negzero/campaign/shard_file.hpp>
#include <negzero/files/writable.hpp>

namespace negzero::campaign {

namespace {

using Clock = std::chrono::steady_clock;

/// Between two looks at what other shards have added, and between two states on disk.
constexpr std::chrono::seconds kSync{15}, kSave{1};
/// Longest wait for what is being settled, where there is nothing else to do.
constexpr std::chrono::milliseconds kPoll{50};
/// Time that cases in flight have after a time limit.
constexpr std::uint64_t kLastTasksMs = 1000;

/// About ten times as long as a worker takes to start.
constexpr kernel::AtPlace<std::uint64_t> kStartMs{.host = 100, .device = 3000};

class Fuzz {
 public:
  Fuzz(const std::vector<const kernel::Kernel*>& kernels, LedgerOutcome ledger, const FuzzOptions& options,
       FuzzListener& listener, const Stop& stop)
      : options_(options),
        listener_(listener),
        stop_(stop),
        files_(options.folder + "/findings", FindingFiles::Named::ByCause),
        crew_(options.evaluation),
        settler_(options.evaluation, files_, [this] { return is_over(); }),
        state_path_(shard_path(options.folder, options.shard)),
        seats_(static_cast<std::size_t>(crew_.size()), kernels.size(), kStartMs[options.evaluation.place]) {
    report_.ledger = std::move(ledger);
    for (const kernel::Kernel* kernel : kernels) searched_.emplace_back(*kernel, options);
  }

  base::Result<FuzzReport> run() {
    if (const auto opened = open(); !opened) return opened.error();
    listener_.on_start(report_.resumed);
    if (const auto found = find_files(); !found) return found.error();
    const auto ran = crew_.run([this](int examiner) { return next(static_cast<std::size_t>(examiner)); },
                               [this](std::uint64_t tag, const Reply& reply) { return take(tag, reply); },
                               [this] {
                                 (void)settle_failures(std::chrono::milliseconds(0));
                                 save_in_time();
                                 return stop_() || elapsed_ms() >= limit_ms() + kLastTasksMs;
                               });
    flights_.clear();
    if (!ran && cases_ == 0) return ran.error();
    if (!ran) note(ran.error());
    while (settle_failures(kPoll)) save_in_time();
    save();
    return finished();
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

  [[nodiscard]] std::uint64_t elapsed_ms() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count());
  }
  [[nodiscard]] std::uint64_t limit_ms() const {
    return options_.time_ms == 0 ? std::uint64_t{1} << 62 : options_.time_ms;
  }
  [[nodiscard]] bool is_over() const { return stop_() || elapsed_ms() >= limit_ms(); }

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

  std::optional<Task> next(std::size_t examiner) {
    // Of files that cannot be read no case is left: then others come next.
    while (!is_over() && has_more()) {
      const auto kernel = next_kernel(examiner);
      if (!kernel) return std::nullopt;
      if (auto task = next_of(*kernel)) return task;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> next_kernel(std::size_t examiner) {
    if (Clock::now() - synced_ > kSync) {
      if (const auto found = find_files(); !found) note(found.error());
    }
    // What is known comes first: until it has run, everything looks new.
    const auto unread = std::ranges::find_if(
        searched_, [](const Searched& searched) { return searched.goes_on() && searched.has_files(); });
    if (unread != searched_.end()) return static_cast<std::size_t>(unread - searched_.begin());
    return seats_.at(examiner, elapsed_ms(), [this](std::size_t kernel) { return searched_[kernel].goes_on(); });
  }

  std::optional<Task> next_of(std::size_t kernel) {
    std::uint64_t most = std::min<std::uint64_t>(crew_.task_cases(), 256);
    if (options_.cases != 0) most = std::min(most, options_.cases - handed_out_);
    Searched& searched = searched_[kernel];
    Flight flight{.kernel = kernel, .portion = searched.next(shard_seed(), most), .request = {}};
    flight.request = {.kernel = searched.kernel().name,
                      .watch = searched.accepting().watch(options_.evaluation.watch),
                      .repeat = repeat_of(flight.portion),
                      .timeout_ms = options_.evaluation.timeout_ms,
                      .features = feature::Depth::Code,
                      .source = std::move(flight.portion.source)};
    const std::uint64_t cases = count(flight.request);
    handed_out_ += flight.portion.arm ? cases : 0;
    Task task{.request = flight.request};
    const auto tag = flights_.begin(std::move(flight), cases);
    if (!tag) return std::nullopt;
    task.tag = *tag;
    return task;
  }
  /// Whether there are cases to hand out, apart from the time.
  [[nodiscard]] bool has_more() const {
    return (options_.cases == 0 || handed_out_ < options_.cases) && std::ranges::any_of(searched_, &Searched::goes_on);
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

  bool take(std::uint64_t tag, const Reply& reply) {
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

  /// Takes what has been settled, after `longest` at the latest, and begins with the next. False where none is left.
  bool settle_failures(std::chrono::milliseconds longest) {
    if (is_over()) settler_.stop();
    if (settler_.is_busy()) {
      auto settled = settler_.take(longest);
      if (!settled) return true;
      if (settled->problem) note(*settled->problem);
      Searched& searched = searched_[settling_];
      if (!settled->known && searched.is_new(settled->cause)) {
        Finding& finding = settled->finding;
        finding.also_at = searched.report().places.beside(finding.failure, finding.watched);
        listener_.on_finding(finding);
        searched.report().findings.push_back(std::move(finding));
      }
    }
    const auto waits = std::ranges::find_if(searched_, &Searched::has_failures);
    if (waits == searched_.end()) return false;
    settling_ = static_cast<std::size_t>(waits - searched_.begin());
    Met met = *waits->take_failure();
    listener_.on_shrinking(waits->kernel().name, *met.verdict.failure);
    settler_.begin(std::move(met), waits->told(), waits->kernel(), waits->accepting());
    return true;
  }

  void save_in_time() {
    if (Clock::now() - saved_ > kSave) save();
  }

  void save() {
    saved_ = Clock::now();
    FuzzPoint now{.elapsed_ms = state_.elapsed_ms + elapsed_ms()};
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
    listener_.on_progress(now, vacuous);
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
    report_.run_ms = elapsed_ms();
    report_.elapsed_ms = state_.elapsed_ms + report_.run_ms;
    report_.interrupted = stop_();
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
  const Stop& stop_;
  FindingFiles files_;
  Crew crew_;
  Settler settler_;
  std::size_t settling_ = 0;  ///< whose failure is being settled
  std::string state_path_;
  ShardState state_;  ///< as it was when this run began; points of this run besides
  std::deque<Searched> searched_;
  Seats seats_;
  Flights<Flight> flights_;
  std::uint64_t handed_out_ = 0, cases_ = 0;
  FuzzReport report_;
  Clock::time_point start_ = Clock::now(), synced_ = start_, saved_ = start_;
};

}  // namespace

base::Result<FuzzReport> fuzz(const std::vector<const kernel::Kernel*>& kernels, const FuzzOptions& options,
                              FuzzListener& listener, const Stop& stop) {
  LedgerOutcome ledger;
  const auto run = without_quarantined(kernels, options.accepted, options.evaluation, ledger);
  return Fuzz(run, std::move(ledger), options, listener, stop).run();
}

}  // namespace negzero::campaign
