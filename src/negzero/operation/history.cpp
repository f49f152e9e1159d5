// What ran in a process before a case: launches that a kernel may remember and must not.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/history.hpp>

namespace negzero::operation {

namespace {

void halve_extents(Operation& operation) {
  for (std::int64_t& extent : operation.extents()) extent = (extent + 1) / 2;
}

/// Puts small integers into every input where `which` says; indices stay in range.
void draw_contents(Case& value, Contents which, std::uint64_t seed) {
  const std::vector<TensorSpec> specs = input_specs(value.operation);
  base::Random random(seed);
  for (auto& [name, tensor] : value.tensors) {
    const std::optional<std::int64_t> below = std::ranges::find(specs, name, &TensorSpec::name)->index_below;
    const number::Format& format = tensor.format();
    const std::int64_t count = tensor.element_count();
    std::int64_t begin = which == Contents::Later ? (count + 1) / 2 : 0, end = count;
    if (which == Contents::One && count > 0) {
      begin = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
      end = begin + 1;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const auto drawn = random.next();
      if (below) {
        tensor.set(i, drawn % static_cast<std::uint64_t>(std::max<std::int64_t>(1, *below)));
        continue;
      }
      const std::uint64_t word = number::from_double(format, static_cast<double>(drawn % 7) - 3);
      const bool is_other = which != Contents::One || word != tensor.get(i);
      tensor.set(i, is_other ? word : number::from_double(format, 4));
    }
  }
  unify_shared_elements(value);
}

/// Gives the scalars other values. A whole number is often one that a kernel counts or indexes with, and nothing here
/// knows which of them its limits accept: it stays, as a truth value does.
void draw_scalars(Operation& operation, std::uint64_t seed) {
  base::Random random(seed);
  for (std::size_t s = 0; s < operation.scalars().size(); ++s) {
    if (operation.signature().scalars[s].is_whole()) continue;
    Scalar& scalar = operation.scalars()[s];
    constexpr double kValues[] = {0, 1, 2, -3};
    const std::uint64_t first = random.below(std::size(kValues));
    for (std::uint64_t i = 0; i < 2; ++i) {
      const std::uint64_t bits =
          number::from_double(number::format(scalar.format), kValues[(first + i) % std::size(kValues)]);
      if (bits == scalar.bits) continue;
      scalar.bits = bits;
      break;
    }
  }
}

constexpr std::string_view kContents[] = {"same", "scalars", "one", "later", "other"};
constexpr std::string_view kContentsPhrases[] = {"with the same contents", "with other scalars",
                                                 "with one element of each input changed",
                                                 "with the later half of each input changed", "with other contents"};

}  // namespace

std::string_view name(Contents contents) noexcept { return kContents[static_cast<std::size_t>(contents)]; }

std::optional<Contents> parse_contents(std::string_view text) noexcept {
  const auto* const found = std::ranges::find(kContents, text);
  if (found == std::end(kContents)) return std::nullopt;
  return static_cast<Contents>(found - std::begin(kContents));
}

std::uint32_t launches(const History& history) noexcept {
  std::uint64_t sum = 0;
  for (const EarlierLaunches& each : history) sum += each.times;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, ~std::uint32_t{0}));
}

Case earlier_case(const Case& value, const EarlierLaunches& launch, std::uint32_t number) {
  Case result = value;
  result.history.clear();
  if (!launch.same_shape) {
    halve_extents(result.operation);
    for (const TensorSpec& spec : input_specs(result.operation)) {
      result.tensors.at(spec.name) = tensor::Tensor(spec.format, spec.shape);
    }
    result.layouts.clear();
    pack_missing_layouts(result);
  }
  if (launch.is_case()) return result;
  const std::uint64_t seed = base::mix64(launch.seed + number);
  if (launch.same_shape && launch.contents == Contents::Scalars) {
    draw_scalars(result.operation, seed);
    return result;
  }
  draw_contents(result, launch.same_shape ? launch.contents : Contents::Other, seed);
  return result;
}

std::string describe(const History& history) {
  std::string text;
  for (const EarlierLaunches& each : history) {
    text += fmt::format(
        "{}{} launch{} {} {}{}", text.empty() ? "after " : ", ", each.times, each.times == 1 ? "" : "es",
        each.same_shape ? kContentsPhrases[static_cast<std::size_t>(each.contents)] : "of another shape",
        each.same_storage ? "in the same storage" : "in other storage", each.same_stream ? "" : " on another stream");
  }
  return text;
}

}  // namespace negzero::operation
