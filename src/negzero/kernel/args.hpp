// What a launch wrapper receives: pointers with strides, extents, scalars; and what it answers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace negzero::kernel {

/// A tensor in the executor's memory. `data` points at logical element 0 (the layout's offset is applied); strides are
/// in elements, outermost dimension first, and 0 broadcasts.
struct Operand {
  void* data = nullptr;
  std::int64_t strides[3] = {0, 0, 0};

  template <typename T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data);
  }
};

/// A scalar's bits, to be read as the format that the kernel's contract declares for scalars.
struct ScalarArg {
  std::uint64_t bits = 0;

  template <typename T>
  [[nodiscard]] T as() const {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));  // void*: __half has private members.
    return value;
  }
};

/// d[b,i,j] = alpha sum_k a[b,i,k] b[b,k,j] + beta c[b,i,j]; strides are {batch, row, column} of each.
struct GemmArgs {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  Operand a, b, c, d;
  ScalarArg alpha, beta;
};

/// y[i] = reduction of x[i, 0..columns); strides of x are {row, column}, of y {element}.
struct ReduceArgs {
  std::int64_t rows = 0, columns = 0;
  Operand x, y;
};

/// out[index[i]] = combine(out[index[i]], x[i]); out already holds the initial values; strides are {element} of each.
struct ScatterArgs {
  std::int64_t updates = 0, destinations = 0;
  Operand x, index, out;
};

using Args = std::variant<GemmArgs, ReduceArgs, ScatterArgs>;

/// Scratch memory of the executor. What it holds at first is poison.
class Workspace {
 public:
  virtual ~Workspace() = default;
  /// At least `size_bytes` bytes, 256-byte aligned, valid until the launch has finished; nullptr never.
  virtual void* allocate(std::size_t size_bytes) = 0;
};

/// What a launch wrapper answers. A kernel refuses what lies outside its declared limits; refusing inside them is a
/// failure.
struct LaunchResult {
  bool refused = false;
  std::string reason;

  [[nodiscard]] static LaunchResult launched() { return {}; }
  [[nodiscard]] static LaunchResult refuse(std::string why) { return {true, std::move(why)}; }
};

}  // namespace negzero::kernel
