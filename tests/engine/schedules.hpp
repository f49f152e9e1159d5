// The settings under which correct kernels must give the same results.

#pragma once

#include <vector>

#include <negzero/engine/stream.hpp>

namespace negzero_tests {

inline std::vector<negzero::engine::Settings> all_schedules() {
  using negzero::engine::Order;
  std::vector<negzero::engine::Settings> result;
  for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
    for (const bool preempt : {false, true}) {
      for (const unsigned resident : {1u, 3u}) {
        negzero::engine::Settings settings;
        settings.schedule = {order, 17 + result.size(), preempt};
        settings.resident_blocks = resident;
        result.push_back(settings);
      }
    }
  }
  return result;
}

}  // namespace negzero_tests
