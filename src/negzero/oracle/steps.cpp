// Applies operations by the ends of their operands.

#include <fmt/format.h>

#include <negzero/contract/words.hpp>
#include <negzero/oracle/epilogue.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/steps.hpp>

namespace negzero::oracle {

namespace {

/// What one operation makes of a set of one piece.
struct After {
  const Set& set;
  const Addend& c;

  Set operator()(const Round& step) const {
    return convert_sum(set, number::format(step.from), step.arithmetic, step.rounding, step.overflow);
  }
  Set operator()(const Load& step) const {
    return convert(set, step.arithmetic.format(), number::Rounding::NearestEven, contract::OverflowPolicy::Ieee);
  }
  Set operator()(const Hold& step) const { return stored(set, step.arithmetic, step.may_overflow); }
  Set operator()(const Scale& step) const { return multiply(step.arithmetic, set, step.alpha); }
  Set operator()(const AddC& step) const { return add_c(step, set, c.read); }
  Set operator()(const TakeC& step) const { return addend(step.arithmetic, step.beta, c.read); }
  Set operator()(const CopyC&) const { return c.stored.set(); }
  Set operator()(const Divide& step) const { return divide(step.arithmetic, set, step.count); }
  Set operator()(const TimesReciprocal& step) const {
    return multiply(step.arithmetic, set, reciprocal(step.arithmetic.format(), step.count));
  }
};

struct InWords {
  static std::string_view name(const Arithmetic& arithmetic) { return arithmetic.format().name; }

  std::string operator()(const Round& step) const {
    std::string text = fmt::format("to {} {}", name(step.arithmetic), contract::word(step.rounding));
    if (step.overflow != contract::OverflowPolicy::Ieee) text += fmt::format(" {}", contract::word(step.overflow));
    return text;
  }
  std::string operator()(const Load& step) const { return fmt::format("back to {}", name(step.arithmetic)); }
  std::string operator()(const Hold& step) const { return fmt::format("stored to {}", name(step.arithmetic)); }
  std::string operator()(const Scale& step) const {
    return fmt::format("* {} in {}", step.alpha.to_string(), name(step.arithmetic));
  }
  std::string operator()(const AddC& step) const {
    return fmt::format("{}+ {} c in {}, {}{}", step.alpha ? fmt::format("* {} ", step.alpha->to_string()) : "",
                       step.beta.to_string(), name(step.arithmetic), contract::word(step.contraction),
                       step.ends_chain ? ", last of the chain" : "");
  }
  std::string operator()(const TakeC& step) const {
    return fmt::format("{} c in {}", step.beta.to_string(), name(step.arithmetic));
  }
  std::string operator()(const CopyC&) const { return "c"; }
  std::string operator()(const Divide& step) const {
    return fmt::format("/ {} in {}", step.count, name(step.arithmetic));
  }
  std::string operator()(const TimesReciprocal& step) const {
    return fmt::format("* (1 / {}) in {}", step.count, name(step.arithmetic));
  }
};

}  // namespace

std::string to_string(const Step& step) { return std::visit(InWords{}, step); }

std::string to_string(const Ending& ending) {
  std::string text;
  for (const Step& step : ending) text += (text.empty() ? "" : ", then ") + to_string(step);
  return text.empty() ? "as it is" : text;
}

Set finish(std::span<const Step> steps, const Set& sum, const Addend& c) {
  Set set = sum;
  for (const Step& step : steps) {
    set = set.each_piece([&](const Set& piece) { return std::visit(After{piece, c}, step); });
  }
  return set;
}

}  // namespace negzero::oracle
