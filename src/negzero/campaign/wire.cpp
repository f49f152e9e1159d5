// What goes between a campaign and those that examine cases for it: requests, replies, and the bytes that they are.

#include <bit>
#include <cmath>
#include <numeric>

#include <negzero/base/bytes.hpp>
#include <negzero/campaign/wire.hpp>

namespace negzero::campaign {

namespace {

using base::ByteReader;
using base::ByteWriter;
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

template <typename T>
T enumerator(ByteReader& from, T last) {
  return static_cast<T>(from.at_most(from.u8(), static_cast<std::uint64_t>(last)));
}

void write_words(ByteWriter& to, const std::vector<std::string>& words) {
  to.u32(static_cast<std::uint32_t>(words.size()));
  for (const std::string& word : words) to.text(word);
}

std::vector<std::string> read_words(ByteReader& from) {
  std::vector<std::string> words;
  const std::uint64_t size = from.at_most(from.u32(), kMostWords);
  for (std::uint64_t i = 0; i < size && from.ok(); ++i) words.emplace_back(from.text(kMostText));
  return words;
}

void write_double(ByteWriter& to, double value) { to.u64(std::bit_cast<std::uint64_t>(value)); }
double read_double(ByteReader& from) { return std::bit_cast<double>(from.u64()); }

void write_failure(ByteWriter& to, const Failure& failure) {
  to.u8(static_cast<std::uint8_t>(failure.kind));
  to.text(failure.rule.id());
  to.u8(static_cast<std::uint8_t>(failure.direction));
  to.text(failure.message);
  to.text(failure.output);
  to.i64(failure.element);
  to.u32(static_cast<std::uint32_t>(failure.coordinates.size()));
  for (const std::int64_t coordinate : failure.coordinates) to.i64(coordinate);
  to.u64(failure.observed);
  to.text(failure.observed_text);
  to.text(failure.permitted_text);
  to.i64(failure.failing_elements);
  write_words(to, failure.permitted_under);
}

Failure read_failure(ByteReader& from) {
  Failure failure;
  failure.kind = enumerator(from, verdict::FailureClass::Stateful);
  failure.rule = verdict::Rule::named(from.text(kMostName));
  failure.direction = enumerator(from, verdict::Direction::TooHigh);
  failure.message = from.text(kMostText);
  failure.output = from.text(kMostName);
  failure.element = from.i64();
  const std::uint64_t rank = from.at_most(from.u32(), tensor::kMaxRank);
  for (std::uint64_t i = 0; i < rank; ++i) failure.coordinates.push_back(from.i64());
  failure.observed = from.u64();
  failure.observed_text = from.text(kMostText);
  failure.permitted_text = from.text(kMostText);
  failure.failing_elements = from.i64();
  failure.permitted_under = read_words(from);
  return failure;
}

void write_verdict(ByteWriter& to, const Verdict& verdict) {
  to.u8(static_cast<std::uint8_t>(verdict.kind));
  to.text(verdict.reason);
  to.text(verdict.warning);
  write_double(to, verdict.margin);
  to.u8(verdict.blind ? 1 : 0);
  if (verdict.blind) write_double(to, *verdict.blind);
  if (verdict.failure) write_failure(to, *verdict.failure);
}

Verdict read_verdict(ByteReader& from) {
  Verdict verdict;
  verdict.kind = enumerator(from, VerdictKind::Error);
  verdict.reason = from.text(kMostText);
  verdict.warning = from.text(kMostText);
  verdict.margin = read_double(from);
  if (from.at_most(from.u8(), 1) != 0) verdict.blind = read_double(from);
  if (verdict.kind == VerdictKind::Fail) verdict.failure = read_failure(from);
  return verdict;
}

void write_range(ByteWriter& to, const GeneratedRange& range) {
  for (const std::uint64_t number : {range.seed, range.begin, range.end}) to.u64(number);
  to.u32(static_cast<std::uint32_t>(range.mix.weights.size()));
  for (const auto& [name, weight] : range.mix.weights) {
    to.text(name);
    write_double(to, weight);
  }
  to.u8(range.mix.finite ? 1 : 0);
  to.u32(static_cast<std::uint32_t>(range.mix.extents.size()));
  for (const auto& [name, values] : range.mix.extents) {
    to.text(name);
    for (const std::int64_t number : {values.low, values.high, values.step}) to.i64(number);
  }
}

GeneratedRange read_range(ByteReader& from) {
  GeneratedRange range;
  for (std::uint64_t* number : {&range.seed, &range.begin, &range.end}) *number = from.u64();
  if (range.begin > range.end || range.end - range.begin > kMostRange) from.spoil();
  const std::uint64_t weights = from.at_most(from.u32(), kMostWords);
  for (std::uint64_t i = 0; i < weights && from.ok(); ++i) {
    const std::string name(from.text(kMostName));
    range.mix.weights[name] = read_double(from);
  }
  range.mix.finite = from.at_most(from.u8(), 1) != 0;
  const std::uint64_t extents = from.at_most(from.u32(), operation::kMostExtents);
  for (std::uint64_t i = 0; i < extents && from.ok(); ++i) {
    generate::ExtentRange& values = range.mix.extents[std::string(from.text(kMostName))];
    for (std::int64_t* number : {&values.low, &values.high, &values.step}) *number = from.i64();
    if (!generate::is_range(values)) from.spoil();
  }
  // Anything else would draw from no mix at all.
  if (!range.mix.weights.empty() && !generate::validate(range.mix.weights)) from.spoil();
  return range;
}

void write_files(ByteWriter& to, const std::vector<std::string>& files) {
  to.u32(static_cast<std::uint32_t>(files.size()));
  for (const std::string& file : files) to.text(file);
}

std::uint64_t bytes_of(const std::vector<std::string>& files) {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const std::string& file) { return sum + file.size(); });
}

