// What goes between a campaign and those that examine cases for it: requests, replies, and the bytes that they are.

#include <numeric>

#include <negzero/base/fields.hpp>
#include <negzero/campaign/wire.hpp>

namespace negzero::campaign {

namespace {

using verdict::Failure;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr std::uint32_t kMostName = 1024;
constexpr std::uint32_t kMostText = std::uint32_t{1} << 20;
constexpr std::uint32_t kMostDeclarations = std::uint32_t{1} << 26;
constexpr std::uint32_t kMostWords = 256;
constexpr std::uint32_t kMostSources = 256;
constexpr std::uint32_t kMostCases = std::uint32_t{1} << 20;
constexpr std::uint64_t kMostRange = std::uint64_t{1} << 32;

// The fields of each message, in their order, for both directions.

void texts(auto& wire, auto& values, std::uint64_t most, std::uint32_t most_bytes) {
  wire.list(values, most, [&](auto& value) { wire.text(value, most_bytes); });
}

template <typename Wire>
void fields(Wire& wire, base::Message<Failure> auto& failure) {
  wire.byte(failure.kind, verdict::FailureClass::Stateful);
  std::string rule(failure.rule.id());
  wire.text(rule, kMostName);
  if constexpr (Wire::kReads) failure.rule = verdict::Rule::named(rule);
  wire.byte(failure.direction, verdict::Direction::TooHigh);
  wire.text(failure.message, kMostText);
  wire.text(failure.output, kMostName);
  wire.number(failure.element);
  wire.list(failure.coordinates, tensor::kMaxRank, [&](auto& coordinate) { wire.number(coordinate); });
  wire.number(failure.observed);
  wire.text(failure.observed_text, kMostText);
  wire.text(failure.permitted_text, kMostText);
  wire.number(failure.failing_elements);
  wire.list(failure.permitted_under, kMostWords, [&](auto& hint) {
    wire.text(hint.words, kMostText);
    wire.number(hint.line, kMostWords);
    wire.bits(hint.is_pair);
  });
  texts(wire, failure.not_under, kMostWords, kMostText);
}

template <typename Wire>
void fields(Wire& wire, base::Message<Verdict> auto& verdict) {
  wire.byte(verdict.kind, VerdictKind::NotJudged);
  wire.text(verdict.reason, kMostText);
  texts(wire, verdict.warnings, kMostWords, kMostText);
  wire.number(verdict.margin);
  wire.optional(verdict.blind, [&](auto& blind) { wire.number(blind); });
  wire.optional(verdict.random_errors, [&](auto& errors) {
    wire.number(errors.squares);
    wire.number(errors.terms);
  });
  if constexpr (Wire::kReads) {
    if (verdict.kind == VerdictKind::Fail) verdict.failure.emplace();
  }
  if (verdict.failure) fields(wire, *verdict.failure);
}

void fields(auto& wire, base::Message<GeneratedRange> auto& range) {
  wire.number(range.seed);
  wire.number(range.begin);
  wire.number(range.end);
  wire.require(range.begin <= range.end && range.end - range.begin <= kMostRange);
  wire.map(range.mix.weights, kMostWords, kMostName, [&](auto& weight) { wire.number(weight); });
  wire.bits(range.mix.finite);
  wire.map(range.mix.extents, notation::kMostExtents, kMostName, [&](auto& values) {
    wire.number(values.low);
    wire.number(values.high);
    wire.number(values.step);
    wire.require(generate::is_range(values));
  });
  // Anything else would draw from no mix at all.
  wire.require(range.mix.weights.empty() || generate::validate(range.mix.weights).ok());
}

void fields(auto& wire, base::Message<WholeCases> auto& files) { texts(wire, files, kMostCases, kMostCaseBytes); }

void fields(auto& wire, base::Message<ChangedRange> auto& changed) {
  fields(wire, changed.numbers);
  fields(wire, changed.parents);
}

void fields(auto& wire, base::Message<Setup> auto& setup) {
  wire.list(setup.sources, kMostSources, [&](auto& source) {
    texts(wire, source.program, kMostWords, kMostText);
    wire.text(source.declarations, kMostDeclarations);
  });
  wire.byte(setup.place, kernel::Place::Device);
  wire.number(setup.gpu, 1 << 16);
  wire.text(setup.exact, kMostName);
  wire.number(setup.threads, 1 << 16);
}

template <typename Wire>
void fields(Wire& wire, base::Message<Request> auto& request) {
  wire.text(request.kernel, kMostName);
  wire.text(request.claim, kMostName);
  wire.byte(request.watch, Watch::Never);
  wire.byte(request.repeat, property::Repeat::Always);
  wire.bits(request.fresh);
  wire.number(request.timeout_ms);
  wire.byte(request.features, feature::Depth::Code);
  auto source = static_cast<std::uint8_t>(request.source.index());
  wire.byte(source, std::uint8_t{2});
  if constexpr (Wire::kReads) {
    if (source == 1) request.source = WholeCases{};
    if (source == 2) request.source = ChangedRange{};
  }
  std::visit([&](auto& cases) { fields(wire, cases); }, request.source);
}

void fields(auto& wire, base::Message<operation::EarlierLaunches> auto& each) {
  wire.number(each.times);
  wire.byte(each.contents, operation::Contents::Other);
  wire.bits(each.same_storage, each.same_shape, each.same_stream);
  wire.number(each.seed);
}

template <typename Wire>
void fields(Wire& wire, base::Message<Reply> auto& reply) {
  wire.number(reply.index);
  wire.text(reply.strategy, kMostName);
  wire.map(reply.configuration, operation::kMostOptions, operation::kMostOptionName,
           [&](auto& value) { wire.number(value); });
  wire.bits(reply.watched, reply.too_large, reply.ended);
  fields(wire, reply.verdict);
  wire.byte(reply.specials, Specials{kAllSpecials});
  auto launches = static_cast<std::uint8_t>(reply.history.size());
  wire.byte(launches, std::uint8_t{operation::kMostEarlierLaunches});
  if constexpr (Wire::kReads) reply.history.resize(launches);
  for (auto& each : reply.history) fields(wire, each);
  bool is_other = reply.launch.has_value();
  wire.bits(is_other);
  if constexpr (Wire::kReads) {
    if (is_other) reply.launch.emplace();
  }
  if (is_other) fields(wire, *reply.launch);
  wire.text(reply.printed, kMostText);
  wire.list(reply.features, feature::kMostFeatures, [&](auto& feature) { wire.number(feature); });
  wire.number(reply.elements);
  wire.number(reply.took_us);
  wire.text(reply.shape, kMostText);
  wire.list(reply.drawn.extents, notation::kMostExtents, [&](auto& extent) { wire.number(extent); });
  wire.number(reply.drawn.farthest);
}

void fields(auto& wire, base::Message<std::vector<Reply>> auto& replies) {
  wire.list(replies, kMostCases, [&](auto& reply) { fields(wire, reply); });
}

template <typename T>
std::string written(const T& message) {
  base::FieldWriter to;
  fields(to, message);
  return to.take();
}

template <typename T>
std::optional<T> read(std::string_view bytes) {
  base::FieldReader from(bytes);
  T message;
  fields(from, message);
  if (!from.is_complete()) return std::nullopt;
  return message;
}

std::uint64_t bytes_of(const std::vector<std::string>& files) {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const std::string& file) { return sum + file.size(); });
}

}  // namespace

