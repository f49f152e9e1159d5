// Sums of a kernel, run on cases that hold placements.

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/order/kernel_source.hpp>

namespace negzero::order {

namespace {

/// Bytes of cases that run together, and most numbers of a scan that are kept.
constexpr std::int64_t kBatchBytes = std::int64_t{1} << 24;
constexpr std::size_t kMostKept = std::size_t{1} << 26;

}  // namespace

std::vector<std::int64_t> KernelSource::sums_of(std::int64_t length) const {
  if (cases_.reach() == notation::Reach::All) return {length};
  const std::int64_t longest = cases_.reach() == notation::Reach::Before ? length - 1 : length;
  std::set<std::int64_t> all{longest};
  if (longest <= kMostElements) {
    for (std::int64_t terms = 2; terms < longest; ++terms) all.insert(terms);
  } else {
    for (std::int64_t power = 4; power < longest; power *= 2) all.insert({power - 1, power, power + 1});
    base::Random random(static_cast<std::uint64_t>(length));
    while (static_cast<std::int64_t>(all.size()) < kMostElements / 8) all.insert(random.between(2, longest));
  }
  return {all.begin(), all.end()};
}

base::Result<std::vector<KernelSource::Line>> KernelSource::lines(std::int64_t length, const Scale& scale,
                                                                  unsigned variation,
                                                                  std::span<const Placement> placements) {
  std::vector<Line> lines;
  while (lines.size() < placements.size()) {
    if (stop_ && stop_()) {
      return base::Error{base::ErrorKind::Interrupted, "interrupted before the order was found"};
    }
    std::vector<KernelCases::Filled> batch;
    std::int64_t bytes = 0;
    for (std::size_t begin = lines.size(); begin < placements.size() && bytes < kBatchBytes;) {
      batch.push_back(cases_.filled(length, scale, variation, placements.subspan(begin)));
      begin += batch.back().sums.size();
      for (const auto& [name, tensor] : batch.back().value.tensors) bytes += std::ssize(tensor.bytes());
    }
    std::vector<run::Job> jobs;
    for (const KernelCases::Filled& each : batch) jobs.push_back({&each.value, &kernel_.contract});
    const std::vector<run::Outcome> outcomes = executor_.run(jobs, kernel_);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const run::Outcome& outcome = outcomes[i];
      if (outcome.status != run::Outcome::Status::Completed) {
        return base::infrastructure_error(fmt::format(
            "{} gave no sums of {}: {}; `negzero check {}` says more", kernel_.name, cases_.shape_text(length),
            outcome.failure ? outcome.failure->message : outcome.reason, kernel_.name));
      }
      const tensor::Tensor& output = outcome.outputs[0];
      for (const operation::Line& sums : batch[i].sums) {
        Line& line = lines.emplace_back();
        for (std::int64_t at = 0; at < sums.count; ++at) {
          double sum = std::ldexp(number::to_double(output.format(), output.get(sums.at(at))), -scale.one);
          // A mean's division rounds; no other number of ones is as near.
          if (cases_.is_mean()) sum = std::nearbyint(sum * static_cast<double>(length));
          line.push_back(static_cast<float>(sum));
        }
      }
    }
  }
  return lines;
}

base::Result<std::vector<double>> KernelSource::sums(std::int64_t length, std::int64_t terms, const Scale& scale,
                                                     unsigned variation, std::span<const Placement> placements) {
  if (cases_.reach() != notation::Reach::All) return sums_of_scan(length, terms, scale, variation, placements);
  const auto found = lines(length, scale, variation, placements);
  if (!found) return found.error();
  std::vector<double> sums;
  for (const Line& line : *found) sums.push_back(line[0]);
  return sums;
}

base::Result<std::vector<double>> KernelSource::sums_of_scan(std::int64_t length, std::int64_t terms,
                                                             const Scale& scale, unsigned variation,
                                                             std::span<const Placement> placements) {
  std::vector<Key> keys;
  std::vector<Placement> missing;
  std::set<Key> is_missing;
  for (Placement each : placements) {
    // Ones behind the element do not count, and let one run serve longer sums, too.
    if (each.ones_end == terms) each.ones_end = std::min(length, each.ones_begin + most_ones(formats()));
    keys.emplace_back(length, scale.large, scale.one, variation, each.plus, each.minus, each.ones_begin, each.ones_end);
    if (!kept_.contains(keys.back()) && is_missing.insert(keys.back()).second) missing.push_back(each);
  }
  if (kept_count_ + missing.size() * static_cast<std::size_t>(length) > kMostKept && kept_count_ != 0) {
    kept_.clear();
    kept_count_ = 0;
    return sums_of_scan(length, terms, scale, variation, placements);  // All are missing now.
  }
  auto found = lines(length, scale, variation, missing);
  if (!found) return found.error();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const Placement& each = missing[i];
    kept_count_ += (*found)[i].size();
    kept_.emplace(Key{length, scale.large, scale.one, variation, each.plus, each.minus, each.ones_begin, each.ones_end},
                  std::move((*found)[i]));
  }
  const auto element = static_cast<std::size_t>(cases_.reach() == notation::Reach::Before ? terms : terms - 1);
  std::vector<double> sums;
  for (const Key& key : keys) sums.push_back(kept_.at(key)[element]);
  return sums;
}

}  // namespace negzero::order
