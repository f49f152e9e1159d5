// What a test of plain random inputs and a tolerance sees of each planted fault, in Markdown: what there is to compare
// negzero with.
//
//   plain_random [GLOB] [--executor host|cuda] [--cases N]
//
// Such a test draws numbers of N(0, 1), indices and counts uniformly, extents from 32 to 256 in steps of 32, packed
// layouts, alpha = 1, beta = 0, epsilon = 1e-5; it runs the kernel once and holds each output to that of a correct
// kernel (the fault's twin). A cell is the number of cases that a tolerance sees. Defaults: of
// torch.testing.assert_close, by format (F16 1e-3 + 1e-5, BF16 1.6e-2 + 1e-5, F32 1.3e-6 + 1e-5, F64 1e-7 + 1e-7; else
// equality). Loose: 1e-2 + 1e-2, as tests of matrix kernels have it. Exit code: 0 run, 2 bad input, 77 no GPU.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero {
namespace {

using number::FormatId;

/// |observed - right| <= relative * |right| + absolute.
struct Tolerance {
  double relative = 0, absolute = 0;
};

Tolerance default_of(FormatId format) {
  switch (format) {
    case FormatId::F16:
      return {1e-3, 1e-5};
    case FormatId::BF16:
      return {1.6e-2, 1e-5};
    case FormatId::F32:
      return {1.3e-6, 1e-5};
    case FormatId::F64:
      return {1e-7, 1e-7};
    default:
      return {};
  }
}

bool are_close(const tensor::Tensor& observed, const tensor::Tensor& right, Tolerance tolerance) {
  for (std::int64_t i = 0; i < right.element_count(); ++i) {
    const double is = number::to_double(observed.format(), observed.get(i));
    const double wanted = number::to_double(right.format(), right.get(i));
    if (is == wanted || (std::isnan(is) && std::isnan(wanted))) continue;
    if (!(std::abs(is - wanted) <= tolerance.relative * std::abs(wanted) + tolerance.absolute)) return false;
  }
  return true;
}

/// Numbers of N(0, 1); indices and counts uniform, in order where they are to ascend.
void draw_plainly(operation::Case& value, std::uint64_t index) {
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    base::Random random = base::Random(index).split(base::mix_bytes(std::as_bytes(std::span(spec.name))));
    tensor::Tensor& tensor = value.tensors.at(spec.name);
    std::vector<std::uint64_t> words(static_cast<std::size_t>(tensor.element_count()));
    for (std::uint64_t& word : words) {
      if (spec.index_below) {
        word = random.below(static_cast<std::uint64_t>(*spec.index_below));
      } else {  // Box and Muller (1958)
        const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
        word = number::from_double(tensor.format(), radius * std::cos(2 * std::numbers::pi * random.uniform()));
      }
    }
    if (spec.is_ascending) std::ranges::sort(words);
    for (std::size_t i = 0; i < words.size(); ++i) tensor.set(static_cast<std::int64_t>(i), words[i]);
  }
}

/// Extents and scalars that the limits do not have so are left as usual.
generate::Request plain_request(const kernel::Kernel& kernel) {
  generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  operation::Limits& limits = request.limits;
  limits.inputs.order = limits.output.order = operation::LayoutOrder::Packed;
  limits.alpha = operation::ScalarLimit::One;
  if (limits.beta != operation::ScalarLimit::One) limits.beta = operation::ScalarLimit::Zero;
  for (const auto& [name, range] : kernel.limits.scalars) limits.scalars[name] = {1e-5, 1e-5};
  request.mix = {.weights = {{"normal", 1.0}}, .finite = true};
  for (const std::string& extent : operation::find_signature(kernel.operation)->extents) {
    request.mix.extents[extent] = {32, 256, 32};
    if (!generate::validate(request)) request.mix.extents.erase(extent);
  }
  return request;
}

/// Cases of a thousand that are seen.
struct Seen {
  std::uint64_t by_default = 0, loosely = 0, ended = 0;
};

Seen look(const kernel::Kernel& fault, const kernel::Kernel& twin, run::Executor& executor, std::uint64_t cases) {
  Seen seen;
  const generate::Request request = plain_request(fault);
  for (std::uint64_t index = 0; index < cases; ++index) {
    operation::Case value = generate::make_case(request, 1, index);
    value.schedule = {};
    draw_plainly(value, index);
    const run::Outcome observed = executor.run(value, fault, fault.contract);
    const run::Outcome right = executor.run(value, twin, twin.contract);
    if (right.status != run::Outcome::Status::Completed) {
      fmt::print(stderr, "plain_random: {}: {}\n", twin.name, right.failure ? right.failure->message : right.reason);
      std::exit(2);
    }
    if (observed.status != run::Outcome::Status::Completed) {
      ++seen.ended;
      continue;
    }
    bool is_default = true, is_loose = true;
    for (std::size_t o = 0; o < right.outputs.size(); ++o) {
      is_default =
          is_default && are_close(observed.outputs[o], right.outputs[o], default_of(right.outputs[o].format_id()));
      is_loose = is_loose && are_close(observed.outputs[o], right.outputs[o], {1e-2, 1e-2});
    }
    seen.by_default += is_default ? 0 : 1;
    seen.loosely += is_loose ? 0 : 1;
  }
  return seen;
}

const kernel::Kernel& twin_of(const kernel::Kernel& fault, kernel::Place place) {
  const std::string id = fault.name.substr(0, fault.name.find('.', std::string_view("faulty.").size()));
  const std::string glob = "twin" + id.substr(std::string_view("faulty").size()) + ".*";
  return *kernel::registry().match(std::span(&glob, 1), place).front();
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  using namespace negzero;
  CLI::App app("What plain random inputs and a tolerance see of each planted fault");
  std::string glob = "faulty.*", where = "host";
  std::uint64_t cases = 1000;
  app.add_option("glob", glob, "faults [faulty.*]");
  app.add_option("--executor", where, "host or cuda [host]")->check(CLI::IsMember({"host", "cuda"}));
  app.add_option("--cases", cases, "of each [1000]")->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const kernel::Place place = where == "cuda" ? kernel::Place::Device : kernel::Place::Host;
  auto executor = run::local_executor(place, 0);
  if (!executor) {
    fmt::print(stderr, "plain_random: {}\n", executor.error().message);
    return 77;
  }
  const std::vector<const kernel::Kernel*> faults = kernel::registry().match(std::span(&glob, 1), place);
  if (faults.empty()) {
    fmt::print(stderr, "plain_random: no kernel {}; a planted fault is named faulty.*\n", glob);
    return 2;
  }
  fmt::print("| kernel | default tolerance | loose | ended otherwise |\n|---|---:|---:|---:|\n");
  for (const kernel::Kernel* fault : faults) {
    const Seen seen = look(*fault, twin_of(*fault, place), **executor, cases);
    fmt::print("| `{}` | {} | {} | {} |\n", fault->name, seen.by_default, seen.loosely, seen.ended);
    std::fflush(stdout);
  }
  return 0;
}
