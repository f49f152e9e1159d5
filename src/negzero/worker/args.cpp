// The arguments of a launch wrapper, from a plan.

#include <algorithm>

#include <negzero/operation/limits.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/worker/args.hpp>

namespace negzero::worker {

static_assert(kernel::Args::kMost >= notation::kMostExtents && kernel::Args::kMost >= notation::kMostTensors &&
              kernel::Args::kMost >= notation::kMostScalars && kernel::Args::kMost >= operation::kMostOptions);
static_assert(kernel::Operand::kMostDimensions >= notation::kMostDimensions);

kernel::Args args_of(const protocol::LaunchPlan& plan, std::byte* image, const operation::Options& options,
                     std::span<std::byte* const> bases) {
  // Names that live as long as the program: a plan's own may be gone before the kernel asks.
  const notation::Signature& signature = plan.operation.signature();
  kernel::Args args;
  for (std::size_t i = 0; i < signature.extents.size(); ++i)
    args.add(signature.extents[i], plan.operation.extents()[i]);
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    args.add(signature.scalars[i].name, kernel::ScalarArg{plan.operation.scalars()[i].bits});
  }
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const protocol::PlannedBuffer& buffer = plan.buffers[b];
    std::byte* const base = bases.empty() ? nullptr : bases[b];
    kernel::Operand operand;
    operand.data = (base != nullptr ? base : image + buffer.at - plan.moved) +
                   static_cast<std::size_t>(buffer.layout.offset) * buffer.element_bytes();
    std::copy(buffer.layout.strides.begin(), buffer.layout.strides.end(), operand.strides);
    args.add(signature.tensors[*signature.find_tensor(buffer.name)].name, operand);
  }
  for (const notation::TensorSignature& tensor : signature.family().tensors) {
    if (operation::is_absent(signature, tensor.name)) args.add(tensor.name, kernel::Operand{});
  }
  for (const auto& [name, values] : options) {
    const auto said = plan.configuration.find(name);
    args.add_option(name, said != plan.configuration.end() ? said->second : values.front());
  }
  return args;
}

}  // namespace negzero::worker
