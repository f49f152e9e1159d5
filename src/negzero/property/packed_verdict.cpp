// A verdict as bytes for the pipe between a worker and its parent.

#include <cstring>

#include <nlohmann/json.hpp>

#include <negzero/property/packed_verdict.hpp>

namespace negzero::property {

namespace {

using operation::Verdict;
using operation::VerdictKind;

/// Most verdicts are passes: they travel as a kind and a margin.
struct Head {
  VerdictKind kind;
  double margin;
};

}  // namespace

std::string pack(const Verdict& verdict) {
  const Head head{verdict.kind, verdict.margin};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  if (verdict.kind == VerdictKind::Pass && verdict.warning.empty()) return bytes;
  nlohmann::json json{{"reason", verdict.reason}, {"warning", verdict.warning}};
  if (const auto& f = verdict.failure) {
    json["failure"] = {static_cast<int>(f->kind),
                       f->rule,
                       static_cast<int>(f->direction),
                       f->message,
                       f->element,
                       f->coordinates,
                       f->observed,
                       f->observed_text,
                       f->permitted_text,
                       f->failing_elements};
  }
  // A kernel's refusal may hold any bytes; the rest of the text is ours.
  return bytes + json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Verdict unpack(std::string_view bytes) {
  Head head;
  if (bytes.size() < sizeof head) return operation::error_verdict("a worker's answer was cut short");
  std::memcpy(&head, bytes.data(), sizeof head);
  Verdict verdict{.kind = head.kind, .failure = {}, .reason = {}, .margin = head.margin};
  if (head.kind == VerdictKind::Pass && bytes.size() == sizeof head) return verdict;
  try {
    const auto json = nlohmann::json::parse(bytes.substr(sizeof head));
    verdict.reason = json.at("reason");
    verdict.warning = json.at("warning");
    if (json.contains("failure")) {
      const auto& f = json.at("failure");
      verdict.failure = operation::Failure{.kind = f.at(0).get<operation::FailureClass>(),
                                           .rule = f.at(1),
                                           .direction = f.at(2).get<operation::Direction>(),
                                           .message = f.at(3),
                                           .element = f.at(4),
                                           .coordinates = f.at(5),
                                           .observed = f.at(6),
                                           .observed_text = f.at(7),
                                           .permitted_text = f.at(8),
                                           .failing_elements = f.at(9)};
    }
  } catch (const nlohmann::json::exception&) {
    return operation::error_verdict("a worker's answer could not be read");
  }
  // A kernel may have damaged the worker that answers.
  const bool known = head.kind <= VerdictKind::Error &&
                     (!verdict.failure || (verdict.failure->kind <= operation::FailureClass::HostAccess &&
                                           verdict.failure->direction <= operation::Direction::TooHigh));
  if (!known || verdict.failure.has_value() != (head.kind == VerdictKind::Fail)) {
    return operation::error_verdict("a worker's answer makes no sense");
  }
  return verdict;
}

}  // namespace negzero::property
