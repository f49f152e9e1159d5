// Judges recorded results: all of them in tiles, or a sample for as long as it may take.

#include <algorithm>
#include <atomic>
#include <memory>

#include <fmt/format.h>

#include <negzero/base/stopwatch.hpp>
#include <negzero/judgement/blind.hpp>
#include <negzero/judgement/hints.hpp>
#include <negzero/judgement/judgement.hpp>
#include <negzero/judgement/pieces.hpp>
#include <negzero/judgement/sampler.hpp>
#include <negzero/judgement/threads.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/workload.hpp>
#include <negzero/oracle/judge.hpp>

namespace negzero::judgement {
namespace {

using base::usage_error;

/// Up to this cost (pieces.hpp) everything is judged without a sample: milliseconds, where the screen settles most.
constexpr double kLittle = 1 << 21;
/// Elements of a tile of a sample; and where all are judged, as many as leave several tiles to each thread: operands are
/// taken apart once for each row or column of tiles.
constexpr std::int64_t kTile = std::int64_t{1} << 12, kLargeTile = std::int64_t{1} << 16;
/// Elements on which `blind` is estimated, and terms of them: of long sums fewer are looked at.
constexpr std::int64_t kBlindElements = 256, kFewBlindElements = 16, kBlindTerms = std::int64_t{1} << 21;
/// Shares of a sample's time: for one wave at most, and what is too little to begin another.
constexpr double kWave = 0.2, kLast = 0.08;

base::Status check(const operation::Case& value, std::span<const tensor::Tensor> outputs) {
  const auto specs = operation::output_specs(value.operation);
  if (outputs.size() != specs.size()) {
    return usage_error(fmt::format("{} outputs were observed, {} has {}", outputs.size(),
                                   operation::name(value.operation), specs.size()));
  }
  for (std::size_t o = 0; o < specs.size(); ++o) {
    if (outputs[o].format_id() == specs[o].format && outputs[o].shape() == specs[o].shape) continue;
    return usage_error(fmt::format("output {} has another format or shape than the case's", specs[o].name));
  }
  return base::Ok{};
}

/// One judgement while it is made.
class Judging {
 public:
  Judging(const operation::Case& value, const contract::Contract& contract, std::span<const tensor::Tensor> outputs,
          const Options& options)
      : value_(value),
        contract_(contract),
        outputs_(outputs),
        options_(options),
        cutter_(value),
        lists_(operation::work_of(value.operation, kMostHinted) <= kMostHinted) {
    for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
      const operation::Counted counted(value, spec.name);
      const std::int64_t count = tensor::count_elements(spec.shape);
      for (std::int64_t i = 0; i < count && !counted.all(); ++i) result_.of += counted.holds(i) ? 1 : 0;
      if (counted.all()) result_.of += count;
    }
  }

  base::Result<Judgement> judged() {
    if (result_.of == 0) {
      result_.reason = "the outputs of this case have no elements";
      return std::move(result_);
    }
    if (options_.all || whole_cost() <= kLittle) {
      judge_tiles();
    } else {
      judge_sample();
    }
    if (error_) return *error_;
    conclude();
    return std::move(result_);
  }

 private:
  [[nodiscard]] double whole_cost() const { return cutter_.cost(Piece{}); }
  [[nodiscard]] std::uint64_t now() const { return options_.clock ? options_.clock() : watch_.us(); }

  /// What is seen of a piece, in the numbers of the whole.
  base::Result<oracle::Look> look_at(const Piece& piece) {
    const bool is_whole = std::ranges::none_of(piece.kept, [](const auto& kept) { return kept.has_value(); });
    const operation::Case part = is_whole ? operation::Case{} : operation::part_of(value_, piece.kept);
    std::vector<tensor::Tensor> cut;
    const notation::Signature& signature = value_.operation.signature();
    for (std::size_t o = 0; o < outputs_.size() && !is_whole; ++o) {
      cut.push_back(operation::part_of(signature, signature.outputs[o].tensor, outputs_[o], piece.kept));
    }
    const auto oracle = oracle::Oracle::make(is_whole ? value_ : part, contract_, {.exact = options_.exact});
    if (!oracle) return oracle.error();
    oracle::Looking how{.worst = options_.worst, .farthest = true, .explains = true, .lists = lists_};
    how.decides = &decides_;
    if (piece.elements) how.elements = *piece.elements;
    oracle::Look look = oracle->look(is_whole ? outputs_ : std::span<const tensor::Tensor>(cut), how);
    if (is_whole) return look;
    const std::vector<std::int64_t> elements =
        look.failed == 0 ? std::vector<std::int64_t>() : cutter_.elements_of(piece);
    for (oracle::Miss& miss : look.worst) {
      miss.place.element = elements[static_cast<std::size_t>(miss.place.element)];
    }
    for (oracle::OutputElement& place : look.failing) place.element = elements[static_cast<std::size_t>(place.element)];
    return look;
  }

