// The ledger of known findings: its reader, and what it decides.

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include <negzero/base/glob.hpp>
#include <negzero/base/nearest.hpp>
#include <negzero/base/words.hpp>
#include <negzero/files/field_reader.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/verdict/ledger.hpp>

namespace negzero::verdict {
namespace {

using files::in_quotes;
using files::JsonValue;

constexpr std::int64_t kVersion = 1;
constexpr base::Words<RunsAt, 4> kPlaces{{"", "host", "watched", "cuda"}};
constexpr std::size_t kClasses = static_cast<std::size_t>(FailureClass::Stateful) + 1;

bool is_blank(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c) != 0; });
}

/// "https://host/path", or "owner/repo#12".
bool is_link(std::string_view text) {
  const auto is_visible = [](unsigned char c) { return c > ' ' && c != 0x7f; };
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.starts_with(scheme)) return text.size() > scheme.size() && std::ranges::all_of(text, is_visible);
  }
  const auto is_name = [](std::string_view name) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; };
    return !name.empty() && std::ranges::all_of(name, fits);
  };
  const std::size_t slash = text.find('/'), hash = text.find('#');
  if (slash == std::string_view::npos || hash == std::string_view::npos) return false;
  const auto number = files::parse_decimal(text.substr(hash + 1));
  return is_name(text.substr(0, slash)) && is_name(text.substr(slash + 1, hash - slash - 1)) && number && *number > 0;
}

/// One entry; `error` gets the first thing that is wrong with it.
LedgerEntry read_entry(const JsonValue& document, std::string_view what, std::optional<std::string>& error) {
  files::FieldReader fields(document, what, {"kernel", "class", "rule", "place", "at", "reason", "link"}, error);
  const auto required = [&](std::string_view key, std::string_view cure) {
    if (fields.ok() && !fields.has(key)) fields.fail(key, fmt::format("is missing; {}", cure));
    const std::string text(fields.text(key));
    if (fields.ok() && is_blank(text)) fields.fail(key, fmt::format("= {} is empty; {}", in_quotes(text), cure));
    return text;
  };
  LedgerEntry entry;
  entry.kernel = required("kernel", "name a kernel or a test, * and ? allowed");
  const bool has_class = fields.has("class"), has_rule = fields.has("rule");
  if (has_class && has_rule) fields.fail("rule", "stands beside class; keep the one that is meant");
  if (!has_class && !has_rule) {
    fields.fail("class", "is missing, and so is rule; copy one of them from the finding's report");
  }
  if (has_class) {
    const std::string_view word = fields.text("class");
    entry.kind = parse_failure_class(word);
    if (fields.ok() && !entry.kind) {
      std::vector<std::string_view> words;
      for (std::size_t i = 0; i < kClasses; ++i) words.push_back(name(static_cast<FailureClass>(i)));
      fields.fail("class", fmt::format("= {} is no class of failures; {}known: {}", in_quotes(word),
                                       base::did_you_mean(word, words), failure_class_words()));
    }
  } else if (has_rule) {
    const std::string_view word = fields.text("rule");
    const auto rule = Rule::parse(word);
    if (fields.ok() && (!rule || !rule->is_judging())) {
      std::vector<std::string_view> ids;
      for (const RuleRow& row : judging_rules()) ids.push_back(row.id);
      fields.fail("rule", fmt::format("= {} is no rule; {}`negzero list rules` has them", in_quotes(word),
                                      base::did_you_mean(word, ids)));
    }
    entry.rule = rule.value_or(Rule());
  }
  if (fields.has("place")) {
    const std::string_view word = fields.text("place");
    const auto place = parse_runs_at(word);
    if (fields.ok() && !place) {
      fields.fail("place", fmt::format("= {} is no place; give host, watched or cuda, or leave it out for all of them",
                                       in_quotes(word)));
    }
    entry.place = place.value_or(RunsAt::Anywhere);
  }
  if (fields.has("at")) {
    entry.at = fields.text("at");
    if (fields.ok() && is_blank(entry.at)) {
      fields.fail("at",
                  fmt::format("= {} is empty; copy the text of a line that the finding names, or leave it out for "
                              "all of them",
                              in_quotes(entry.at)));
    }
    if (fields.ok() && entry.is_quarantine()) {
      fields.fail("at", "stands in an entry about crashes, whose kernels are not run; leave it out");
    }
  }
  entry.reason = required("reason", "say in a sentence why the finding is accepted");
  entry.link = required("link", "give the URL of the issue that tracks it, or owner/repo#12");
  if (fields.ok() && !is_link(entry.link)) {
    fields.fail("link", fmt::format("= {} is no link; give an http(s) URL, or an issue as owner/repo#12",
                                    in_quotes(entry.link)));
  }
  return entry;
}

}  // namespace

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](unsigned char c) { return std::isspace(c) != 0; });
  return result;
}

