// Contradictions between the fields of a contract, and a contract in one line.

#include <algorithm>
#include <array>

#include <negzero/contract/fields.hpp>
#include <negzero/contract/words.hpp>
#include <negzero/formula/formula.hpp>
#include <negzero/number/holds.hpp>

namespace negzero::contract {
namespace {

using base::usage_error;
using number::Format;

std::string quoted(std::string_view field, std::string_view value) {
  return std::string(field) + " \"" + std::string(value) + "\"";
}

/// Fields that describe() says in words of its own; the others stand there by their names.
constexpr std::array<std::string_view, 19> kInWords{"multiplicand",
                                                    "accumulate",
                                                    "accumulate_rounding",
                                                    "model",
                                                    "wider",
                                                    "compensated",
                                                    "order",
                                                    "depth",
                                                    "tensor_core",
                                                    "unit",
                                                    "slices",
                                                    "slice_format",
                                                    "contraction",
                                                    "promote",
                                                    "intermediate",
                                                    "subnormal_inputs",
                                                    "subnormal_results",
                                                    "nan",
                                                    "overflow"};

/// ", ties first, determinism run_to_run, reads_c_at_beta_zero": what differs from the default besides.
std::string other_fields(const Contract& contract) {
  const Contract defaults;
  std::string text;
  for (const Field& field : fields()) {
    if (std::ranges::find(kInWords, field.name) != kInWords.end() || field.same(contract, defaults)) continue;
    text.append(", ").append(field.name);
    const auto value = field.write(contract);
    if (!value.is_boolean()) text.append(" ").append(value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

/// What contradicts `tensor_core`, whose sums have a rule of their own.
base::Status validate_tensor_core(const Contract& contract) {
  if (contract.slices < 0) {
    return usage_error("contract: slices is " + std::to_string(contract.slices) +
                       "; it must be at least 0 (any number)");
  }
  if (contract.tensor_core == TensorCore::No) {
    if (contract.slices != 0 && !contract.slice_format) {
      return usage_error(
          "contract: slices says something of tensor cores, or of slices that are stored; declare "
          "tensor_core \"may\" or \"only\", or slice_format, too");
    }
    if (contract.unit == Unit::Any) return base::Ok{};
    return usage_error("contract: unit says something of tensor cores; declare tensor_core \"may\" or \"only\" too");
  }
  const auto contradicts = [&](const std::string& what, const char* why) {
    return usage_error("contract: " + quoted("tensor_core", word(contract.tensor_core)) + " contradicts " + what +
                       " (" + why + ")");
  };
  if (contract.accumulate != number::FormatId::F32 && contract.accumulate != number::FormatId::F16) {
    return contradicts(quoted("accumulate", number::format(contract.accumulate).name),
                       "its bound is about F32 and F16");
  }
  if (contract.accumulate_rounding != AccumulateRounding::Nearest) {
    return contradicts(quoted("accumulate_rounding", word(contract.accumulate_rounding)),
                       "the unit rounds in its own way");
  }
  if (contract.order != Order::Any) {
    return contradicts(quoted("order", word(contract.order)),
                       "its bound holds for any order; slices may say how many parts there are");
  }
  if (contract.compensated) return contradicts("compensated", "no bound covers both");
  if (contract.promote)
    return contradicts("promote", "parts of k that are added in the accumulator's format are slices");
  if (contract.alpha == AlphaPlace::Partial) return contradicts("alpha \"partial\"", "no bound covers both");
  if (contract.tensor_core != TensorCore::Only) return base::Ok{};
  constexpr const char* kWhy = "tensor cores take no factors of F32 as they are; \"may\" permits both";
  constexpr Multiplicand kOpen = Multiplicand::Tf32OrExact;
  if (contract.multiplicand == kOpen) return contradicts(quoted("multiplicand", word(kOpen)), kWhy);
  if (contract.multiplicand_b == kOpen) return contradicts(quoted("multiplicand_b", word(kOpen)), kWhy);
  return base::Ok{};
}

/// What contradicts `slice_format`: its bound is about sums in any order, in an accumulator that rounds to nearest.
base::Status validate_slice_format(const Contract& contract) {
  if (!contract.slice_format) return base::Ok{};
  const Format &stored = number::format(*contract.slice_format), &accumulator = number::format(contract.accumulate);
  const auto contradicts = [&](const std::string& what, const char* why) {
    return usage_error("contract: " + quoted("slice_format", stored.name) + " contradicts " + what + " (" + why + ")");
  };
  if (stored.id != number::FormatId::F16 && stored.id != number::FormatId::BF16) {
    return usage_error("contract: " + quoted("slice_format", stored.name) +
                       ": sums of slices are stored in \"F16\" or \"BF16\"");
  }
  const std::string accumulate = quoted("accumulate", accumulator.name);
  if (accumulator.is_integer()) return contradicts(accumulate, "integers are exact");
  if (stored.id == accumulator.id) return contradicts(accumulate, "a store to the same format rounds nothing");
  if (!number::holds(accumulator, stored)) return contradicts(accumulate, "which does not hold every number of it");
  if (contract.order != Order::Any) {
    return contradicts(quoted("order", word(contract.order)),
                       "its bound holds for any order; slices may say how many parts there are");
  }
  if (contract.accumulate_rounding != AccumulateRounding::Nearest) {
    return contradicts(quoted("accumulate_rounding", word(contract.accumulate_rounding)),
                       "its bound holds for nearest");
  }
  if (contract.compensated) return contradicts("compensated", "no bound covers both");
  if (contract.promote) return contradicts("promote", "no bound covers both");
  if (contract.alpha == AlphaPlace::Partial) return contradicts("alpha \"partial\"", "no bound covers both");
  return base::Ok{};
}

/// What contradicts `depth`: its bound is about trees of additions that each round to nearest.
base::Status validate_depth(const Contract& contract) {
  if (contract.depth.formula.empty()) return base::Ok{};
  const auto parsed = formula::Formula::parse(contract.depth.formula);
  if (!parsed) return usage_error("contract field \"depth\": " + parsed.error().message);
  if (parsed->constant() && *parsed->constant() < 1) {
    return usage_error("contract: depth is " + parsed->to_string() + "; it must be at least 1");
  }
  const auto contradicts = [&](const std::string& what, const char* why) {
    return usage_error("contract: " + quoted("depth", parsed->to_string()) + " contradicts " + what + " (" + why + ")");
  };
  if (contract.order != Order::Any) {
    return contradicts(quoted("order", word(contract.order)), "which already says which additions there are");
  }
  if (contract.accumulate_rounding != AccumulateRounding::Nearest) {
    return contradicts(quoted("accumulate_rounding", word(contract.accumulate_rounding)),
                       "its bound holds for nearest");
  }
  if (contract.tensor_core != TensorCore::No) {
    return contradicts(quoted("tensor_core", word(contract.tensor_core)),
                       "whose steps add several products at once; slices may say how many parts there are");
  }
  if (contract.compensated) return contradicts("compensated", "no bound covers both");
  if (contract.slice_format) return contradicts("slice_format", "no bound covers both");
  if (contract.promote) return contradicts("promote", "no bound covers both");
  return base::Ok{};
}

}  // namespace

base::Status validate(const Contract& contract) {
  const Format& accumulator = number::format(contract.accumulate);
  const bool plain = contract.accumulate_rounding == AccumulateRounding::Nearest;
  if (contract.order == Order::Model && contract.model.empty()) {
    return usage_error("contract: order \"model\" needs the field model");
  }
  if (contract.compensated && !plain) {
    return usage_error("contract: compensated contradicts accumulate_rounding \"" +
                       std::string(word(contract.accumulate_rounding)) + "\" (its bound holds for nearest)");
  }
  if (contract.compensated && contract.promote) {
    return usage_error("contract: compensated contradicts promote (no bound covers both)");
  }
  if (const base::Status status = validate_tensor_core(contract); !status) return status;
  if (const base::Status status = validate_slice_format(contract); !status) return status;
  if (const base::Status status = validate_depth(contract); !status) return status;
  if (contract.scalars == Scalars::Formula && contract.start == Start::C) {
    return usage_error(
        "contract: scalars \"formula\" contradicts start \"c\" (the formula adds beta * c to a sum that starts "
        "without it)");
  }
  if (contract.start == Start::C && contract.beta == BetaPlace::Epilogue) {
    return usage_error("contract: start \"c\" contradicts beta \"epilogue\" (C cannot enter first and last)");
  }
  if (contract.promote) {
    if (contract.promote->every <= 0) {
      return usage_error("contract: promote.every is " + std::to_string(contract.promote->every) +
                         "; it must be at least 1");
    }
    if (!number::holds(number::format(contract.promote->format), accumulator)) {
      return usage_error("contract: " + quoted("promote.format", number::format(contract.promote->format).name) +
                         " does not hold every number of " + quoted("accumulate", accumulator.name));
    }
  }
  for (const RoundingStep& step : contract.intermediate) {
    if (number::format(step.format).is_integer() || accumulator.is_integer()) {
      return usage_error("contract: intermediate roundings are between floating-point formats, accumulate and " +
                         quoted("intermediate", number::format(step.format).name) + " are not");
    }
  }
  if (contract.scalar_format && number::format(*contract.scalar_format).is_integer() != accumulator.is_integer()) {
    return usage_error("contract: " + quoted("scalar_format", number::format(*contract.scalar_format).name) +
                       " contradicts " + quoted("accumulate", accumulator.name));
  }
  if (accumulator.is_integer()) {
    if (!plain || contract.compensated || contract.promote || !contract.depth.formula.empty() ||
        conversions(contract) != std::vector{Multiplicands{}}) {
      return usage_error(
          "contract: accumulate \"I32\" contradicts accumulate_rounding, compensated, depth, promote or multiplicand: "
          "integers are exact");
    }
  } else if (contract.integer_overflow == IntegerOverflow::Saturate) {
    return usage_error("contract: integer_overflow \"saturate\" contradicts " + quoted("accumulate", accumulator.name));
  }
  return base::Ok{};
}

std::string describe(const Contract& contract) {
  std::string text(number::format(contract.accumulate).name);
  text += contract.wider ? " accumulator or wider" : " accumulator";
  if (!contract.model.empty()) text += " of " + contract.model;
  if (contract.accumulate_rounding != AccumulateRounding::Nearest) {
    text += contract.accumulate_rounding == AccumulateRounding::TowardZero ? ", rounding toward zero" : ", faithful";
  }
  if (contract.compensated) text += ", compensated";
  if (contract.multiplicand != Multiplicand::Exact)
    text += ", multiplicands " + std::string(word(contract.multiplicand));
  text += contract.order == Order::Any ? ", any order" : ", " + std::string(word(contract.order)) + " order";
  if (!contract.depth.formula.empty()) text += " of depth " + contract.depth.formula;
  if (contract.tensor_core != TensorCore::No) {
    text += contract.tensor_core == TensorCore::May ? ", perhaps on" : ", on";
    text += contract.unit == Unit::Any ? " tensor cores" : " tensor cores of " + std::string(word(contract.unit));
  }
  const std::string slices = contract.slices == 0 ? "" : "at most " + std::to_string(contract.slices) + " ";
  if (contract.slice_format) {
    text += ", sums of " + slices + "slices of k perhaps rounded to " +
            std::string(number::format(*contract.slice_format).name);
  } else if (contract.slices != 0) {
    text += " in " + slices + "slices of k";
  }
  text += contract.contraction == Contraction::Either ? ", fused or separate"
                                                      : ", " + std::string(word(contract.contraction));
  if (contract.promote) {
    text += ", promoted to " + std::string(number::format(contract.promote->format).name) + " every " +
            std::to_string(contract.promote->every);
  }
  for (const RoundingStep& step : contract.intermediate) {
    text += ", through " + std::string(number::format(step.format).name);
    if (step.rounding != number::Rounding::NearestEven) text += " (" + std::string(word(step.rounding)) + ")";
  }
  const auto flushes = [](Subnormals policy) { return policy == Subnormals::Flush ? " flushed" : " kept or flushed"; };
  if (contract.subnormal_inputs != Subnormals::Keep) {
    text += std::string(", subnormal inputs") + flushes(contract.subnormal_inputs);
  }
  if (contract.subnormal_results != Subnormals::Keep) {
    text += std::string(", subnormal results") + flushes(contract.subnormal_results);
  }
  text += contract.nan == NanPolicy::Propagate ? ", NaN propagates" : ", NaN ignored";
  if (contract.overflow != OverflowPolicy::Default)
    text += ", output overflow: " + std::string(word(contract.overflow));
  return text + other_fields(contract);
}

}  // namespace negzero::contract
