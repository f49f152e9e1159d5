// The claim that every kernel makes: its outcome is one that its contract permits.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/reference.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// The contract that decides a case: the case's own, or the kernel's when it names none. Usage error when it does not
/// parse.
[[nodiscard]] base::Result<contract::Contract> contract_of(const operation::Case& value, const kernel::Kernel& kernel);

/// Which cases run a second time, threads in another order, where the contract promises determinism: other bits than
/// the first run's are a failure of rule run.repeat.
enum class Repeat : unsigned char {
  Never,
  Some,  ///< one case in twenty, the same ones for a seed
  Always,
};

/// Whether a case runs a second time.
[[nodiscard]] bool runs_again(std::uint64_t seed, std::uint64_t index, const contract::Contract& contract,
                              Repeat repeat);

struct Judging {
  std::string exact{};  ///< force a method of exact by name
  Repeat repeat = Repeat::Never;
  Repeat claims = Repeat::Never;  ///< which cases are held to what the contract claims beside values (claimed.hpp)
  /// What runs the kernel's reference, where it has one; without it such values are not judged.
  std::optional<Referee> referee{};
  std::size_t threads = 1;  ///< that judge the cases of a batch
  bool blind = false;       ///< of one case in twenty, the same ones for a seed: look what a verdict on it cannot see
  bool random_errors = false;  ///< of cases with independent terms that pass: Verdict::random_errors
  bool hints = true;           ///< of a failure: look for contracts that would permit it (Failure::permitted_under)
  bool until_hang = false;     ///< run::Batch::until_hang: the verdict of what is left is an Error, with run::kLeft
  /// Sees every case with what became of it, before it is judged; of a case that runs twice the first run, of one with
  /// a history nothing.
  std::function<void(const operation::Case&, const run::Outcome&)> observe{};
};

/// The verdict on what a kernel made of a case.
[[nodiscard]] verdict::Verdict judge(const operation::Case& value, const contract::Contract& contract,
                                     const run::Outcome& outcome, const Judging& how);

/// The first element in which a run of a case differs from one before it, both completed, as a failure of rule
/// run.repeat; nothing where all bits are the same. `words`: a sentence around what this one gave, and what the first.
[[nodiscard]] std::optional<verdict::Failure> other_bits(const operation::Case& value, const run::Outcome& first,
                                                         const run::Outcome& second,
                                                         fmt::format_string<std::string, std::string> words);

/// Runs the case on the kernel and judges what came out. Of a declared operation, whose values no oracle knows, what is
/// not wrong is NotJudged. A case with a history is judged behind it (statefulness.hpp).
/// An Error verdict says what went wrong with us (a contract that does not parse, an oracle that does not know the
/// model, a kernel of another operation).
[[nodiscard]] verdict::Verdict conformance(const operation::Case& value, const kernel::Kernel& kernel,
                                           run::Executor& executor, const Judging& how = {});

/// The same for several cases, one verdict each, in order. A failure among several is confirmed alone: cases that share
/// a GPU's memory could spoil each other's. One that comes back among the others only is kept, and says so. Where some
/// fail while launches run at once, all run again in turn, and that counts.
[[nodiscard]] std::vector<verdict::Verdict> conformance(std::span<const operation::Case> cases,
                                                        const kernel::Kernel& kernel, run::Executor& executor,
                                                        const Judging& how = {});

}  // namespace negzero::property