std::string_view name(RunsAt place) noexcept { return kPlaces.name(place); }

std::optional<RunsAt> parse_runs_at(std::string_view text) noexcept {
  return text.empty() ? std::nullopt : kPlaces.parse(text);
}

bool LedgerEntry::is_about(std::string_view name, RunsAt there) const noexcept {
  const bool is_there =
      place == RunsAt::Anywhere || place == there || (place == RunsAt::Host && there == RunsAt::Watched);
  return is_there && base::matches_glob(kernel, name);
}

bool LedgerEntry::accepts(const KnownBy& finding) const {
  if (!is_about(finding.kernel, finding.place) || (kind ? kind != finding.kind : rule != finding.rule)) return false;
  return at.empty() || std::ranges::find(finding.lines, without_blanks(at)) != finding.lines.end();
}

std::string LedgerEntry::to_string() const {
  std::string text = fmt::format("{}, {}", kernel, kind ? name(*kind) : rule.id());
  if (place != RunsAt::Anywhere) text += fmt::format(", {}", name(place));
  if (!at.empty()) text += fmt::format(", at {}", at);
  return text;
}

std::optional<std::size_t> Ledger::accepting(const KnownBy& finding) const {
  const auto found = std::ranges::find_if(entries_, [&](const LedgerEntry& entry) { return entry.accepts(finding); });
  if (found == entries_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - entries_.begin());
}

std::optional<std::size_t> Ledger::quarantining(std::string_view kernel, RunsAt place) const noexcept {
  const auto found = std::ranges::find_if(
      entries_, [&](const LedgerEntry& entry) { return entry.is_quarantine() && entry.is_about(kernel, place); });
  if (found == entries_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - entries_.begin());
}

bool Ledger::may_hide_races(const KnownBy& finding, const LedgerEntry& entry) const {
  const bool ends_launches = finding.kind == FailureClass::DataRace && finding.rule != "run.equal_stores";
  return ends_launches && entry.is_about(finding.kernel, finding.place) && accepting(finding).has_value();
}

std::vector<std::size_t> Ledger::stale(std::span<const KnownBy> findings, std::span<const RanThere> ran) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const LedgerEntry& entry = entries_[i];
    bool ran_any = false, ran_whole = true;
    for (const RanThere& each : ran) {
      if (!entry.is_about(each.kernel, each.place)) continue;
      ran_any = true;
      ran_whole = ran_whole && each.whole;
    }
    const auto accepts = [&](const KnownBy& finding) {
      return entry.accepts(finding) || (entry.is_of_races() && may_hide_races(finding, entry));
    };
    if (ran_any && ran_whole && !entry.is_quarantine() && std::ranges::none_of(findings, accepts)) result.push_back(i);
  }
  return result;
}

base::Result<Ledger> parse_ledger(std::string_view text, std::string_view what) {
  const auto document = files::parse_strict_json(text, what);
  if (!document) {
    return base::usage_error(document.error().message +
                             "; a ledger is {\"version\": 1, \"accepted\": [entries]}, see docs/how-to/ci.md");
  }
  std::optional<std::string> error;
  files::FieldReader fields(document->root(), what, {"version", "accepted"}, error);
  const std::int64_t version = fields.integer("version");
  if (version != kVersion) fields.fail("version", fmt::format("= {} is unknown; give {}", version, kVersion));
  const JsonValue& list = fields.child("accepted");
  if (fields.ok() && !list.is(JsonValue::Kind::Array)) fields.fail("accepted", "is no list; give a list of entries");
  std::vector<LedgerEntry> entries;
  if (fields.ok()) {
    for (const JsonValue& document_of_entry : list) {
      const std::string where = fmt::format("{}: accepted finding #{}", what, entries.size() + 1);
      LedgerEntry entry = read_entry(document_of_entry, where, error);
      if (error) break;
      const auto is_same = [&](const LedgerEntry& other) {
        return other.kernel == entry.kernel && other.kind == entry.kind && other.rule == entry.rule &&
               other.place == entry.place && without_blanks(other.at) == without_blanks(entry.at);
      };
      const auto same = std::ranges::find_if(entries, is_same);
      if (same != entries.end()) {
        error = fmt::format("{} ({}) names what #{} names; remove one of them", where, entry.to_string(),
                            same - entries.begin() + 1);
        break;
      }
      entries.push_back(std::move(entry));
    }
  }
  if (error) return base::usage_error(*error);
  return Ledger(std::move(entries));
}

}  // namespace negzero::verdict
