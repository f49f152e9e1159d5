// Reports of whole campaigns, all shards together: what a person reads, and the same as a versioned JSON document.

#pragma once

#include <string>

#include <negzero/campaign/survey.hpp>
#include <negzero/report/document.hpp>

namespace negzero::report {

/// The findings, a line a kernel, what the ways of making cases have paid, a line a shard, and the sum.
[[nodiscard]] std::string campaign_text(const campaign::Survey& survey, const std::string& command);

/// {"version", "folder", "executor", "elapsed_ms", "cases_a_second", "features", "code_blocks", "interrupted",
/// "shards": [{"shard", "seed", "elapsed_ms", "cases", "features", "code_blocks", "findings"}], "kernels": [{"name",
/// "cases", "pass", "vacuous", "fail", "refused", "error", "watched", "decided", "corpus", "arms": {name: {"cases",
/// "kept"}}}], "findings": [as check's, with "kernel", "size", "unseen" and "also"], "points": [as fuzz's], "errors":
/// [message]}
[[nodiscard]] std::string campaign_json(const campaign::Survey& survey);

/// What it has to tell in files.
[[nodiscard]] Document document_of(const campaign::Survey& survey, const Invocation& invocation);

}  // namespace negzero::report
