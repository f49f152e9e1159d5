// Whether a kernel adds in the same order in other shapes.

#include <set>
#include <string>

#include <negzero/order/kernel_source.hpp>
#include <negzero/order/other_shapes.hpp>

namespace negzero::order {

namespace {

/// Extents at which kernels and libraries choose other tiles, slices and paths.
constexpr std::int64_t kSmall = 1, kLarge = 128;

}  // namespace

base::Result<std::vector<OtherShape>> in_other_shapes(const kernel::Kernel& kernel, run::Executor& executor,
                                                      const Asked& asked, const Order& order,
                                                      const std::function<bool()>& stop) {
  std::vector<OtherShape> others;
  const AtLength& at = order.lengths[order.lengths.size() / 2];
  const notation::Signature& signature = *operation::find_signature(kernel.operation);
  if (!at.found.tree || signature.is_update || signature.reach != notation::Reach::All) return others;
  Asked same = asked;
  same.lengths = {at.length};
  same.extents.erase(order.length_name);
  const auto usual = KernelCases::make(kernel, same);
  if (!usual) return usual.error();
  std::set<std::string> seen{usual->shape_text(at.length)};
  for (const std::int64_t extent : {kSmall, kLarge}) {
    Asked other = same;
    for (const std::string& name : signature.extents) {
      const auto accepted = kernel.limits.extents[name].at_least(extent);
      if (usual->extent(name, at.length) <= 1 || name == order.length_name || !accepted) continue;  // Not of batches.
      other.extents.try_emplace(name, *accepted);
    }
    auto cases = KernelCases::make(kernel, other);
    if (!cases || !seen.insert(cases->shape_text(at.length)).second) continue;  // Relations of extents may forbid it.
    OtherShape& shape = others.emplace_back(OtherShape{.shape = cases->shape_text(at.length)});
    KernelSource source(*std::move(cases), kernel, executor, stop);
    const auto is_same = adds_along(source, *at.found.tree);
    if (!is_same) return is_same.error();
    shape.is_same = *is_same;
  }
  return others;
}

}  // namespace negzero::order
