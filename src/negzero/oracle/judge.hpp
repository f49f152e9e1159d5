// Comparing an observed element with its permitted set.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <negzero/oracle/answer.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::oracle {

/// How an element that is not permitted fails.
struct Mismatch {
  verdict::FailureClass kind = verdict::FailureClass::WrongValue;
  verdict::Direction direction = verdict::Direction::None;
  verdict::Rule rule;
};
/// Requires an encoding that `permitted` does not contain.
[[nodiscard]] Mismatch classify(const Permitted& permitted, std::uint64_t observed);

/// Which of two kinds of failure is described first: special values, then values, then signs of zero.
[[nodiscard]] bool worse(verdict::FailureClass a, verdict::FailureClass b) noexcept;

/// Whether miss `a` is described before `b`: the worse kind; of one kind, where `farthest`, the one farther from what
/// is permitted (an unknown distance last); else whichever comes first.
[[nodiscard]] bool worse(const Miss& a, const Miss& b, bool farthest) noexcept;

/// Steps of the format from `observed` to the nearest permitted number; nothing where `observed` is no number, or none
/// is permitted. 0 for a zero of the wrong sign.
[[nodiscard]] std::optional<std::uint64_t> steps_from(const Permitted& permitted, std::uint64_t observed);

/// The failure that a miss is, in an output of that description.
[[nodiscard]] verdict::Failure failure_of(const Miss& miss, const operation::TensorSpec& output);

/// Distance of a permitted finite `observed` from the exact result over the distance of the set's end on that side; 0
/// where the set is one value, where there is no exact result, and for what is not finite. Between 0 and 1. Of an
/// answer under several choices the least that it has under one which permits it.
[[nodiscard]] double margin(const Answer& answer, std::uint64_t observed);

}  // namespace negzero::oracle