  void look_at_all(std::span<const Piece> pieces) {
    std::vector<std::optional<base::Result<oracle::Look>>> looks(pieces.size());
    in_parallel(options_.threads, pieces.size(), [&](std::size_t i) { looks[i] = look_at(pieces[i]); });
    for (auto& look : looks) {
      if (!look->ok()) {
        error_ = look->error();
        return;
      }
      add(std::move(**look));
    }
  }

  void add(oracle::Look look) {
    result_.judged += look.judged;
    result_.open += look.open;
    result_.failing += look.failed;
    failing_.insert(failing_.end(), look.failing.begin(), look.failing.end());
    std::ranges::move(look.worst, std::back_inserter(result_.worst));
    std::ranges::sort(result_.worst, [](const auto& a, const auto& b) { return oracle::worse(a, b, true); });
    if (result_.worst.size() > options_.worst) result_.worst.resize(options_.worst);
  }

  void judge_tiles() {
    const bool is_little = whole_cost() <= kLittle;
    const std::int64_t share = cutter_.outputs() / static_cast<std::int64_t>(8 * options_.threads);
    // Every piece of an update looks through all of what is sent: few pieces. Others take operands apart once for each
    // row or column of pieces.
    const std::int64_t most = value_.operation.signature().is_update ? share : std::min(share, kLargeTile);
    look_at_all(cutter_.tiles(is_little ? cutter_.outputs() : std::max(kTile, most)));
  }

  /// Takes from a piece the elements that were judged before, and marks the others.
  void mark(Piece& piece) {
    const std::vector<std::int64_t> whole = cutter_.elements_of(piece);
    std::vector<std::int64_t> fresh;
    const auto take = [&](std::int64_t i) {
      const std::int64_t element = whole[static_cast<std::size_t>(i)];
      if (seen_[static_cast<std::size_t>(element)]) return;
      seen_[static_cast<std::size_t>(element)] = true;
      sampled_.push_back(element);
      fresh.push_back(i);
    };
    if (piece.elements) {
      for (const std::int64_t i : *piece.elements) take(i);
    } else {
      for (std::size_t i = 0; i < whole.size(); ++i) take(static_cast<std::int64_t>(i));
    }
    piece.elements = std::move(fresh);
  }

  void judge_sample() {
    seen_.resize(static_cast<std::size_t>(cutter_.outputs()));
    const std::uint64_t start = now();
    const auto left = [&] { return options_.seconds - static_cast<double>(now() - start) * 1e-6; };
    const auto extremes = extremes_of(value_, outputs_);
    Sampler sampler(cutter_, extremes, options_.seed);
    const std::size_t threads = std::max<std::size_t>(1, options_.threads);
    double rate = 0;  // of all threads, in additions a second
    const auto wave = [&](std::vector<Piece> pieces) {
      double cost = 0;
      for (Piece& piece : pieces) {
        mark(piece);
        cost += cutter_.cost(piece);
      }
      const std::uint64_t before = now();
      look_at_all(pieces);
      rate = cost / std::max(1e-6, static_cast<double>(now() - before) * 1e-6);
    };
    // One piece alone says what elements cost here: whether the screen knows the case, and settles its elements.
    wave({sampler.block(kLittle / 8, true)});
    rate *= static_cast<double>(threads);
    std::vector<std::size_t> lines;
    for (std::size_t d = 0; d < cutter_.dimensions().size(); ++d) {
      if (sampler.has_lines(d)) lines.push_back(d);
    }
    for (int fruitless = 0; !error_ && fruitless < 4;) {
      const double seconds = left();
      const auto judged = static_cast<std::int64_t>(sampled_.size());
      if (seconds < kLast * options_.seconds || judged == cutter_.outputs()) return;
      if (whole_cost() <= 0.7 * rate * seconds) return wave(cutter_.tiles(kTile));
      const double target = rate * std::min(kWave * options_.seconds, 0.5 * seconds) / static_cast<double>(threads);
      std::vector<Piece> pieces;
      if (!lines.empty()) {
        for (const std::size_t d : lines) {
          if (sampler.least_line(d) <= 0.2 * rate * seconds) pieces.push_back(sampler.line(d, target));
        }
        lines.clear();
      }
      while (pieces.size() < threads) pieces.push_back(sampler.block(target, false));
      wave(std::move(pieces));
      fruitless = static_cast<std::int64_t>(sampled_.size()) > judged ? 0 : fruitless + 1;
    }
  }

