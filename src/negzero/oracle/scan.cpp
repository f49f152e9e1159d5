// Scans: each element is a sum of those before it along one dimension, with it or without.

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <negzero/operation/operands.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/line_sum.hpp>

namespace negzero::oracle {
namespace {

/// Whatever tree a scan adds by, the terms of an element are those up to it, so the rules of one sum in the declared
/// order hold for each.
class Scan final : public Problem {
 public:
  Scan(const operation::Case& value, const operation::Lines& lines, const tensor::Tensor& x, const Declared& contract,
       const Options& options)
      : Problem(lines.outputs(), operation::output_specs(value.operation).front().format),
        lines_(lines),
        sums_(x, contract, options, outputs(), output_format()),
        gives_empty_(contract.empty && value.operation.signature().reach == notation::Reach::Before) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    operation::Line line = lines_.of(element);
    const std::int64_t count = line.count;
    line.count = lines_.longest();
    const std::lock_guard lock(mutex_);
    auto running = running_.find(line.first);
    if (running == running_.end()) {
      // Outputs are judged row by row, so that no more lines than take turns in a row are asked for again soon.
      const std::int64_t most = std::min(lines_.abreast(), kMostRunning);
      if (static_cast<std::int64_t>(running_.size()) >= most) running_.clear();
      running = running_.emplace(line.first, std::make_unique<RunningSum>(sums_, line)).first;
    }
    return running->second->sum(count);
  }
  [[nodiscard]] std::vector<Reached> reached(std::int64_t element) const override {
    return sums_.reached(lines_.of(element));
  }
  [[nodiscard]] const Paths* paths() const override { return gives_empty_ ? nullptr : sums_.paths(); }

 private:
  static constexpr std::int64_t kMostRunning = 1 << 16;  ///< of about 1 KB each, beside 25 bytes for each element

  operation::Lines lines_;
  LineSums sums_;
  bool gives_empty_;  ///< the first elements are sums of nothing, of which the contract says what they are
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::int64_t, std::unique_ptr<RunningSum>> running_;  ///< by their first elements
};

}  // namespace

base::Result<std::unique_ptr<Problem>> make_scan(const operation::Case& value, const Declared& contract,
                                                 const Options& options, std::size_t /*output*/) {
  const tensor::Tensor& x = operation::factor(value);
  const number::FormatId output = operation::output_specs(value.operation).front().format;
  if (const base::Status fits = check_sums(x, output, contract, "a scan"); !fits) return fits.error();
  return std::unique_ptr<Problem>(
      std::make_unique<Scan>(value, operation::Lines(value.operation), x, contract, options));
}

}  // namespace negzero::oracle