std::vector<std::string> read_files(ByteReader& from) {
  std::vector<std::string> files;
  const std::uint64_t size = from.at_most(from.u32(), kMostCases);
  for (std::uint64_t i = 0; i < size && from.ok(); ++i) files.emplace_back(from.text(kMostCaseBytes));
  return files;
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

std::string to_bytes(const Setup& setup) {
  ByteWriter to;
  to.u32(static_cast<std::uint32_t>(setup.sources.size()));
  for (const kernel::KernelSource& source : setup.sources) {
    write_words(to, source.program);
    to.text(source.declarations);
  }
  to.u8(static_cast<std::uint8_t>(setup.place));
  to.u32(static_cast<std::uint32_t>(setup.gpu));
  to.text(setup.exact);
  to.u32(static_cast<std::uint32_t>(setup.threads));
  return to.take();
}

std::optional<Setup> read_setup(std::string_view bytes) {
  ByteReader from(bytes);
  Setup setup;
  setup.sources.resize(from.at_most(from.u32(), kMostSources));
  for (kernel::KernelSource& source : setup.sources) {
    source.program = read_words(from);
    source.declarations = from.text(kMostDeclarations);
  }
  setup.place = enumerator(from, kernel::Place::Device);
  setup.gpu = static_cast<int>(from.at_most(from.u32(), 1 << 16));
  setup.exact = from.text(kMostName);
  setup.threads = static_cast<int>(from.at_most(from.u32(), 1 << 16));
  if (!from.is_complete()) return std::nullopt;
  return setup;
}

std::string to_bytes(const Request& request) {
  ByteWriter to;
  to.text(request.kernel);
  to.text(request.claim);
  to.u8(static_cast<std::uint8_t>(request.watch));
  to.u8(static_cast<std::uint8_t>(request.repeat));
  to.u8(request.fresh ? 1 : 0);
  to.u64(request.timeout_ms);
  to.u8(static_cast<std::uint8_t>(request.features));
  to.u8(static_cast<std::uint8_t>(request.source.index()));
  if (const GeneratedRange* const range = range_of(request)) write_range(to, *range);
  if (const auto* const changed = std::get_if<ChangedRange>(&request.source)) write_files(to, changed->parents);
  if (const auto* const cases = std::get_if<WholeCases>(&request.source)) write_files(to, *cases);
  return to.take();
}

std::optional<Request> read_request(std::string_view bytes) {
  ByteReader from(bytes);
  Request request;
  request.kernel = from.text(kMostName);
  request.claim = from.text(kMostName);
  request.watch = enumerator(from, Watch::Never);
  request.repeat = enumerator(from, property::Repeat::Always);
  request.fresh = from.at_most(from.u8(), 1) != 0;
  request.timeout_ms = from.u64();
  request.features = enumerator(from, feature::Depth::Code);
  switch (from.at_most(from.u8(), 2)) {
    case 0:
      request.source = read_range(from);
      break;
    case 1:
      request.source = read_files(from);
      break;
    default:
      ChangedRange changed;
      changed.numbers = read_range(from);
      changed.parents = read_files(from);
      request.source = std::move(changed);
  }
  if (!from.is_complete()) return std::nullopt;
  return request;
}

std::string to_bytes(const std::vector<Reply>& replies) {
  ByteWriter to;
  to.u32(static_cast<std::uint32_t>(replies.size()));
  for (const Reply& reply : replies) {
    to.u64(reply.index);
    to.text(reply.strategy);
    to.u8((reply.watched ? 1 : 0) + (reply.too_large ? 2 : 0));
    write_verdict(to, reply.verdict);
    to.u8(reply.specials);
    to.u8(static_cast<std::uint8_t>(reply.history.size()));
    for (const operation::EarlierLaunches& each : reply.history) {
      to.u32(each.times);
      to.u8(static_cast<std::uint8_t>(each.contents));
      to.u8(static_cast<std::uint8_t>((each.same_storage ? 1 : 0) + (each.same_shape ? 2 : 0) +
                                      (each.same_stream ? 4 : 0)));
      to.u64(each.seed);
    }
    to.text(reply.printed);
    to.u32(static_cast<std::uint32_t>(reply.features.size()));
    for (const std::uint32_t feature : reply.features) to.u32(feature);
    to.u64(reply.elements);
    to.u32(reply.took_us);
    to.text(reply.shape);
  }
  return to.take();
}

std::optional<std::vector<Reply>> read_replies(std::string_view bytes) {
  ByteReader from(bytes);
  std::vector<Reply> replies;
  const std::uint64_t size = from.at_most(from.u32(), kMostCases);
  for (std::uint64_t i = 0; i < size && from.ok(); ++i) {
    Reply& reply = replies.emplace_back();
    reply.index = from.u64();
    reply.strategy = from.text(kMostName);
    const std::uint64_t watched = from.at_most(from.u8(), 3);
    reply.watched = (watched & 1) != 0;
    reply.too_large = (watched & 2) != 0;
    reply.verdict = read_verdict(from);
    reply.specials = static_cast<Specials>(from.at_most(from.u8(), kAllSpecials));
    const std::uint64_t history = from.at_most(from.u8(), operation::kMostEarlierLaunches);
    for (std::uint64_t h = 0; h < history && from.ok(); ++h) {
      operation::EarlierLaunches each{.times = from.u32()};
      each.contents = enumerator(from, operation::Contents::Other);
      const std::uint64_t same = from.at_most(from.u8(), 7);
      each.same_storage = (same & 1) != 0;
      each.same_shape = (same & 2) != 0;
      each.same_stream = (same & 4) != 0;
      each.seed = from.u64();
      reply.history.push_back(each);
    }
    reply.printed = from.text(kMostText);
    const std::uint64_t features = from.at_most(from.u32(), feature::kMostFeatures);
    for (std::uint64_t f = 0; f < features && from.ok(); ++f) reply.features.push_back(from.u32());
    reply.elements = from.u64();
    reply.took_us = from.u32();
    reply.shape = from.text(kMostText);
  }
  if (!from.is_complete()) return std::nullopt;
  return replies;
}

}  // namespace negzero::campaign
