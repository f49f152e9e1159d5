// Cases of a kernel that hold placements.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/order/kernel_cases.hpp>

namespace negzero::order {

namespace {

using notation::Combine;
using notation::Signature;
using operation::Kind;

/// Sums of one case, one a row, and columns of a product, where an extent is not asked for.
constexpr std::int64_t kRows = 32, kColumns = 8;
/// Lengths that are looked at: no multiples of one block, so that formulas differ. A mean divides: by powers of two
/// without a rounding. Of an update each case holds one sum.
constexpr std::int64_t kLengths[] = {96, 256, 1000}, kMeanLengths[] = {64, 256, 1024}, kUpdateLengths[] = {24, 64, 200};
/// Of formats that have room for few terms beside M.
constexpr std::int64_t kShortest = 16;
/// About where kernels have come to all their paths: many blocks a sum, many terms a thread.
constexpr std::int64_t kLonger = 65'000, kLongerProducts = 16'000;

base::Error no_sum(const kernel::Kernel& kernel, const std::string& why) {
  return base::usage_error(
      fmt::format("{}: {}; name a kernel that sums floating-point numbers over one extent (`negzero list kernels`)",
                  kernel.name, why));
}

std::span<const std::int64_t> usual_lengths(const Signature& signature) {
  if (signature.is_update) return kUpdateLengths;
  return signature.combine == Combine::Mean ? std::span<const std::int64_t>(kMeanLengths) : kLengths;
}

/// Why a line has no sum whose order could be found; empty where it has.
std::string why_no_sum(const Signature& signature) {
  if (signature.is_declared) return "its line declares inputs and outputs, and does not say what is summed";
  const auto kind = operation::kind_of(signature);
  if (!kind || *kind == Kind::Elements || !signature.reduced || signature.factors.empty()) {
    return fmt::format("{} has no sum over an extent", signature.name);
  }
  const bool is_sum = *kind == Kind::Products || *kind == Kind::GroupedProducts || *kind == Kind::Scan ||
                      signature.combine == Combine::Sum || signature.combine == Combine::Mean;
  return is_sum ? "" : fmt::format("{} selects an element, and adds nothing", signature.name);
}

/// Accepted, near to what is wanted.
std::int64_t accepted(const operation::ExtentLimit& limit, std::int64_t wanted) {
  return limit.at_least(wanted).value_or(generate::nearest_extent(limit, wanted));
}

}  // namespace

const std::string& KernelCases::length_name() const { return base_.signature().extents[*base_.signature().reduced]; }

base::Result<KernelCases> KernelCases::make(const kernel::Kernel& kernel, const Asked& asked) {
  const Signature* const signature = operation::find_signature(kernel.operation);
  if (signature == nullptr) return no_sum(kernel, fmt::format("operation {} is not known", kernel.operation));
  if (const std::string why = why_no_sum(*signature); !why.empty()) return no_sum(kernel, why);
  KernelCases cases(kernel);
  cases.base_ = operation::Operation(*signature);
  if (const auto taken = cases.take(asked); !taken) return taken.error();
  for (const std::int64_t length : cases.lengths_) {
    const Filled probe = cases.filled(length, {}, 0, std::vector{Placement{0, 1, 0, 2}});
    if (const auto valid = operation::validate(probe.value); !valid) return valid.error();
    if (const auto why = operation::outside(kernel.limits, probe.value)) {
      return base::usage_error(fmt::format("{} does not take {}: {}", kernel.name, cases.shape_text(length), *why));
    }
  }
  return cases;
}

base::Status KernelCases::take(const Asked& asked) {
  const Signature& signature = base_.signature();
  if (!asked.formats.empty()) {
    if (asked.formats.size() < signature.own_formats || asked.formats.size() > signature.formats.size()) {
      return base::usage_error(fmt::format("--formats: {} of them; {} has {}", asked.formats.size(), signature.name,
                                           fmt::join(signature.formats, ", ")));
    }
    base_.set_formats(asked.formats);
  } else if (!kernel_->limits.formats.empty()) {
    base_.set_formats(kernel_->limits.formats.front());
  }
  for (const auto& [name, value] : asked.extents) {
    if (!signature.find_extent(name)) {
      return base::usage_error(fmt::format("--extents {}={}: {} has no such extent; it has {}", name, value,
                                           signature.name, fmt::join(signature.extents, ", ")));
    }
  }
  take_formats();
  asked_ = asked.extents;
  lengths_ = asked.lengths;
  if (const auto one = asked_.find(length_name()); one != asked_.end()) {
    if (lengths_.empty()) lengths_ = {one->second};
    asked_.erase(one);
  }
  are_usual_ = lengths_.empty();
  if (are_usual_) {
    const auto limits = operation::with_common_extents(kernel_->limits, signature);
    for (std::int64_t wanted : usual_lengths(signature)) {
      while (wanted > kShortest && !scales_of(formats_, wanted)) wanted /= 2;  // Narrow formats have room for few.
      lengths_.push_back(accepted(limits.extents[length_name()], wanted));
    }
  }
  std::ranges::sort(lengths_);
  lengths_.erase(std::ranges::unique(lengths_).begin(), lengths_.end());
  if (lengths_.front() < 2) {
    return base::usage_error(fmt::format("{}={}: a sum of fewer than 2 terms has no order; ask for a longer one",
                                         length_name(), lengths_.front()));
  }
  return base::Ok{};
}

std::optional<std::int64_t> KernelCases::longer() const {
  if (!are_usual_ || reach() != notation::Reach::All || base_.signature().is_update) return std::nullopt;
  const auto limits = operation::with_common_extents(kernel_->limits, base_.signature());
  const std::int64_t wanted = formats_.has_products ? kLongerProducts : kLonger;
  const auto length = limits.extents[length_name()].at_most(wanted);
  if (!length || *length <= lengths_.back()) return std::nullopt;
  const Filled probe = filled(*length, {}, 0, std::vector{Placement{0, 1, 0, 2}});
  const bool is_taken = operation::validate(probe.value) && !operation::outside(kernel_->limits, probe.value);
  return is_taken ? length : std::nullopt;
}

void KernelCases::take_formats() {
  const Signature& signature = base_.signature();
  const contract::Contract& contract = kernel_->contract;
  const number::FormatId scalar_format = generate::scalar_format(contract);
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    const bool is_zero = signature.scalars[i].is_addend && kernel_->limits.beta != operation::ScalarLimit::One;
    base_.scalars()[i] = {scalar_format, is_zero ? 0 : number::one(number::format(scalar_format))};
  }
  formats_.has_products = signature.factors.size() > 1;
  formats_.terms = base_.format_of(signature.factors[0]);
  if (formats_.has_products) formats_.factors = base_.format_of(signature.factors[1]);
  formats_.accumulator = generate::accumulator_of(base_, contract);
  formats_.output = base_.format_of(signature.outputs[0].tensor);
  for (const contract::RoundingStep& step : contract.intermediate) formats_.stored.push_back(step.format);
  if (contract.slice_format) formats_.stored.push_back(*contract.slice_format);
  if (contract.multiplicand == contract::Multiplicand::F16 && formats_.has_products) {
    formats_.terms = formats_.factors = number::FormatId::F16;
  }
}