  /// Some of the judged elements of the first output, each of them as likely as another.
  [[nodiscard]] std::vector<std::int64_t> some_judged() const {
    base::Random random(options_.seed ^ 0x626c696e64);
    const bool is_sample = !sampled_.empty();
    const auto count = is_sample ? static_cast<std::int64_t>(sampled_.size()) : cutter_.outputs();
    const std::int64_t most = std::clamp(kBlindTerms / cutter_.depth(), kFewBlindElements, kBlindElements);
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < std::min(count, most); ++i) {
      const std::int64_t at = count <= most ? i : random.between(0, count - 1);
      chosen.push_back(is_sample ? sampled_[static_cast<std::size_t>(at)] : at);
    }
    const operation::Counted counted(value_, operation::output_specs(value_.operation).front().name);
    std::erase_if(chosen, [&](std::int64_t element) { return !counted.all() && !counted.holds(element); });
    std::ranges::sort(chosen);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
  }

  void look_for_blind() {
    if (!adds(value_.operation)) return;
    std::vector<std::int64_t> some = some_judged();
    if (some.empty()) return;  // All of them are padding.
    const Piece piece = cutter_.around(std::move(some));
    const Blindness seen =
        blindness(operation::part_of(value_, piece.kept), contract_, *piece.elements, options_.threads);
    result_.blind_of = seen.of;
    if (seen.of > 0) result_.blind = seen.share;
  }

  void conclude() {
    look_for_blind();
    if (result_.judged == 0) {
      result_.reason = "none of the elements that were chosen counts";
    } else if (result_.failing > 0) {
      result_.kind = Kind::Fail;
      std::ranges::sort(failing_);
      if (lists_ && options_.worst > 0 && result_.judged == result_.of) {
        result_.permitted_under = hints(value_, contract_, outputs_, failing_);
      }
    } else if (decides_) {
      result_.kind = Kind::Pass;
    } else {
      result_.kind = Kind::Vacuous;
      result_.reason = "the contract permits so much for every element that garbage would pass too";
    }
  }

  const operation::Case& value_;
  const contract::Contract& contract_;
  std::span<const tensor::Tensor> outputs_;
  const Options& options_;
  Cutter cutter_;
  bool lists_;  ///< whether every failing element is named: for hints
  base::Stopwatch watch_{};
  Judgement result_{};
  std::optional<base::Error> error_{};
  std::atomic<bool> decides_ = false;
  std::vector<oracle::OutputElement> failing_{};
  std::vector<bool> seen_{};             ///< of a sample, by element
  std::vector<std::int64_t> sampled_{};  ///< those, in the order in which they were chosen
};

}  // namespace

std::string_view name(Kind kind) noexcept {
  constexpr std::string_view kWords[] = {"pass", "fail", "vacuous", "undecided"};
  return kWords[static_cast<std::size_t>(kind)];
}

base::Result<Judgement> judge(const operation::Case& value, const contract::Contract& contract,
                              std::span<const tensor::Tensor> outputs, const Options& options) {
  const base::FloatScope scope;
  if (const base::Status status = check(value, outputs); !status) return status.error();
  if (const base::Status status = contract::validate(contract); !status) return status.error();
  if (contract.order == contract::Order::Model || !contract.model.empty()) {
    Judgement undecided;
    undecided.reason = "the contract names the hardware model \"" + contract.model +
                       "\", which this version does not know: give another contract";
    return undecided;
  }
  if (value.operation.signature().is_declared) {
    Judgement undecided;
    undecided.reason =
        operation::name(value.operation) + " is a declared operation, of which no oracle knows the values";
    return undecided;
  }
  return Judging(value, contract, outputs, options).judged();
}

}  // namespace negzero::judgement
