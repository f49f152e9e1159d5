// Scans: each element is a sum of those before it along one dimension, with it or without.

#include <negzero/operation/operands.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/line_sum.hpp>

namespace negzero::oracle {
namespace {

/// Takes the square of a line's length: every element is a sum of its own. Whatever tree a scan adds by, the terms of
/// an element are those up to it, so the rules of one sum in the declared order hold for each.
class Scan final : public Problem {
 public:
  Scan(const operation::Case& value, const tensor::Tensor& x, const contract::Contract& contract,
       const Options& options)
      : Problem(x.element_count(), operation::output_specs(value.operation).front().format),
        lines_(value.operation),
        sums_(x, contract, options, outputs(), output_format()) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override { return sums_.sum(lines_.of(element)); }

 private:
  operation::Lines lines_;
  LineSums sums_;
};

}  // namespace

base::Result<std::unique_ptr<Problem>> make_scan(const operation::Case& value, const contract::Contract& contract,
                                                 const Options& options, std::size_t /*output*/) {
  const tensor::Tensor& x = operation::factor(value);
  const number::FormatId output = operation::output_specs(value.operation).front().format;
  if (const base::Status fits = check_sums(x, output, contract, "a scan"); !fits) return fits.error();
  return std::unique_ptr<Problem>(std::make_unique<Scan>(value, x, contract, options));
}

}  // namespace negzero::oracle
