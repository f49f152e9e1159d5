// Rows and columns.

#include "tally.hpp"

#include <utility>

#include <fmt/format.h>

#include <negzero/number/format.hpp>

namespace negzero::oracle_faults {

namespace {

/// "0.50%/4000": accepted, and of how many; behind "~" those beyond legal evaluations that were found.
std::string cell(const Counts& counts) {
  const auto share = [](const char* mark, const Share& of) {
    if (of.all == 0) return std::string();
    const double percent = 100.0 * static_cast<double>(of.accepted) / static_cast<double>(of.all);
    return fmt::format("{}{:.2f}%/{}", mark, percent, of.all);
  };
  const std::string text = share("", counts.illegal) + share("~", counts.beyond);
  if (!text.empty()) return text;
  return counts.changed == 0 ? "-" : "0";
}

}  // namespace

void Counts::keep(const std::string& row, std::size_t terms) {
  const bool is_smaller = smallest.empty() || std::pair(terms, row.size()) < std::pair(fewest, smallest.size());
  if (!is_smaller) return;
  smallest = row;
  fewest = terms;
}

void Counts::add(const Counts& other) {
  changed += other.changed;
  by_rule_a.add(other.by_rule_a);
  illegal.add(other.illegal);
  beyond.add(other.beyond);
  within.add(other.within);
  if (!other.smallest.empty()) keep(other.smallest, other.fewest);
  refused.insert(refused.end(), other.refused.begin(), other.refused.end());
}

std::string row_of(const Question& question, const char* contract, std::uint64_t observed,
                   const oracle::Permitted& permitted) {
  const auto name = [](number::FormatId id) { return number::format(id).name; };
  std::string text = fmt::format("{} {}->{}", contract, name(question.a), name(question.d));
  for (std::size_t i = 0; i < question.x.size(); ++i) text += fmt::format(" {:x}*{:x}", question.x[i], question.y[i]);
  if (question.beta.bits != 0)
    text += fmt::format(" alpha {:x} beta {:x} c {:x}", question.alpha.bits, question.beta.bits, question.addend);
  return text + fmt::format(" -> {:x}; permitted {} by {}", observed, permitted.to_string(), permitted.rule.id());
}

void Table::add(const char* fault, const Setting& setting, std::size_t terms, Counts counts) {
  const auto name = [](number::FormatId id) { return number::format(id).name; };
  if (counts.changed == 0) return;
  const Key key{fault, fmt::format("{} {}->{}", setting.contract, name(setting.factors), name(setting.out))};
  counts_[key][terms].add(counts);
}

Counts Table::all() const {
  Counts sum;
  for (const auto& [key, by_terms] : counts_) {
    for (const auto& [terms, counts] : by_terms) sum.add(counts);
  }
  return sum;
}

std::string Table::text() const {
  std::map<std::string, std::map<std::size_t, Counts>> by_fault;
  std::string head = fmt::format("{:<115}", "accepted of what no legal evaluation gives, / their number; m =");
  for (const std::size_t terms : terms_) head += fmt::format("{:>26}", terms);
  const auto line = [&](const std::string& label, const std::map<std::size_t, Counts>& by_terms) {
    std::string text = fmt::format("\n{:<115}", label);
    for (const std::size_t terms : terms_) {
      const auto at = by_terms.find(terms);
      text += fmt::format("{:>26}", at == by_terms.end() ? "-" : cell(at->second));
    }
    return text;
  };
  std::string rows, examples;
  for (const auto& [key, by_terms] : counts_) {
    rows += line(fmt::format("{} {}", key.fault, key.setting), by_terms);
    Counts few;
    for (const auto& [terms, counts] : by_terms) {
      by_fault[key.fault][terms].add(counts);
      if (terms <= 4) few.add(counts);
    }
    if (!few.smallest.empty()) examples += fmt::format("\n{}: {}", key.fault, few.smallest);
  }
  std::string sums;
  for (const auto& [fault, by_terms] : by_fault) sums += line(fault, by_terms);
  const Counts total = all();
  return head + sums + rows +
         fmt::format(
             "\n{} changed; accepted by rule a: {} of {}; of illegal ones: {} of {}; of those beyond legal ones that "
             "were found (~): {} of {}; of those within: {} of {}",
             total.changed, total.by_rule_a.accepted, total.by_rule_a.all, total.illegal.accepted, total.illegal.all,
             total.beyond.accepted, total.beyond.all, total.within.accepted, total.within.all) +
         "\nThe smallest accepted ones of at most 4 terms:" + examples;
}

}  // namespace negzero::oracle_faults
