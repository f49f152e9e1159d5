// The functions of negzero for other languages.

#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/base/float_environment.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/base/result.hpp>
#include <negzero/c/checking.hpp>
#include <negzero/c/drawing.hpp>
#include <negzero/c/extents.hpp>
#include <negzero/c/ledger.hpp>
#include <negzero/c/negzero.h>
#include <negzero/c/options.hpp>
#include <negzero/c/ordering.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/judgement/catalogue.hpp>
#include <negzero/judgement/explanation.hpp>
#include <negzero/judgement/judgement.hpp>
#include <negzero/judgement/observed.hpp>
#include <negzero/judgement/words.hpp>
#include <negzero/number/format.hpp>

namespace negzero::c {
namespace {

constexpr int kDocumentVersion = 1;

std::span<const std::byte> bytes_of(negzero_bytes given) {
  return {static_cast<const std::byte*>(given.data), given.data == nullptr ? 0 : given.size};
}

/// Copies to a block that negzero_free() takes. Whether there was memory for it.
bool give(std::string_view bytes, negzero_block* out) noexcept {
  // A block of no bytes is not NULL: NULL says that there was no memory.
  void* const memory = std::malloc(bytes.empty() ? 1 : bytes.size());
  if (memory == nullptr) return false;
  if (!bytes.empty()) std::memcpy(memory, bytes.data(), bytes.size());
  *out = {memory, bytes.size()};
  return true;
}

std::int32_t fail(const base::Error& error, negzero_block* out) {
  give(base::one_line(error.message), out);
  return error.kind == base::ErrorKind::Infrastructure ? NEGZERO_OURS : NEGZERO_USAGE;
}

/// Calls `work`, which gives the bytes to hand out, in the oracle's floating-point environment. Nothing leaves but a
/// status.
template <typename Work>
std::int32_t enter(negzero_block* out, const Work& work) noexcept {
  if (out == nullptr) return NEGZERO_USAGE;
  *out = {nullptr, 0};
  const base::FloatScope scope;
  try {
    const base::Result<std::string> result = work();
    if (!result) return fail(result.error(), out);
    return give(*result, out) ? NEGZERO_DONE : NEGZERO_OURS;
  } catch (const std::bad_alloc&) {
    give("negzero: there is too little memory for this", out);
  } catch (const std::exception& exception) {
    try {
      give(base::one_line(std::string("negzero failed: ") + exception.what()), out);
    } catch (...) {  // Without memory for the message there is none.
    }
  } catch (...) {
    give("negzero failed for a reason that it does not know", out);
  }
  return NEGZERO_OURS;
}

base::Error named(const char* what, const base::Error& error) {
  return {error.kind, std::string(what) + ": " + error.message};
}

base::Result<operation::Case> case_of(negzero_bytes file) {
  auto value = case_file::parse(bytes_of(file));
  if (!value) return named("case", value.error());
  return value;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view view_of(negzero_bytes given) {
  const auto bytes = bytes_of(given);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

base::Result<std::string> list() {
  Json formats = Json::array();
  for (const number::Format& format : number::all_formats()) {
    if (format.unused_bits == 0) formats.push_back(format.name);
  }
  return Json{{"version", kDocumentVersion},
              {"contract_version", contract::kVersion},
              {"operations", judgement::json_of(judgement::operation_entries())},
              {"contracts", judgement::json_of(judgement::contract_entries())},
              {"fields", judgement::json_of(judgement::field_entries())},
              {"formats", formats},
              {"rules", judgement::json_of(judgement::rule_entries())}}
      .dump();
}

base::Result<std::string> describe(std::string_view line) {
  const auto signature = operation::signature_of(line);
  if (!signature) return signature.error();
  return judgement::json_of({judgement::operation_entry(**signature)}).front().dump();
}

base::Result<std::string> judge(negzero_bytes case_file, negzero_bytes observed, negzero_bytes options) {
  const auto value = case_of(case_file);
  if (!value) return value.error();
  const auto asked = c::asked(view_of(options), Keys::OfJudge, *value);
  if (!asked) return asked.error();
  auto archive = files::parse_safetensors(bytes_of(observed));
  if (!archive) return named("observed", archive.error());
  const auto outputs = judgement::outputs_of(*value, *std::move(archive));
  if (!outputs) return named("observed", outputs.error());
  const auto judged = judgement::judge(*value, asked->contract, *outputs, asked->options);
  if (!judged) return judged.error();
  Json document{{"version", kDocumentVersion}};
  document.update(judgement::json_of(*judged, {*value, asked->contract, asked->assumed}));
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

base::Result<std::string> explain(negzero_bytes case_file, negzero_bytes observed, negzero_bytes options) {
  const auto value = case_of(case_file);
  if (!value) return value.error();
  const auto asked = c::asked(view_of(options), Keys::OfExplain, *value);
  if (!asked) return asked.error();
  std::vector<tensor::Tensor> outputs;
  if (!bytes_of(observed).empty()) {
    auto archive = files::parse_safetensors(bytes_of(observed));
    if (!archive) return named("observed", archive.error());
    auto given = judgement::outputs_of(*value, *std::move(archive));
    if (!given) return named("observed", given.error());
    outputs = *std::move(given);
  }
  std::optional<oracle::OutputElement> place;
  if (asked->element) {
    const auto element = judgement::element_named(*value, *asked->element);
    if (!element) return element.error();
    place = *element;
  }
  const auto explanation = judgement::explain(*value, asked->contract, place, outputs);
  if (!explanation) return explanation.error();
  Json document{{"version", kDocumentVersion}};
  document.update(judgement::json_of(*explanation, *value, asked->contract));
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

base::Result<std::string> permitted(negzero_bytes case_file, negzero_bytes options) {
  const auto value = case_of(case_file);
  if (!value) return value.error();
  const auto asked = c::asked(view_of(options), Keys::OfPermitted, *value);
  if (!asked) return asked.error();
  const auto sets = judgement::permitted_sets(*value, asked->contract, asked->options.threads);
  if (!sets) return sets.error();
  return text_of(files::write_safetensors(*sets));
}

}  // namespace
}  // namespace negzero::c

extern "C" {

std::uint32_t negzero_abi(void) { return NEGZERO_ABI; }

const char* negzero_version(void) { return NEGZERO_VERSION; }

void negzero_free(negzero_block block) { std::free(block.data); }

std::int32_t negzero_list(negzero_block* out) { return negzero::c::enter(out, negzero::c::list); }

std::int32_t negzero_describe(negzero_bytes line, negzero_block* out) {
  return negzero::c::enter(out, [&] { return negzero::c::describe(negzero::c::view_of(line)); });
}

std::int32_t negzero_extents(negzero_bytes options, negzero_block* out) {
  return negzero::c::enter(out, [&] { return negzero::c::extents(negzero::c::view_of(options)); });
}

std::int32_t negzero_judge(negzero_bytes case_file, negzero_bytes observed, negzero_bytes options, negzero_block* out) {
  return negzero::c::enter(out, [&] { return negzero::c::judge(case_file, observed, options); });
}

std::int32_t negzero_explain(negzero_bytes case_file, negzero_bytes observed, negzero_bytes options,
                             negzero_block* out) {
  return negzero::c::enter(out, [&] { return negzero::c::explain(case_file, observed, options); });
}

std::int32_t negzero_permitted(negzero_bytes case_file, negzero_bytes options, negzero_block* out) {
  return negzero::c::enter(out, [&] { return negzero::c::permitted(case_file, options); });
}

std::int32_t negzero_case(negzero_bytes case_file, negzero_block* out) {
  return negzero::c::enter(out, [&]() -> negzero::base::Result<std::string> {
    const auto value = negzero::c::case_of(case_file);
    if (!value) return value.error();
    return negzero::c::text_of(negzero::case_file::write(*value));
  });
}

std::int32_t negzero_draw(negzero_bytes options, negzero_block* out) {
  return negzero::c::enter(out, [&]() -> negzero::base::Result<std::string> {
    const auto value = negzero::c::drawn(negzero::c::view_of(options));
    if (!value) return value.error();
    return negzero::c::text_of(negzero::case_file::write(*value));
  });
}

std::int32_t negzero_check(negzero_bytes options, negzero_function function, negzero_function reference,
                           negzero_function prepare, const negzero_bytes* first, size_t count, negzero_block* found,
                           negzero_block* out) {
  if (found == nullptr || function.launch == nullptr || function.memory == nullptr) return NEGZERO_USAGE;
  *found = {nullptr, 0};
  std::fenv_t environment{};
  std::fegetenv(&environment);
  return negzero::c::enter(out, [&]() -> negzero::base::Result<std::string> {
    auto checked =
        negzero::c::checked(negzero::c::view_of(options), function, reference, prepare, {first, count}, environment);
    if (!checked) return checked.error();
    if (!negzero::c::give(checked->found_case, found)) throw std::bad_alloc();
    return std::move(checked->report);
  });
}

std::int32_t negzero_order(negzero_bytes options, negzero_sums function, negzero_block* out) {
  if (function.sums == nullptr) return NEGZERO_USAGE;
  std::fenv_t environment{};
  std::fegetenv(&environment);
  return negzero::c::enter(out,
                           [&] { return negzero::c::ordered(negzero::c::view_of(options), function, environment); });
}

std::int32_t negzero_ledger(negzero_bytes ledger, negzero_bytes query, negzero_block* out) {
  return negzero::c::enter(
      out, [&] { return negzero::c::decided(negzero::c::view_of(ledger), negzero::c::view_of(query)); });
}

}  // extern "C"
