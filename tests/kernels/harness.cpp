// Memory with guard zones, arguments for the operations, and what comes out.

#include "harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <span>

#include <negzero/operation/limits.hpp>
#include <negzero/operation/lines.hpp>

namespace negzero::kernels_test {
namespace {

using kernel::Place;
using number::FormatId;

constexpr std::size_t kGuardBytes = 4096;

/// Workspace that begins as poison.
class TestWorkspace : public kernel::Workspace {
 public:
  explicit TestWorkspace(Poison poison) : poison_(poison) {}
  void* allocate(std::size_t size_bytes) override {
    constexpr std::size_t kAlignment = 256;
    blocks_.emplace_back(size_bytes + kAlignment, static_cast<std::byte>(poison_));
    const auto address = reinterpret_cast<std::uintptr_t>(blocks_.back().data());
    return blocks_.back().data() + (kAlignment - address % kAlignment) % kAlignment;
  }

 private:
  Poison poison_;
  std::vector<std::vector<std::byte>> blocks_;
};

Output launch(const kernel::Kernel& kernel, const kernel::Args& args, const How& how,
              const std::vector<Memory*>& memories, const Memory& out) {
  engine::Settings settings;
  settings.schedule = how.schedule;
  settings.poison = static_cast<std::uint8_t>(how.poison);
  settings.event_budget = 500'000;
  engine::Stream stream(settings);
  TestWorkspace workspace(how.poison);
  const kernel::LaunchResult result = kernel.launch(args, workspace, stream);
  Output output{.words = {},
                .values = {},
                .places = {},
                .report = stream.report(),
                .refusal = result.refused ? result.reason : ""};
  if (result.refused && result.reason.empty()) output.refusal = "refused without a reason";
  for (std::int64_t i = 0; i < out.element_count(); ++i) {
    output.words.push_back(out.word(i));
    output.values.push_back(out.value(i));
  }
  output.surroundings_intact = std::ranges::all_of(memories, [](const Memory* m) { return m->surroundings_intact(); });
  return output;
}

void fill(Memory& memory, const std::function<double(std::int64_t, std::int64_t, std::int64_t)>& element) {
  if (!element) return;  // Left as poison: nobody may read it.
  const std::vector<std::int64_t>& shape = memory.layout().shape;
  for (std::int64_t i = 0; i < memory.element_count(); ++i) {
    memory.set(i, element(i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]));
  }
}

kernel::ScalarArg scalar(const kernel::Kernel& kernel, double value) {
  return {number::from_double(number::format(kernel.contract.scalar_format.value()), value)};
}

tensor::Layout lay_b(const Gemm& gemm) {
  tensor::Layout layout = lay({gemm.batch, gemm.k, gemm.n}, gemm.lie);
  if (gemm.shares_b) layout.strides[0] = 0;
  return layout;
}

tensor::Layout scattered(std::int64_t count, Lie lie) {
  return lie == Lie::Packed ? tensor::Layout::packed({count}) : tensor::Layout{{count}, {3}, 5};
}

}  // namespace

const kernel::Kernel& kernel_named(const std::string& name) {
  const kernel::Kernel* const found = kernel::registry().find(name, Place::Host);
  if (found == nullptr) {
    std::fprintf(stderr, "no kernel is called '%s'\n", name.c_str());
    std::abort();
  }
  return *found;
}

std::vector<const kernel::Kernel*> kernels_like(const std::string& glob) {
  auto found = kernel::registry().match(std::vector{glob}, Place::Host);
  if (found.empty()) {
    std::fprintf(stderr, "no kernel is like '%s'\n", glob.c_str());
    std::abort();
  }
  return found;
}

Memory::Memory(FormatId format, tensor::Layout layout, Poison poison)
    : format_(&number::format(format)), layout_(std::move(layout)), poison_(poison) {
  const auto element_bytes = static_cast<std::size_t>(format_->bits) / 8;
  bytes_.assign(static_cast<std::size_t>(layout_.extent()) * element_bytes + 2 * kGuardBytes,
                static_cast<std::byte>(poison_));
}

std::size_t Memory::byte_of(std::int64_t i) const {
  return kGuardBytes + static_cast<std::size_t>(layout_.address(i)) * static_cast<std::size_t>(format_->bits) / 8;
}

std::uint64_t Memory::word(std::int64_t i) const {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes_.data() + byte_of(i), static_cast<std::size_t>(format_->bits) / 8);
  return word;
}

void Memory::set_word(std::int64_t i, std::uint64_t word) {
  std::memcpy(bytes_.data() + byte_of(i), &word, static_cast<std::size_t>(format_->bits) / 8);
}

double Memory::value(std::int64_t i) const { return number::to_double(*format_, word(i)); }

void Memory::set(std::int64_t i, double value) { set_word(i, number::from_double(*format_, value)); }

