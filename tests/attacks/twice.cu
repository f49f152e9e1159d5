// Attacks on the registry: a second kernel under the name of one that is right, before it and after it.

#include "pairs.cuh"

namespace negzero::attacks {
namespace {

kernel::LaunchResult launch_right(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return right(args, stream);
}
kernel::LaunchResult launch_wrong(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return wrong(args, stream);
}

/// The right kernel is what is looked at, and the wrong one takes its place in the registry: in the process of a kernel
/// the registry is the kernel's own.
bool replace_in_place() {
  auto* const found = const_cast<kernel::Kernel*>(kernel::registry().find("attack.replaced", kernel::kThisPlace));
  if (found != nullptr) found->launch = launch_wrong;
  return true;
}

const bool registered[] = {
    add_sum("attack.wrong_first", "wrong, and right under the same name", launch_wrong),
    add_sum("attack.wrong_first", "right", launch_right),
    add_sum("attack.right_first", "right, and wrong under the same name", launch_right),
    add_sum("attack.right_first", "wrong", launch_wrong),
    add_sum("attack.replaced", "right until it is replaced", launch_right),
    replace_in_place(),
    // The name that is known for being right.
    add_sum("reduce.sum.tree.f32", "wrong under the name of a kernel that ships", launch_wrong),
};

}  // namespace
}  // namespace negzero::attacks
