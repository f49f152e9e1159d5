// What a launch wrapper receives: pointers with strides, extents, scalars; and what it answers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace negzero::kernel {

/// A tensor in the executor's memory. `data` points at logical element 0 (the layout's offset is applied); strides are
/// in elements, outermost dimension first, and 0 broadcasts. Of an optional input that is absent `data` is nullptr and
/// every stride 0.
struct Operand {
  static constexpr std::size_t kMostDimensions = 6;

  void* data = nullptr;
  std::int64_t strides[kMostDimensions] = {};

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

/// Throws std::out_of_range with the names that there are. Not inline, for small objects of kernels.
[[noreturn]] void throw_none(const char* what, std::string_view name, std::span<const std::string_view> names);

/// What a launch is given: extents, operands and scalars by the names that the operation's line gives them
/// (`negzero list operations`), options by those of the kernel's limits (Limits::configuration). An initial tensor is
/// no operand: the output's memory already holds it.
class Args {
 public:
  static constexpr std::size_t kMost = 24;  ///< of each kind

  [[nodiscard]] std::int64_t extent(std::string_view name) const { return extents_.at(name, "extent"); }
  [[nodiscard]] const Operand& operand(std::string_view name) const { return operands_.at(name, "operand"); }
  [[nodiscard]] ScalarArg scalar(std::string_view name) const { return scalars_.at(name, "scalar"); }
  [[nodiscard]] std::int64_t option(std::string_view name) const { return options_.at(name, "option"); }

  // Names must outlive the arguments.
  void add(std::string_view name, std::int64_t extent) { extents_.add(name, extent); }
  void add(std::string_view name, const Operand& operand) { operands_.add(name, operand); }
  void add(std::string_view name, ScalarArg scalar) { scalars_.add(name, scalar); }
  void add_option(std::string_view name, std::int64_t value) { options_.add(name, value); }

 private:
  template <typename Value>
  struct Named {
    std::string_view names[kMost];
    Value values[kMost];
    std::size_t count = 0;

    void add(std::string_view name, const Value& value) {
      names[count] = name;
      values[count++] = value;
    }
    [[nodiscard]] const Value& at(std::string_view name, const char* what) const {
      for (std::size_t i = 0; i < count; ++i) {
        if (names[i] == name) return values[i];
      }
      throw_none(what, name, {names, count});
    }
  };
  Named<std::int64_t> extents_;
  Named<Operand> operands_;
  Named<ScalarArg> scalars_;
  Named<std::int64_t> options_;
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

// These return the same as a struct. Another operation's arguments throw std::out_of_range.

[[nodiscard]] inline GemmArgs gemm_args(const Args& args) {
  return {args.extent("batch"), args.extent("m"),  args.extent("n"),  args.extent("k"),     args.operand("a"),
          args.operand("b"),    args.operand("c"), args.operand("d"), args.scalar("alpha"), args.scalar("beta")};
}
[[nodiscard]] inline ReduceArgs reduce_args(const Args& args) {
  return {args.extent("rows"), args.extent("columns"), args.operand("x"), args.operand("y")};
}
[[nodiscard]] inline ScatterArgs scatter_args(const Args& args) {
  return {args.extent("updates"), args.extent("destinations"), args.operand("x"), args.operand("index"),
          args.operand("out")};
}

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

/// What negzero::refuse() throws.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace negzero::kernel

namespace negzero {

// What the launch of a declaration may call.

/// The same as LaunchResult::refuse(), from anywhere in a launch.
[[noreturn]] inline void refuse(const std::string& why) { throw kernel::Refused(why); }

/// The type of the elements of a pointer.
template <typename Pointer>
using element_of = std::remove_cv_t<std::remove_pointer_t<Pointer>>;

}  // namespace negzero