kernel::Operand Memory::operand() {
  kernel::Operand operand;
  operand.data = bytes_.data() + kGuardBytes +
                 static_cast<std::size_t>(layout_.offset) * static_cast<std::size_t>(format_->bits) / 8;
  std::ranges::copy(layout_.strides, operand.strides);
  return operand;
}

bool Memory::surroundings_intact() const {
  std::vector<bool> owned(bytes_.size(), false);
  const auto element_bytes = static_cast<std::size_t>(format_->bits) / 8;
  for (std::int64_t i = 0; i < element_count(); ++i) {
    for (std::size_t byte = 0; byte < element_bytes; ++byte) owned[byte_of(i) + byte] = true;
  }
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
    if (!owned[byte] && bytes_[byte] != static_cast<std::byte>(poison_)) return false;
  }
  return true;
}

tensor::Layout lay(std::vector<std::int64_t> shape, Lie lie) {
  tensor::Layout layout = tensor::Layout::packed(shape);
  if (lie == Lie::Packed) return layout;
  const std::size_t last = shape.size() - 1;
  const std::size_t inner = lie == Lie::Padded ? last : last - 1;
  const std::size_t outer = lie == Lie::Padded ? last - 1 : last;
  layout.offset = 3;
  layout.strides[inner] = lie == Lie::Padded ? 2 : 1;
  layout.strides[outer] = shape[inner] * layout.strides[inner] + 5;
  if (last == 2) layout.strides[0] = shape[outer] * layout.strides[outer] + 7;
  return layout;
}

const std::vector<How>& runs() {
  static const std::vector<How> all{
      {Poison::Nan, {engine::Order::Forward, 0, false}},
      {Poison::Large, {engine::Order::Backward, 0, false}},
      {Poison::Nan, {engine::Order::Random, 1, true}},
  };
  return all;
}

namespace {

/// Its operation in the first formats that it accepts.
operation::Operation operation_of(const kernel::Kernel& kernel) {
  operation::Operation operation = *operation::operation_named(kernel.operation);
  operation.set_formats(kernel.limits.formats.at(0));
  return operation;
}

}  // namespace

Output run(const kernel::Kernel& kernel, const Gemm& gemm, const How& how) {
  const operation::Operation operation = operation_of(kernel);
  const auto formats = operation.formats();
  Memory a(formats[0], lay({gemm.batch, gemm.m, gemm.k}, gemm.lie), how.poison);
  Memory b(formats[1], lay_b(gemm), how.poison);
  Memory c(formats[3], lay({gemm.batch, gemm.m, gemm.n}, gemm.lie), how.poison);
  Memory d(formats[2], lay({gemm.batch, gemm.m, gemm.n}, gemm.lie), how.poison);
  fill(a, gemm.a);
  fill(b, gemm.b);
  const bool is_in_place = kernel.limits.in_place.always;
  fill(is_in_place ? d : c, gemm.c);
  kernel::Args args;
  args.add("batch", gemm.batch);
  args.add("m", gemm.m);
  args.add("n", gemm.n);
  args.add("k", gemm.k);
  args.add("a", a.operand());
  args.add("b", b.operand());
  args.add("c", is_in_place ? d.operand() : c.operand());
  args.add("d", d.operand());
  args.add("alpha", scalar(kernel, gemm.alpha));
  args.add("beta", scalar(kernel, gemm.beta));
  return launch(kernel, args, how, {&a, &b, &c, &d}, d);
}

Output run(const kernel::Kernel& kernel, const Grouped& grouped, const How& how) {
  const std::vector<FormatId>& formats = kernel.limits.formats.at(0);
  const auto groups = static_cast<std::int64_t>(grouped.rows.size());
  Memory a(formats[0], lay({groups, grouped.capacity, grouped.k}, grouped.lie), how.poison);
  Memory b(formats[1], lay({groups, grouped.k, grouped.n}, grouped.lie), how.poison);
  Memory rows(FormatId::I32, scattered(groups, grouped.lie), how.poison);
  Memory d(formats[2], lay({groups, grouped.capacity, grouped.n}, grouped.lie), how.poison);
  fill(b, grouped.b);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int32_t count = grouped.rows[static_cast<std::size_t>(g)];
    rows.set_word(g, static_cast<std::uint32_t>(count));
    for (std::int64_t i = 0; i < count * grouped.k; ++i) {
      a.set(g * grouped.capacity * grouped.k + i, grouped.a(g, i / grouped.k, i % grouped.k));
    }
  }
  kernel::Args args;
  args.add("groups", groups);
  args.add("capacity", grouped.capacity);
  args.add("n", grouped.n);
  args.add("k", grouped.k);
  args.add("a", a.operand());
  args.add("b", b.operand());
  args.add("rows", rows.operand());
  args.add("d", d.operand());
  return launch(kernel, args, how, {&a, &b, &rows, &d}, d);
}

