// What goes between campaign and examiners: every field comes back, and bytes that are none of it are refused.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/campaign/wire.hpp>
#include <negzero/generate/generate.hpp>

namespace negzero::campaign {
namespace {

using verdict::Failure;
using verdict::Verdict;
using verdict::VerdictKind;
using std::string_literals::operator""s;

using WireSetup = Setup;  // GoogleTest has a Setup() in every test.

/// A field of a message: how to give it another value than the default.
template <typename T>
struct Field {
  const char* name;
  std::function<void(T&)> change;
};

const std::string kOdd = "not UTF-8: \xff, and \0 within"s;

kernel::KernelSource& source_of(Setup& setup) {
  if (setup.sources.empty()) setup.sources.emplace_back();
  return setup.sources.front();
}

const std::vector<Field<Setup>>& fields_of_setup() {
  static const std::vector<Field<Setup>> all = {
      {"declarations", [](Setup& s) { source_of(s).declarations = kOdd + std::string(1 << 20, 'd'); }},
      {"program",
       [](Setup& s) {
         source_of(s).program = {"/bin/worker", "", kOdd};
       }},
      {"another source",
       [](Setup& s) {
         s.sources.push_back({{"/bin/other"}, "{}"});
       }},
      {"place", [](Setup& s) { s.place = kernel::Place::Device; }},
      {"gpu", [](Setup& s) { s.gpu = 7; }},
      {"exact", [](Setup& s) { s.exact = "multiprecision"; }},
      {"threads", [](Setup& s) { s.threads = 5; }},
  };
  return all;
}

const std::vector<Field<Request>>& fields_of_request() {
  static const std::vector<Field<Request>> all = {
      {"kernel", [](Request& r) { r.kernel = "gemm.tiled.f32"; }},
      {"claim", [](Request& r) { r.claim = "agreement with another"; }},
      {"watch", [](Request& r) { r.watch = Watch::Never; }},
      {"repeat", [](Request& r) { r.repeat = property::Repeat::Always; }},
      {"fresh", [](Request& r) { r.fresh = true; }},
      {"timeout_ms", [](Request& r) { r.timeout_ms = 0xfedcba9876543210; }},
      {"features", [](Request& r) { r.features = feature::Depth::Sums; }},
      {"seed", [](Request& r) { std::get<GeneratedRange>(r.source).seed = 0x8000000000000001; }},
      {"begin and end",
       [](Request& r) {
         auto& range = std::get<GeneratedRange>(r.source);
         range.begin = 0xfffffffffffffff0, range.end = 0xffffffffffffffff;
       }},
      {"weights",
       [](Request& r) {
         std::get<GeneratedRange>(r.source).mix.weights = {{"normal", 0.5}, {"bits", 3}};
       }},
      {"finite", [](Request& r) { std::get<GeneratedRange>(r.source).mix.finite = true; }},
      {"extents",
       [](Request& r) {
         std::get<GeneratedRange>(r.source).mix.extents = {{"k", {64, 4096, 64}}, {"m", {1, 1}}};
       }},
      {"whole cases",
       [](Request& r) {
         r.source = WholeCases{"", kOdd, std::string(1 << 21, 'c')};
       }},
      {"changed cases",
       [](Request& r) {
         ChangedRange changed;
         changed.numbers = {3, 5, 8, {.weights = {{"exact", 1}}}};
         changed.parents = {"", kOdd};
         r.source = std::move(changed);
       }},
      {"no cases", [](Request& r) { r.source = WholeCases{}; }},
  };
  return all;
}

/// All fields of a verdict and its failure. One that is new does not compile here.
template <typename V, typename F>
void for_each_part(V& reply, const F& f) {
  auto& [index, strategy, configuration, watched, too_large, ended, verdict, specials, history, launch, features,
         printed, elements, took_us, shape, drawn] = reply;
  auto& [kind, failure, reason, warnings, blind, random_errors, margin] = verdict;
  f("index", index);
  f("strategy", strategy);
  f("configuration", configuration);
  f("watched", watched);
  f("too_large", too_large);
  f("ended", ended);
  f("specials", specials);
  f("history", history);
  f("launch", launch);
  f("features", features);
  f("printed", printed);
  f("elements", elements);
  f("took_us", took_us);
  f("shape", shape);
  f("drawn", drawn);
  f("kind", kind);
  f("reason", reason);
  f("warnings", warnings);
  f("margin", margin);
  f("blind", blind);
  f("random_errors", random_errors);
  f("failure", failure);
}

bool same(const Reply& a, const Reply& b) {
  bool result = true;
  for_each_part(a, [&](const char* name, const auto& left) {
    for_each_part(b, [&](const char* other, const auto& right) {
      if constexpr (std::is_same_v<decltype(left), decltype(right)>) {
        if (std::string(name) == other) result = result && left == right;
      }
    });
  });
  return result;
}

const std::vector<Field<Reply>>& fields_of_reply() {
  static const auto of_failure = [](std::function<void(Failure&)> change) {
    return [change = std::move(change)](Reply& r) {
      r.verdict.kind = VerdictKind::Fail;
      if (!r.verdict.failure) r.verdict.failure = Failure{};
      change(*r.verdict.failure);
    };
  };
  static const std::vector<Field<Reply>> all = {
      {"index", [](Reply& r) { r.index = 0xfedcba9876543210; }},
      {"strategy", [](Reply& r) { r.strategy = "near ties"; }},
      {"configuration",
       [](Reply& r) {
         r.configuration = {{"algorithm", 7}, {"workspace", -1}};
       }},
      {"watched", [](Reply& r) { r.watched = true; }},
      {"ended", [](Reply& r) { r.ended = true; }},
      {"too large", [](Reply& r) { r.too_large = true; }},
      {"features",
       [](Reply& r) {
         r.features = {0, 1, 0xffffffff};
       }},
      {"history",
       [](Reply& r) {
         r.history = {{.times = 3},
                      {.contents = operation::Contents::Other, .seed = 7},
                      {.same_storage = false},
                      {.same_shape = false},
                      {.same_stream = false}};
         r.history.push_back({.contents = operation::Contents::One});
         r.history.push_back({.contents = operation::Contents::Later});
       }},
      {"launch", [](Reply& r) { r.launch = {.times = 1, .same_shape = false, .seed = 9}; }},
      {"drawn",
       [](Reply& r) {
         r.drawn = {{1, std::int64_t{1} << 31}, std::int64_t{1} << 33};
       }},
      {"printed", [](Reply& r) { r.printed = kOdd; }},
      {"specials", [](Reply& r) { r.specials = kAllSpecials; }},
      {"took_us", [](Reply& r) { r.took_us = 0xfedcba98; }},
      {"elements", [](Reply& r) { r.elements = 0xfedcba9876543210; }},
      {"shape", [](Reply& r) { r.shape = "x 1x3, y 1"; }},
      {"kind", [](Reply& r) { r.verdict.kind = VerdictKind::Refused; }},
      {"reason", [](Reply& r) { r.verdict.reason = kOdd; }},
      {"warnings",
       [](Reply& r) {
         r.verdict.warnings = {"a lane reads another, which takes no part", kOdd};
       }},
      {"margin", [](Reply& r) { r.verdict.margin = 0.1; }},
      {"a margin without bound", [](Reply& r) { r.verdict.margin = std::numeric_limits<double>::infinity(); }},
      {"blind", [](Reply& r) { r.verdict.blind = 0.59; }},
      {"random_errors",
       [](Reply& r) {
         r.verdict.random_errors = {0.25, std::int64_t{1} << 40};
       }},
      {"failure", of_failure([](Failure&) {})},
      {"class", of_failure([](Failure& f) { f.kind = verdict::FailureClass::HostAccess; })},
      {"rule", of_failure([](Failure& f) { f.rule = "zero.sign"; })},
      {"rule of another version", of_failure([](Failure& f) { f.rule = verdict::Rule::named("sum.newer"); })},
      {"direction", of_failure([](Failure& f) { f.direction = verdict::Direction::TooHigh; })},
      {"message", of_failure([](Failure& f) { f.message = kOdd; })},
      {"output", of_failure([](Failure& f) { f.output = "at"; })},
      {"element", of_failure([](Failure& f) { f.element = -3; })},
      {"coordinates", of_failure([](Failure& f) {
         f.coordinates = {1, -2, std::int64_t{1} << 40};
       })},
      {"observed", of_failure([](Failure& f) { f.observed = 0xfedcba9876543210; })},
      {"observed_text", of_failure([](Failure& f) { f.observed_text = "a"; })},
      {"permitted_text", of_failure([](Failure& f) { f.permitted_text = "b"; })},
      {"failing_elements", of_failure([](Failure& f) { f.failing_elements = 9; })},
      {"permitted_under", of_failure([](Failure& f) {
         f.permitted_under = {{R"(nan "ignore")", 0}, {"compensated true", 3, true}};
       })},
      {"not_under", of_failure([](Failure& f) {
         f.not_under = {"accumulate \"F16\"", ""};
       })},
  };
  return all;
}

TEST(Wire, EveryFieldOfASetupComesBack) {
  WireSetup every;
  for (const auto& field : fields_of_setup()) {
    WireSetup one;
    field.change(one);
    field.change(every);
    EXPECT_NE(one, WireSetup{}) << field.name << " was not changed: this test shows nothing";
    EXPECT_EQ(read_setup(to_bytes(one)), one) << field.name;
  }
  EXPECT_EQ(read_setup(to_bytes(every)), every);
}

TEST(Wire, EveryFieldOfARequestComesBack) {
  ASSERT_EQ(read_request(to_bytes(Request{})), Request{});
  Request every;
  for (const auto& field : fields_of_request()) {
    Request one;
    field.change(one);
    field.change(every);
    EXPECT_NE(one, Request{}) << field.name << " was not changed: this test shows nothing";
    EXPECT_EQ(read_request(to_bytes(one)), one) << field.name;
    EXPECT_EQ(read_request(to_bytes(every)), every) << field.name;
  }
}

TEST(Wire, EveryFieldOfAReplyComesBack) {
  std::vector<Reply> all;
  for (const auto& field : fields_of_reply()) {
    Reply one;
    field.change(one);
    EXPECT_FALSE(same(one, Reply{})) << field.name << " was not changed: this test shows nothing";
    const auto back = read_replies(to_bytes(std::vector{one}));
    ASSERT_TRUE(back) << field.name;
    ASSERT_EQ(back->size(), 1u);
    EXPECT_TRUE(same(back->front(), one)) << field.name;
    all.push_back(std::move(one));
  }
  const auto back = read_replies(to_bytes(all));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(same((*back)[i], all[i])) << i;
  EXPECT_TRUE(read_replies(to_bytes(std::vector<Reply>{}))->empty());
}

TEST(Wire, EveryKindAndClassComesBack) {
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::Error); ++kind) {
    Reply reply;
    reply.verdict.kind = static_cast<VerdictKind>(kind);
    if (reply.verdict.kind == VerdictKind::Fail) reply.verdict.failure = Failure{};
    EXPECT_TRUE(same(read_replies(to_bytes(std::vector{reply}))->front(), reply)) << kind;
  }
  for (int kind = 0; kind <= static_cast<int>(verdict::FailureClass::HostAccess); ++kind) {
    Reply reply;
    reply.verdict.kind = VerdictKind::Fail;
    reply.verdict.failure = Failure{.kind = static_cast<verdict::FailureClass>(kind)};
    EXPECT_TRUE(same(read_replies(to_bytes(std::vector{reply}))->front(), reply)) << kind;
  }
}

