// Drops terms, then fields, then scalars, asking for a refused evaluation each time.

#include "shrinking.hpp"

#include <utility>

#include <fmt/format.h>

#include <negzero/contract/fields.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::oracle_legal {

namespace {

using Kind = Question::Kind;

constexpr int kEvaluations = 4000;

/// Whether some evaluation is refused; it takes the place of the example's.
bool refuses(Example& example) {
  const operation::Case value = case_of(example.question);
  const auto oracle = oracle::Oracle::make(value, example.contract);
  if (!oracle) return false;
  const oracle::Permitted permitted = oracle->permitted(0);
  base::Random random(1);
  for (int i = 0; i < kEvaluations; ++i) {
    const auto legal = evaluate(example.question, example.contract, random);
    if (!legal || permitted.contains(legal->word)) continue;
    if (class_of({example.question, example.contract, legal->traits}) != example.known) continue;
    example.legal = *legal;
    return true;
  }
  return false;
}

/// Keeps the change where the example is still refused.
template <class Change>
bool keeps(Example& example, const Change& change) {
  Example less = example;
  if (!change(less) || !refuses(less)) return false;
  example = std::move(less);
  return true;
}

std::uint64_t one_in(number::FormatId id) {
  return is_integer(id) ? 1 : to_word(id, Rounder{small_format(id)}.round(make_number(1)));
}

std::string words_of(const Question& question) {
  std::string text = fmt::format("{}->{}", number::format(question.a).name, number::format(question.d).name);
  for (std::size_t i = 0; i < question.x.size(); ++i) {
    text += fmt::format(" {:x}", question.x[i]);
    if (!question.y.empty()) text += fmt::format("*{:x}", question.y[i]);
  }
  if (question.has_c) {
    text += fmt::format(" alpha {} {:x} beta {:x} c {} {:x}", number::format(question.alpha.format).name,
                        question.alpha.bits, question.beta.bits, number::format(question.c).name, question.addend);
  }
  if (question.is_update) text += fmt::format(" init {:x}", question.addend);
  return text;
}

}  // namespace

std::string shrunk(Example example) {
  const bool is_asked_alone = refuses(example);
  for (std::size_t i = example.question.x.size(); is_asked_alone && i-- > 0;) {
    keeps(example, [&](Example& less) {
      less.question.x.erase(less.question.x.begin() + static_cast<std::ptrdiff_t>(i));
      if (!less.question.y.empty()) less.question.y.erase(less.question.y.begin() + static_cast<std::ptrdiff_t>(i));
      return less.question.kind != Kind::Conversion;
    });
  }
  for (const contract::Field& field : contract::fields()) {
    if (!is_asked_alone) break;
    keeps(example, [&](Example& less) {
      const auto plain = field.write(contract::Contract{});
      return field.read(std::string(field.name), plain, less.contract).ok() && contract::validate(less.contract).ok();
    });
  }
  if (is_asked_alone && example.question.has_c) {
    const auto set = [&](std::uint64_t alpha, std::uint64_t beta, std::uint64_t c) {
      keeps(example, [&](Example& less) {
        less.question.alpha.bits = alpha;
        less.question.beta.bits = beta;
        less.question.addend = c;
        return true;
      });
    };
    const Question& now = example.question;
    set(now.alpha.bits, 0, 0);
    set(one_in(now.alpha.format), now.beta.bits, now.addend);
    set(now.alpha.bits, one_in(now.beta.format), now.addend);
  }
  const operation::Case value = case_of(example.question);
  const auto oracle = oracle::Oracle::make(value, example.contract);
  const std::string answer =
      oracle ? fmt::format("{} by {}", oracle->permitted(0).to_string(), oracle->permitted(0).rule.id()) : "no oracle";
  return fmt::format("{} {} {} -> {:x}; permitted {} [{}]{}", operation::name(value.operation),
                     contract::to_json(example.contract), words_of(example.question), example.legal.word, answer,
                     traits_of(example.legal.traits), is_asked_alone ? "" : " (permitted as the only element)");
}

}  // namespace negzero::oracle_legal
