// The pass over launches before the case: fewer of them, then less different ones.

#include <negzero/shrink/passes.hpp>

namespace negzero::shrink {

void shrink_history(const operation::Case& value, const verdict::Failure&, const operation::Limits&, const Emit& emit) {
  const auto with = [&](std::size_t i, const operation::EarlierLaunches& launch) {
    operation::Case simpler = value;
    simpler.history[i] = launch;
    return emit(std::move(simpler));
  };
  for (std::size_t i = 0; i < value.history.size(); ++i) {
    operation::Case fewer = value;
    fewer.history.erase(fewer.history.begin() + static_cast<std::ptrdiff_t>(i));
    // Without any, it is a case of another kind.
    if (!fewer.history.empty() && !emit(std::move(fewer))) return;
  }
  for (std::size_t i = 0; i < value.history.size(); ++i) {
    operation::EarlierLaunches launch = value.history[i];
    for (const std::uint32_t times : {1u, launch.times / 4, launch.times / 2, launch.times - 1}) {
      operation::EarlierLaunches fewer = launch;
      fewer.times = times;
      if (times > 0 && times < launch.times && !with(i, fewer)) return;
    }
    for (bool operation::EarlierLaunches::*same :
         {&operation::EarlierLaunches::same_shape, &operation::EarlierLaunches::same_storage,
          &operation::EarlierLaunches::same_stream}) {
      operation::EarlierLaunches alike = launch;
      alike.*same = true;
      if (!(launch.*same) && !with(i, alike)) return;
    }
    for (const operation::Contents contents : {operation::Contents::Same, operation::Contents::Scalars,
                                               operation::Contents::One, operation::Contents::Later}) {
      operation::EarlierLaunches alike = launch;
      alike.contents = contents;
      if (contents < launch.contents && !with(i, alike)) return;
    }
    launch.seed = 0;
    if (!with(i, launch)) return;
  }
}

}  // namespace negzero::shrink