TEST(Wire, NumbersAreLittleEndian) {
  EXPECT_EQ(to_bytes(Request{.kernel = "k", .claim = "", .timeout_ms = 0x0102, .source = WholeCases{"c"}}),
            "\1\0\0\0k\0\0\0\0\0\0\0\2\1\0\0\0\0\0\0\0\1\1\0\0\0\1\0\0\0c"s);
}

/// One message of each kind with all of its fields.
std::vector<std::string> messages() {
  Setup setup{.sources = {{{}, "{}"}}};
  Request generated, whole;
  for (const auto& field : fields_of_setup()) {
    if (std::string(field.name) != "declarations") field.change(setup);
  }
  for (const auto& field : fields_of_request()) {
    if (std::string(field.name).find("cases") == std::string::npos) field.change(generated);
  }
  whole.source = WholeCases{"one", "", "three"};
  Reply reply;
  for (const auto& field : fields_of_reply()) field.change(reply);
  reply.verdict.kind = VerdictKind::Fail;
  return {to_bytes(setup), to_bytes(generated), to_bytes(whole), to_bytes(std::vector{reply, Reply{}, reply})};
}

/// Which of the three it is read as.
int readable(const std::string& bytes) {
  return (read_setup(bytes) ? 1 : 0) | (read_request(bytes) ? 2 : 0) | (read_replies(bytes) ? 4 : 0);
}

