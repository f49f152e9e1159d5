// Recorded outputs of a case, and its permitted sets, as safetensors.

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/judgement/observed.hpp>
#include <negzero/judgement/threads.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/tensor/half_bytes.hpp>

namespace negzero::judgement {
namespace {

using base::usage_error;

constexpr std::string_view kLow = ".low", kHigh = ".high", kFlags = ".flags";

/// The numbers that a list of encodings has, by their ordinals.
std::set<std::int64_t> numbers_of(const oracle::Permitted& permitted) {
  const number::Format& format = number::format(permitted.format);
  std::set<std::int64_t> numbers;
  for (const std::uint64_t word : permitted.only) {
    if (number::classify(format, word) < number::Class::Infinity) numbers.insert(number::ordinal(format, word));
  }
  return numbers;
}

std::uint32_t flags_of(const oracle::Permitted& permitted) {
  const number::Format& format = number::format(permitted.format);
  std::uint32_t flags = 0;
  const auto set = [&](bool holds, Permission bit) {
    if (holds) flags |= bit;
  };
  set(permitted.vacuous, kVacuous);
  set(permitted.nan, kNan);
  if (permitted.only.empty()) {
    const bool has_zero = permitted.holds_zero();
    set(permitted.finite, kNumbers);
    set(permitted.plus_infinity, kPlusInfinity);
    set(permitted.minus_infinity, kMinusInfinity);
    set(has_zero && (permitted.plus_zero || format.is_integer()), kPlusZero);
    set(has_zero && permitted.minus_zero && !format.is_integer(), kMinusZero);
    set(permitted.intervals().size() > 1 || (permitted.held_in && permitted.low != permitted.high), kWithGaps);
    return flags;
  }
  for (const std::uint64_t word : permitted.only) {
    const bool negative = number::is_negative(format, word);
    switch (number::classify(format, word)) {
      case number::Class::Nan:
        set(true, kNan);
        break;
      case number::Class::Infinity:
        set(true, negative ? kMinusInfinity : kPlusInfinity);
        break;
      case number::Class::Zero:
        set(true, negative ? kMinusZero : kPlusZero);
        break;
      default:
        break;
    }
  }
  const std::set<std::int64_t> numbers = numbers_of(permitted);
  set(!numbers.empty(), kNumbers);
  set(!numbers.empty() &&
          static_cast<std::uint64_t>(*numbers.rbegin()) - static_cast<std::uint64_t>(*numbers.begin()) !=
              numbers.size() - 1,
      kWithGaps);
  return flags;
}

}  // namespace

base::Result<std::vector<tensor::Tensor>> outputs_of(const operation::Case& value, files::Archive archive) {
  std::vector<tensor::Tensor> outputs;
  for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
    const auto found = archive.tensors.find(spec.name);
    if (found == archive.tensors.end()) {
      return usage_error(fmt::format("the output {} of {} is missing: give every output by its name", spec.name,
                                     operation::name(value.operation)));
    }
    tensor::Tensor& output = found->second;
    if (!number::format(spec.format).fills_bytes()) {
      auto elements = tensor::from_stored(output, spec.format, spec.shape);
      if (!elements) {
        return usage_error(fmt::format(
            "output {} is {}[{}], and the case's is {}[{}], which is given as U8[{}]: give the bytes in that shape",
            spec.name, output.format().name, fmt::join(output.shape(), ", "), number::format(spec.format).name,
            fmt::join(spec.shape, ", "), fmt::join(tensor::byte_shape(number::format(spec.format), spec.shape), ", ")));
      }
      outputs.push_back(*std::move(elements));
      continue;
    }
    if (output.format_id() != spec.format) {
      return usage_error(
          fmt::format("output {} has dtype {}, the case's is {}: give it as it was computed, in that dtype", spec.name,
                      output.format().name, number::format(spec.format).name));
    }
    if (output.shape() != spec.shape) {
      return usage_error(fmt::format("output {} has shape [{}], the case's is [{}]: give it packed, in that shape",
                                     spec.name, fmt::join(output.shape(), ", "), fmt::join(spec.shape, ", ")));
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::optional<Ends> ends_of(const oracle::Permitted& permitted) {
  const number::Format& format = number::format(permitted.format);
  auto [low, high] = permitted.finite ? permitted.hull() : oracle::Interval{};
  bool plus_zero = permitted.plus_zero, minus_zero = permitted.minus_zero && !format.is_integer();
  if (!permitted.only.empty()) {
    const std::set<std::int64_t> numbers = numbers_of(permitted);
    if (numbers.empty()) return std::nullopt;
    low = *numbers.begin();
    high = *numbers.rbegin();
    plus_zero = std::ranges::count(permitted.only, number::zero(format)) > 0;
    minus_zero = !format.is_integer() && std::ranges::count(permitted.only, number::zero(format, true)) > 0;
  } else if (!permitted.finite) {
    return std::nullopt;
  }
  return Ends{low == 0 && minus_zero ? number::zero(format, true) : number::from_ordinal(format, low),
              high == 0 && minus_zero && !plus_zero ? number::zero(format, true) : number::from_ordinal(format, high)};
}

base::Result<files::Archive> permitted_sets(const operation::Case& value, const contract::Contract& contract,
                                            std::size_t threads) {
  const base::FloatScope scope;
  const auto oracle = oracle::Oracle::make(value, contract);
  if (!oracle) return oracle.error();
  files::Archive archive;
  const auto specs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < specs.size(); ++o) {
    tensor::Tensor low(specs[o].format, specs[o].shape), high = low, flags(number::FormatId::I32, specs[o].shape);
    constexpr std::int64_t kRun = 256;
    const std::int64_t count = low.element_count();
    in_parallel(threads, static_cast<std::size_t>((count + kRun - 1) / kRun), [&](std::size_t run) {
      const std::int64_t begin = static_cast<std::int64_t>(run) * kRun;
      for (std::int64_t i = begin; i < std::min(count, begin + kRun); ++i) {
        const oracle::Permitted permitted = oracle->permitted(i, o);
        const Ends ends = ends_of(permitted).value_or(Ends{});
        low.set(i, ends.low);
        high.set(i, ends.high);
        flags.set(i, flags_of(permitted));
      }
    });
    archive.tensors.emplace(specs[o].name + std::string(kLow), std::move(low));
    archive.tensors.emplace(specs[o].name + std::string(kHigh), std::move(high));
    archive.tensors.emplace(specs[o].name + std::string(kFlags), std::move(flags));
  }
  return archive;
}

}  // namespace negzero::judgement
