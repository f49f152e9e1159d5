// What reproducers of LeetCUDA share, besides findings/shown.cuh.

#pragma once

#include "../shown.cuh"
#include "torch/extension.h"

namespace shown {

/// How many numbers from `from` to `to` of a tensor hold something else than kFill.
inline int written(const torch::Tensor& y, int from, int to) {
  int count = 0;
  for (int i = from; i < to; ++i) count += y.at(i) != kFill;
  return count;
}

/// A binding of kernels of several numbers a thread, `call(y)`, of one number: it is to write y[0] and nothing behind.
template <typename Call>
void tail(const char* name, torch::Type type, Call call) {
  const torch::Tensor y({1}, type, {}, kFill);
  call(y);
  wait();
  const bool is_missing = written(y, 0, 1) == 0;
  const int behind = written(y, 1, 1 + torch::Tensor::kBehind);
  char gave[64];
  std::snprintf(gave, sizeof gave, "%s, %d numbers behind y", is_missing ? "y[0] not written" : "y[0]", behind);
  line(name, "one number", gave, "y[0], none behind", is_missing || behind > 0);
}

/// A binding of one input, `call(x, y)`, at one number.
template <typename Call>
void at(const char* name, torch::Type type, float x, Call call, const char* right, bool (*is_wrong)(float)) {
  const torch::Tensor input({1}, type, {x}, 1), y({1}, type, {}, kFill);
  call(input, y);
  wait();
  char of[32], gave[32];
  std::snprintf(of, sizeof of, "%g", x);
  std::snprintf(gave, sizeof gave, "%.9g", y.at(0));
  line(name, of, gave, right, is_wrong(y.at(0)));
}

}  // namespace shown