TEST(Wire, EveryTruncationIsRefused) {
  const std::vector<std::string> all = messages();
  const int kinds[] = {1, 2, 2, 4};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(readable(all[i]), kinds[i]);
    for (std::size_t size = 0; size < all[i].size(); ++size) {
      EXPECT_EQ(readable(all[i].substr(0, size)) & kinds[i], 0) << i << ": " << size << " of " << all[i].size();
    }
    EXPECT_EQ(readable(all[i] + "x") & kinds[i], 0);
  }
}

TEST(Wire, LimitsAreKept) {
  Request request;
  request.kernel = std::string(2000, 'k');
  EXPECT_FALSE(read_request(to_bytes(request))) << "a name of 2,000 letters";
  request = {};
  request.source = GeneratedRange{.begin = 2, .end = 1};
  EXPECT_FALSE(read_request(to_bytes(request)));
  request.source = GeneratedRange{.begin = 0, .end = ~std::uint64_t{0}};
  EXPECT_FALSE(read_request(to_bytes(request))) << "more cases than anybody counts";
  for (const double weight : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    request.source = GeneratedRange{.mix = {.weights = {{"normal", weight}}}};
    EXPECT_FALSE(read_request(to_bytes(request))) << weight;
  }
  for (const generate::ExtentRange& range : {generate::ExtentRange{0, 1, 0}, {2, 1, 1}, {-1, 1, 1}}) {
    request.source = GeneratedRange{.mix = {.extents = {{"m", range}}}};
    EXPECT_FALSE(read_request(to_bytes(request)));
  }
  request.source = GeneratedRange{.mix = {.weights = {{"no such strategy", 1}}}};
  EXPECT_FALSE(read_request(to_bytes(request)));
  EXPECT_FALSE(read_setup(to_bytes(WireSetup{.place = static_cast<kernel::Place>(2)}))) << "no place to run";
}