namespace {

/// The operation of a reduction or a scan with as many lines as `reduce` has rows. Where lines have two indices, the
/// inner one has 3, 2 or 1 values: the most that divides the rows.
operation::Operation along_of(const kernel::Kernel& kernel, const Reduce& reduce) {
  operation::Operation along = *operation::operation_named(kernel.operation);
  const notation::Signature& signature = along.signature();
  along.extents()[*signature.reduced] = reduce.columns;
  std::int64_t rows = reduce.rows;
  for (std::size_t e = signature.extents.size(); e-- > 0;) {
    if (e == *signature.reduced) continue;
    const bool is_first = e == 0 || (e == 1 && signature.reduced == 0u);
    const std::int64_t inner = rows % 3 == 0 ? 3 : rows % 2 == 0 ? 2 : 1;
    along.extents()[e] = is_first ? rows : inner;
    rows /= along.extents()[e] == 0 ? 1 : along.extents()[e];
  }
  return along;
}

}  // namespace

Output run(const kernel::Kernel& kernel, const Reduce& reduce, const How& how) {
  const std::vector<FormatId>& formats = kernel.limits.formats.at(0);
  const operation::Operation along = along_of(kernel, reduce);
  const notation::Signature& signature = along.signature();
  const auto place = [&](const std::vector<std::int64_t>& shape) {
    return shape.size() == 1 ? scattered(shape.front(), reduce.lie) : lay(shape, reduce.lie);
  };
  const tensor::Layout output_layout = place(along.shape_of(signature.outputs.front().tensor));
  Memory x(formats[0], lay(along.shape_of(signature.factors.front()), reduce.lie), how.poison);
  Memory y(formats[1], output_layout, how.poison);
  const bool is_scan = signature.reach != notation::Reach::All;
  const operation::Lines lines(along);
  for (std::int64_t row = 0; row < reduce.rows && reduce.columns > 0; ++row) {
    // The last element of a scan's row has the whole row before it.
    const std::int64_t element = is_scan ? (row + 1) * reduce.columns - 1 : row;
    const operation::Line line = lines.of(element);
    for (std::int64_t j = 0; j < reduce.columns; ++j) x.set(line.at(j), reduce.x(row, j));
  }
  kernel::Args args;
  for (std::size_t e = 0; e < signature.extents.size(); ++e) args.add(signature.extents[e], along.extents()[e]);
  args.add("x", x.operand());
  args.add("y", y.operand());
  if (signature.outputs.size() == 1) return launch(kernel, args, how, {&x, &y}, y);
  Memory at(FormatId::I32, output_layout, how.poison);
  args.add("at", at.operand());
  Output output = launch(kernel, args, how, {&x, &y, &at}, y);
  for (std::int64_t i = 0; i < at.element_count(); ++i) {
    output.places.push_back(static_cast<std::int32_t>(at.word(i)));
  }
  return output;
}

Output run(const kernel::Kernel& kernel, const Scatter& scatter, const How& how) {
  const operation::Operation operation = operation_of(kernel);
  const FormatId format = operation.formats()[0];
  const auto updates = static_cast<std::int64_t>(scatter.x.size());
  const auto destinations = static_cast<std::int64_t>(scatter.init.size());
  Memory x(format, scattered(updates, scatter.lie), how.poison);
  Memory index(operation.formats()[1], scattered(updates, scatter.lie), how.poison);
  Memory out(format, scattered(destinations, scatter.lie), how.poison);
  for (std::int64_t i = 0; i < updates; ++i) {
    x.set(i, scatter.x[static_cast<std::size_t>(i)]);
    index.set_word(i, static_cast<std::uint32_t>(scatter.index[static_cast<std::size_t>(i)]));
  }
  for (std::int64_t i = 0; i < destinations; ++i) out.set(i, scatter.init[static_cast<std::size_t>(i)]);
  kernel::Args args;
  args.add("updates", updates);
  args.add("destinations", destinations);
  args.add("x", x.operand());
  args.add("index", index.operand());
  args.add("out", out.operand());
  return launch(kernel, args, how, {&x, &index, &out}, out);
}

Output run(const kernel::Kernel& kernel, const Convert& convert, const How& how) {
  const std::vector<FormatId>& formats = kernel.limits.formats.at(0);
  const auto count = static_cast<std::int64_t>(convert.x.size());
  Memory x(formats[0], scattered(count, convert.lie), how.poison);
  Memory y(formats[1], scattered(count, convert.lie), how.poison);
  for (std::int64_t i = 0; i < count; ++i) x.set_word(i, convert.x[static_cast<std::size_t>(i)]);
  kernel::Args args;
  args.add("count", count);
  args.add("x", x.operand());
  args.add("y", y.operand());
  return launch(kernel, args, how, {&x, &y}, y);
}

