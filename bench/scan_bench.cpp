// What judging a scan costs: all elements in one pass against each as a sum of its own, on the same line.
//
// The sets alone are compared, at a length at which the sums by themselves end: the ratio grows with the length. Then
// whole outputs of a long line are judged, screened and not, right and wrong in every element.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero {
namespace {

using contract::Contract;
using number::FormatId;

constexpr std::int64_t kShort = 2000, kLong = 100'000;
constexpr int kRuns = 3;

/// Nanoseconds of the fastest of some runs.
template <class Work>
double time_of(int runs, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

enum class Values { Normal, AllExponents, Cancel, Specials };
struct Data {
  const char* name;
  Values values;
};
constexpr Data kData[] = {{"N(0,1)", Values::Normal},
                          {"all exponents", Values::AllExponents},
                          {"cancelling", Values::Cancel},
                          {"Inf, 1 in 1000", Values::Specials}};

std::uint64_t draw(const number::Format& format, Values values, std::uint64_t last, base::Random& random) {
  if (values == Values::Normal || values == Values::Specials) {
    if (values == Values::Specials && random.one_in(1000)) return number::infinity(format);
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return number::from_double(format, radius * std::cos(2 * std::numbers::pi * random.uniform()));
  }
  if (values == Values::Cancel && random.one_in(2)) return last ^ number::zero(format, true);
  while (true) {
    const std::uint64_t word = random.next() & format.word_mask();
    if (number::decode(format, word).is_finite()) return word;
  }
}

operation::Case along(std::string_view name, FormatId format, tensor::Tensor x) {
  operation::Case value;
  value.operation = operation::Operation(*operation::find_signature(name));
  value.operation.extent("rows") = 1;
  value.operation.extent("columns") = x.element_count();
  value.operation.formats()[0] = value.operation.formats()[1] = format;
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

tensor::Tensor line_of(FormatId format, Values values, std::int64_t count) {
  base::Random random(1);
  tensor::Tensor x(format, {1, count});
  std::uint64_t last = 0;
  for (std::int64_t i = 0; i < count; ++i) x.set(i, last = draw(x.format(), values, last, random));
  return x;
}

oracle::Oracle made(const operation::Case& value, const Contract& contract, bool screen = true) {
  auto oracle = oracle::Oracle::make(value, contract, {.screen = screen});
  if (!oracle) throw std::runtime_error(oracle.error().message);
  return std::move(*oracle);
}

/// The set of every element of the scan, in one pass.
double in_one_pass(const operation::Case& value, const Contract& contract) {
  return time_of(kRuns, [&] {
    const oracle::Oracle oracle = made(value, contract);
    for (std::int64_t i = 0; i < operation::factor(value).element_count(); ++i) (void)oracle.permitted(i);
  });
}

/// The same sets, each as the reduction of its terms.
double one_by_one(const operation::Case& value, const Contract& contract) {
  const tensor::Tensor& x = operation::factor(value);
  std::vector<operation::Case> prefixes;
  for (std::int64_t count = 1; count <= x.element_count(); ++count) {
    tensor::Tensor prefix(x.format_id(), {1, count});
    for (std::int64_t i = 0; i < count; ++i) prefix.set(i, x.get(i));
    prefixes.push_back(along("reduce.sum", x.format_id(), std::move(prefix)));
  }
  return time_of(1, [&] {
    for (const operation::Case& prefix : prefixes) (void)made(prefix, contract).permitted(0);
  });
}

/// The chain in ascending order in F64, stored; or that with a bit turned over in every element.
tensor::Tensor output_of(const tensor::Tensor& x, bool right) {
  tensor::Tensor output(x.format_id(), x.shape());
  double sum = 0;
  for (std::int64_t i = 0; i < x.element_count(); ++i) {
    sum += number::to_double(x.format(), x.get(i));
    const std::uint64_t turned = right ? 0 : std::uint64_t{1} << (x.format().fraction_bits - 1);
    output.set(i, number::from_double(x.format(), sum) ^ turned);
  }
  return output;
}

double judged(const operation::Case& value, const Contract& contract, const tensor::Tensor& output, bool screen) {
  return time_of(kRuns, [&] {
    oracle::Looking how;
    how.lists = false;
    (void)made(value, contract, screen).look({&output, 1}, how);
  });
}

void measure(const char* words, FormatId format, const Contract& contract) {
  for (const Data& data : kData) {
    const operation::Case small = along("scan.inclusive", format, line_of(format, data.values, kShort));
    const operation::Case large = along("scan.inclusive", format, line_of(format, data.values, kLong));
    const tensor::Tensor &x = operation::factor(large), right = output_of(x, true), wrong = output_of(x, false);
    const auto each = [](double nanoseconds, std::int64_t count) { return nanoseconds / static_cast<double>(count); };
    const double slow = each(one_by_one(small, contract), kShort), fast = each(in_one_pass(small, contract), kShort);
    std::printf("%-4s %-18s %-15s %9.0f %7.0f %6.0fx %9.0f %9.0f %9.0f\n", number::format(format).name.data(), words,
                data.name, slow, fast, slow / fast, each(judged(large, contract, right, true), kLong),
                each(judged(large, contract, wrong, true), kLong), each(judged(large, contract, right, false), kLong));
  }
}

void measure_all() {
  std::printf("ns an element        %29s %ld terms, sets %8s %ld terms, judged\n", "", static_cast<long>(kShort), "",
              static_cast<long>(kLong));
  std::printf("%-39s %9s %7s %7s %9s %9s %9s\n", "", "one by 1", "a pass", "ratio", "right", "wrong", "no screen");
  for (const FormatId format : {FormatId::F32, FormatId::F64}) {
    Contract any;
    any.accumulate = format;
    measure("any order", format, any);
    Contract ascending = any;
    ascending.order = contract::Order::Ascending;
    measure("ascending", format, ascending);
    Contract flushes = any;
    flushes.subnormal_inputs = flushes.subnormal_results = contract::Subnormals::Either;
    measure("any order, flushes", format, flushes);
  }
}

}  // namespace
}  // namespace negzero

int main() { negzero::measure_all(); }
