// Case and contract in, permitted set of every output element out; and the judgement of an observed output.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::oracle {

struct Options {
  std::string exact{};  ///< force a method of exact by name; empty: the cheapest
  bool prunes = true;   ///< leave out paths whose results others have (covers.hpp): without it no set is narrower
  bool screen = true;   ///< decide clear elements in F64 with a proved error bound; verdicts never depend on it
};

/// What is known exactly of one element, whatever a kernel made of it.
struct ElementFacts {
  verdict::Rule rule{};                      ///< that gives the permitted set
  std::optional<exact::Dyadic> result{};     ///< the exact result, where it is a number that sums are made of
  std::optional<exact::Dyadic> sum{};        ///< of the terms that no special value is among
  std::optional<exact::Dyadic> magnitude{};  ///< S, the sum of their magnitudes; with `sum`
  std::uint64_t terms = 0;                   ///< m, how many of them are not zero
};

/// What one path of a contract permits of an element, along one of its ways to memory (paths.hpp), in words.
struct Reached {
  std::string member{};  ///< the choice that it belongs to, where the contract leaves one open
  std::string terms{}, sum{}, ending{};
  Permitted permitted{};
};

/// An element of one of the outputs.
struct OutputElement {
  std::size_t output = 0;
  std::int64_t element = 0;
  friend auto operator<=>(const OutputElement&, const OutputElement&) = default;
};

/// An element that is not permitted.
struct Miss {
  OutputElement place;
  std::uint64_t observed = 0;
  verdict::FailureClass kind = verdict::FailureClass::WrongValue;
  verdict::Direction direction = verdict::Direction::None;
  verdict::Rule rule{};
  Permitted permitted{};
  std::optional<std::uint64_t> steps{};  ///< from the nearest permitted number; nothing where one of both is no number
  std::string explained{};               ///< Oracle::explain(), where that was asked for
};

/// Which elements are looked at, and what is kept of them.
struct Looking {
  std::optional<std::span<const std::int64_t>> elements{};  ///< of each output, ascending; nothing: all of them
  std::size_t worst = 1;                                    ///< most misses that are described
  bool farthest = false;  ///< of misses of one kind describe the farthest from what is permitted, else the first
  bool explains = false;
  bool lists = true;   ///< name every failing element: of a case in which all fail that is 16 bytes each
  bool stops = false;  ///< at the first miss: only whether there is one is asked
  /// Set as soon as some set can reject garbage: where others look at parts of the same case, no one seeks further.
  std::atomic<bool>* decides = nullptr;
};

/// What was seen of those elements.
struct Look {
  std::int64_t judged = 0;               ///< those that count
  std::int64_t open = 0;                 ///< of them, those that the screen left to the exact oracle
  bool decided = false;                  ///< some set can reject garbage, here or where Looking::decides is set
  double margin = 0;                     ///< Verdict::margin
  std::int64_t failed = 0;               ///< how many are not permitted
  std::vector<OutputElement> failing{};  ///< those, in the order of outputs, row-major, where Looking::lists is set
  std::vector<Miss> worst{};             ///< some of them, the worst first (oracle/judge.hpp: worse)
};

/// Outputs from which on an element's permitted set does not depend on how many there are: of fewer outputs more is
/// asked (numerics.md section 2b).
inline constexpr std::int64_t kManyOutputs = 17;

class Screen;

/// The oracle for one case under one contract, or the union of its members (contract::members()), facts being those of
/// the first. Holds what all elements share (operands taken apart, windows); the case must outlive it.
class Oracle {
 public:
  /// Usage errors: an invalid contract, a hardware model that is not known, a contract that does not fit the operation.
  [[nodiscard]] static base::Result<Oracle> make(const operation::Case& value, const contract::Contract& contract,
                                                 const Options& options = {});
  Oracle(Oracle&&) noexcept;
  Oracle& operator=(Oracle&&) noexcept;
  ~Oracle();

  // An element is numbered in its output, row-major; an output in its operation.

  /// The permitted set of an element, with the rule that gave it; `before`: beside what a kernel gave for the outputs
  /// before that one, where it is known.
  [[nodiscard]] Permitted permitted(std::int64_t element, std::size_t output = 0,
                                    std::span<const tensor::Tensor> before = {}) const;

  /// The facts behind that set. Costs as much.
  [[nodiscard]] ElementFacts facts(std::int64_t element, std::size_t output = 0) const;
  /// The encoding of the output's format that is nearest to the exact result (ties to even, a zero with a permitted
  /// sign), or the only permitted one; nothing where there is neither, as for a NaN that may be an infinity too.
  [[nodiscard]] std::optional<std::uint64_t> exact(std::int64_t element, std::size_t output = 0) const;

  /// Why that set: exact value, P, N, m, B, rule and its source in two lines (see explain.hpp).
  [[nodiscard]] std::string explain(std::int64_t element, std::size_t output = 0) const;

  /// What each path reaches by itself, those that add nothing to others too. None for what has no paths: selections,
  /// conversions, integers.
  [[nodiscard]] std::vector<Reached> reached(std::int64_t element, std::size_t output = 0) const;

  /// What decides clear elements before all that (screen.hpp), each made for one pass over them, which the oracle
  /// must outlive. None where the screen is off.
  [[nodiscard]] std::vector<std::unique_ptr<Screen>> make_screens() const;

  /// Judges elements of all outputs, which must have the formats and shapes of output_specs(). Safe to call from
  /// several threads, as everything here is.
  [[nodiscard]] Look look(std::span<const tensor::Tensor> observed, const Looking& how) const;

  /// Judges all outputs (packed, formats and shapes of output_specs()): the first failing element in the order of
  /// outputs, row-major, of the worst kind is described, the number of failing elements counted. Pass, Fail or Vacuous.
  /// Contracts under which a failure would be right are judgement's to say (judgement/hints.hpp).
  /// `failing`: gets the elements that are not permitted, in that order.
  [[nodiscard]] verdict::Verdict judge(std::span<const tensor::Tensor> observed,
                                       std::vector<OutputElement>* failing = nullptr) const;
  /// The same of an operation with one output.
  [[nodiscard]] verdict::Verdict judge(const tensor::Tensor& observed) const { return judge({&observed, 1}); }

 private:
  struct State;
  explicit Oracle(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace negzero::oracle