DeclaredOutput run(const kernel::Kernel& kernel, const Declared& declared, const How& how) {
  operation::Operation operation = operation_of(kernel);
  const notation::Signature& signature = operation.signature();
  kernel::Args args;
  for (const std::string& extent : signature.extents) {
    operation.extent(extent) = declared.extents.at(extent);
    args.add(extent, declared.extents.at(extent));
  }
  const bool is_wide = kernel.contract.accumulate == FormatId::F64;
  for (const notation::ScalarSignature& each : signature.scalars) {
    const number::Format& format = number::format(is_wide ? FormatId::F64 : FormatId::F32);
    args.add(each.name, kernel::ScalarArg{number::from_double(format, declared.scalars.at(each.name))});
  }
  std::map<std::string, Memory> memories;
  std::vector<Memory*> all;
  for (std::size_t place = 0; place < signature.tensors.size(); ++place) {
    const notation::TensorSignature& tensor = signature.tensors[place];
    const std::vector<std::int64_t> shape = operation.shape_of(place);
    const tensor::Layout layout = shape.size() == 1 ? scattered(shape.front(), declared.lie) : lay(shape, declared.lie);
    Memory& memory = memories.try_emplace(tensor.name, operation.format_of(place), layout, how.poison).first->second;
    if (tensor.role != notation::Role::Output) {
      const std::vector<double>& numbers = declared.inputs.at(tensor.name);
      for (std::int64_t i = 0; i < memory.element_count(); ++i) memory.set(i, numbers.at(static_cast<std::size_t>(i)));
    }
    args.add(tensor.name, memory.operand());
    all.push_back(&memory);
  }
  const Output launched = launch(kernel, args, how, all, *all[signature.outputs.front().tensor]);
  DeclaredOutput result{.outputs = {},
                        .report = launched.report,
                        .refusal = launched.refusal,
                        .surroundings_intact = launched.surroundings_intact};
  for (const notation::OutputSignature& output : signature.outputs) {
    const std::string& name = signature.tensors[output.tensor].name;
    const Memory& memory = memories.at(name);
    for (std::int64_t i = 0; i < memory.element_count(); ++i) result.outputs[name].push_back(memory.value(i));
  }
  return result;
}

bool inside_limits(const kernel::Kernel& kernel, const Gemm& gemm) {
  operation::Gemm asked = operation::view<operation::Gemm>(operation_of(kernel));
  asked.batch = gemm.batch;
  asked.m = gemm.m;
  asked.n = gemm.n;
  asked.k = gemm.k;
  asked.alpha = {kernel.contract.scalar_format.value(), scalar(kernel, gemm.alpha).bits};
  asked.beta = {kernel.contract.scalar_format.value(), scalar(kernel, gemm.beta).bits};
  const std::map<std::string, tensor::Layout> layouts{{"a", lay({gemm.batch, gemm.m, gemm.k}, gemm.lie)},
                                                      {"b", lay_b(gemm)},
                                                      {"c", lay({gemm.batch, gemm.m, gemm.n}, gemm.lie)},
                                                      {"d", lay({gemm.batch, gemm.m, gemm.n}, gemm.lie)}};
  const operation::InPlaceLimit& in_place = kernel.limits.in_place;
  return !operation::outside(kernel.limits, asked, layouts, in_place.always ? in_place.input : "");
}

std::vector<double> expected(const Gemm& gemm) {
  std::vector<double> values;
  for (std::int64_t batch = 0; batch < gemm.batch; ++batch) {
    for (std::int64_t row = 0; row < gemm.m; ++row) {
      for (std::int64_t column = 0; column < gemm.n; ++column) {
        double value = 0;
        for (std::int64_t k = 0; gemm.alpha != 0 && k < gemm.k; ++k) {
          value += gemm.a(batch, row, k) * gemm.b(batch, k, column);
        }
        if (gemm.alpha != 0 && gemm.k > 0) value *= gemm.alpha;
        if (gemm.beta != 0) value += gemm.beta * gemm.c(batch, row, column);
        values.push_back(value);
      }
    }
  }
  return values;
}

double small_integer(std::int64_t i, std::int64_t j, std::int64_t k, int most) {
  auto mixed = static_cast<std::uint64_t>(i * 73856093 + j * 19349663 + k * 83492791 + 12345);
  mixed = (mixed ^ (mixed >> 13)) * 0x9e3779b97f4a7c15ull;
  return static_cast<double>((mixed >> 40) % static_cast<std::uint64_t>(2 * most + 1)) - most;
}

Reduce row_of(std::vector<double> numbers) {
  return {.rows = 1, .columns = static_cast<std::int64_t>(numbers.size()), .x = [numbers](auto, auto column) {
            return numbers[static_cast<std::size_t>(column)];
          }};
}

}  // namespace negzero::kernels_test
