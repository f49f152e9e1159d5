// Which hint comes first, of results of right kernels that are judged under a contract that is not theirs.

#include <iostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/judgement/judgement.hpp>
#include <negzero/judgement/words.hpp>

#include "departures.hpp"

namespace negzero::hints {
namespace {

std::vector<std::string> hint_lines(const std::string& text) {
  constexpr std::string_view kBegins = "  hint       ";
  std::vector<std::string> result;
  for (std::size_t at = text.find(kBegins); at != std::string::npos; at = text.find(kBegins, at)) {
    at += kBegins.size();
    result.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return result;
}

TEST(Hints, NameTheFieldThatDepartsFirst) {
  std::vector<Departure> all = departures_of_products();
  for (Departure& each : departures_of_others()) all.push_back(std::move(each));
  std::size_t first = 0, anywhere = 0;
  for (const Departure& each : all) {
    const std::string what = each.truth + " under " + each.plain;
    const auto plain = contract::parse(each.plain), truth = contract::parse(each.truth);
    ASSERT_TRUE(plain.ok() && truth.ok()) << what;
    const auto right = judgement::judge(each.value, *truth, each.outputs);
    ASSERT_TRUE(right.ok()) << right.error().message;
    EXPECT_NE(right->kind, judgement::Kind::Fail) << what << "\n"
                                                  << judgement::text_of(*right, {each.value, *truth, ""});
    const auto judged = judgement::judge(each.value, *plain, each.outputs);
    ASSERT_TRUE(judged.ok());
    EXPECT_EQ(judged->kind, judgement::Kind::Fail) << what;
    const auto lines = hint_lines(judgement::text_of(*judged, {each.value, *plain, ""}));
    const auto names_it = [&](const std::string& line) { return line.find(each.words) != std::string::npos; };
    const bool is_first = !lines.empty() && names_it(lines.front());
    first += is_first ? 1 : 0;
    anywhere += std::ranges::any_of(lines, names_it) ? 1 : 0;
    if (is_first) continue;
    std::cout << "not first: " << what << "\n";
    for (const std::string& line : lines) std::cout << "    " << line << "\n";
  }
  std::cout << first << " of " << all.size() << " first, " << anywhere << " in some line\n";
  EXPECT_GE(all.size(), 60u);
  EXPECT_GE(10 * first, 9 * all.size());
}

}  // namespace
}  // namespace negzero::hints