TEST(Wire, ARequestIsFilledUpToALimitAndALargeCaseGoesAlone) {
  EXPECT_TRUE(has_room({}, 1000, 100)) << "or a large case would never go";
  EXPECT_TRUE(has_room({"12", "345"}, 95, 100));
  EXPECT_FALSE(has_room({"12", "345"}, 96, 100));
  EXPECT_EQ(case_bytes({.source = WholeCases{"12", "345"}}), 5u);
  EXPECT_EQ(case_bytes({.source = ChangedRange{.parents = {"1234"}}}), 4u);
  EXPECT_EQ(case_bytes({.source = GeneratedRange{.end = 9}}), 0u);
  EXPECT_LT(kMostCaseBytes, protocol::kMostFrameBytes);
}

TEST(Wire, CountsWhatIsAsked) {
  EXPECT_EQ(count(Request{.source = GeneratedRange{.begin = 5, .end = 12}}), 7u);
  EXPECT_EQ(count(Request{.source = WholeCases{"", ""}}), 2u);
  EXPECT_EQ(count(Request{}), 0u);
}

/// What is read from changed bytes is written back as it was read: nothing half-read, nothing out of its range.
void expect_sane(const std::string& bytes) {
  if (const auto setup = read_setup(bytes)) {
    EXPECT_EQ(read_setup(to_bytes(*setup)), setup);
  }
  if (const auto request = read_request(bytes)) {
    const auto again = read_request(to_bytes(*request));
    ASSERT_TRUE(again);
    EXPECT_EQ(to_bytes(*again), to_bytes(*request));
    EXPECT_LE(count(*request), std::uint64_t{1} << 32);
  }
  if (const auto replies = read_replies(bytes)) {
    const auto again = read_replies(to_bytes(*replies));
    ASSERT_TRUE(again);
    EXPECT_EQ(to_bytes(*again), to_bytes(*replies));
    for (const Reply& reply : *replies) {
      EXPECT_LE(reply.verdict.kind, VerdictKind::NotJudged);
      EXPECT_EQ(reply.verdict.failure.has_value(), reply.verdict.kind == VerdictKind::Fail);
      EXPECT_FALSE(verdict::name(reply.verdict.kind).empty());
    }
  }
}

TEST(Wire, AsManyFeaturesAsARunCanHaveAreTakenAndNoMore) {
  Reply reply;
  reply.features.assign(feature::kMostFeatures, 9);
  const auto back = read_replies(to_bytes(std::vector{reply}));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->at(0).features, reply.features);
  reply.features.push_back(9);
  EXPECT_FALSE(read_replies(to_bytes(std::vector{reply})).has_value());
}

// Counts, lengths and enumerators go wrong at their ends.
TEST(Wire, ExtremesOfEveryByteAreReadOrRefused) {
  for (const std::string& good : messages()) {
    for (std::size_t at = 0; at < good.size(); ++at) {
      const auto was = static_cast<unsigned char>(good[at]);
      std::string bytes = good;
      for (const int value : {0, 1, 0x7f, 0x80, 0xff, was + 1, was - 1, was ^ 1, was ^ 0x10, was ^ 0x80}) {
        bytes[at] = static_cast<char>(value);
        expect_sane(bytes);
      }
    }
  }
}

RC_GTEST_PROP(WireProperty, AnyBytesAreReadOrRefused, ()) {
  const std::vector<std::string> all = messages();
  std::string bytes = all[*rc::gen::inRange<std::size_t>(0, all.size())];
  for (int changes = *rc::gen::inRange(1, 6); changes > 0; --changes) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  expect_sane(bytes);
  expect_sane(*rc::gen::arbitrary<std::string>());
}

}  // namespace
}  // namespace negzero::campaign