operation::Operation KernelCases::operation_of(std::int64_t length) const {
  operation::Operation result = base_;
  const Signature& signature = base_.signature();
  const operation::Limits limits = operation::with_common_extents(kernel_->limits, signature);
  const notation::TensorSignature& terms = signature.tensors[signature.factors[0]];
  std::size_t rows = signature.extents.size();  // the extent that has a sum at each index
  for (const std::size_t extent : terms.extents) rows = extent == *signature.reduced ? rows : extent;
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    const bool is_single = has_extent(terms, e) || signature.is_update;
    const std::int64_t wanted = e == rows ? kRows : is_single ? 1 : kColumns;
    result.extents()[e] = accepted(limits.extents[signature.extents[e]], wanted);
  }
  result.extents()[*signature.reduced] = length;
  operation::keep_relations(result.extents(), signature, limits, *signature.reduced);
  for (const auto& [name, value] : asked_) result.extent(name) = value;
  result.extents()[*signature.reduced] = length;
  return result;
}

std::string KernelCases::shape_text(std::int64_t length) const {
  const operation::Operation operation = operation_of(length);
  std::vector<std::string> parts;
  for (const operation::Extent& each : operation::extents_of(operation)) {
    parts.push_back(fmt::format("{}={}", each.name, each.value));
  }
  parts.push_back(operation::formats_text(operation.named_formats(), operation.signature()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace negzero::order
