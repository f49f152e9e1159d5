// Which cases are small enough to be watched.

#include <negzero/run/watched_size.hpp>

namespace negzero::run {

bool is_small_enough_to_watch(const operation::Operation& operation, std::int64_t most) {
  return operation::work_of(operation, most) <= most;
}

}  // namespace negzero::run
