// The files that `negzero init` writes, as text with @NAMES@ to fill in.
//
//   @FILES@       the CUDA files of the project, a line each, indented as the line is that has it
//   @ACTION@      OWNER/NAME@REF of negzero's repository
//   @REPOSITORY@  OWNER/NAME of it
//   @REF@         REF of it

#pragma once

#include <span>
#include <string_view>

namespace negzero::cli {

struct Template {
  std::string_view path;  ///< in the project
  std::string_view text;
  bool is_program = false;
};

[[nodiscard]] std::span<const Template> templates();

/// SKILL.md in negzero's repository is the same text.
extern const std::string_view kSkill;
/// docs/schema/negzero.schema.json in negzero's repository is the same text.
extern const std::string_view kSchema;

}  // namespace negzero::cli