const GeneratedRange* range_of(const Request& request) {
  if (const auto* const changed = std::get_if<ChangedRange>(&request.source)) return &changed->numbers;
  return std::get_if<GeneratedRange>(&request.source);
}

std::uint64_t count(const Request& request) {
  if (const GeneratedRange* const range = range_of(request)) return range->end - range->begin;
  return std::get<WholeCases>(request.source).size();
}

std::uint64_t case_bytes(const Request& request) {
  if (const auto* const changed = std::get_if<ChangedRange>(&request.source)) return bytes_of(changed->parents);
  const auto* const cases = std::get_if<WholeCases>(&request.source);
  return cases == nullptr ? 0 : bytes_of(*cases);
}

bool has_room(const std::vector<std::string>& files, std::uint64_t next_bytes, std::uint64_t most) {
  return files.empty() || bytes_of(files) + next_bytes <= most;
}

std::string to_bytes(const Setup& setup) { return written(setup); }
std::string to_bytes(const Request& request) { return written(request); }
std::string to_bytes(const std::vector<Reply>& replies) { return written(replies); }

std::optional<Setup> read_setup(std::string_view bytes) { return read<Setup>(bytes); }
std::optional<Request> read_request(std::string_view bytes) { return read<Request>(bytes); }
std::optional<std::vector<Reply>> read_replies(std::string_view bytes) { return read<std::vector<Reply>>(bytes); }

}  // namespace negzero::campaign
