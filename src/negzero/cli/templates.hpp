// The files that `negzero init` writes, which the build puts into the program: those of templates/, with @NAMES@ to
// fill in, SKILL.md, and docs/schema/negzero.schema.json.
//
//   @FILES@       the CUDA files of the project, a line each, indented as the line is that has it
//   @ACTION@      OWNER/NAME@REF of negzero's repository
//   @REPOSITORY@  OWNER/NAME of it
//   @REF@         REF of it

#pragma once

#include <string_view>

namespace negzero::cli {

extern const std::string_view kWorkflow, kFuzzWorkflow, kProject, kDockerfile, kBuild, kTarget, kSkill, kSchema;

}  // namespace negzero::cli
