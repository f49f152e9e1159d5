// What may be claimed of a kernel's cases: by name, so that a request can ask for it in any process of this program.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/campaign/executors.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// Cases to judge together: one verdict each, in order. `words` are those behind the claim's name.
struct Question {
  std::span<const operation::Case> cases;
  const kernel::Kernel& kernel;
  Executors& executors;
  property::Judging how;
  std::vector<std::string> words;
};
using Judge = std::function<std::vector<verdict::Verdict>(const Question&)>;

/// The judge of a claim, or nothing:
///
///     conformance              its outcome is one that its contract permits
///     metamorphic NAME         property::metamorphic_properties(): Vacuous where its precondition does not hold
///     compare FIRST SECOND     property::compare() of two kernels, as "gemm.tiled.f32@watched"
///
/// and what add_claim() added. Verdicts of what a claim cannot be asked for (words that it does not know) are Errors.
[[nodiscard]] const Judge* find_claim(std::string_view name);

/// Adds a claim; returns true, so that a namespace-scope constant can hold the result: every process of the program
/// must know it.
bool add_claim(std::string name, Judge judge);

/// Judges one claim, "metamorphic run_twice", name and words.
[[nodiscard]] std::vector<verdict::Verdict> judge_claim(const std::string& claim, Question question);

/// "compare gemm.a@host gemm.b@cuda".
[[nodiscard]] std::string compare_claim(const kernel::Kernel& first, const kernel::Kernel& second);

}  // namespace negzero::campaign
