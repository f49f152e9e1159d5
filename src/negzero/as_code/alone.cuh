// The words of negzero that its kernel files use, for a file that is compiled without negzero. An exported file has
// those that its kernel reaches. `stream` is the default one.

#define NEGZERO_SHARED(type, name, ...) __shared__ type name __VA_ARGS__
#define NEGZERO_DYNAMIC_SHARED(type, name)                         \
  extern __shared__ __align__(1024) unsigned char dynamic_bytes[]; \
  type* const name = reinterpret_cast<type*>(dynamic_bytes)

namespace negzero::engine {

struct Stream {};

}  // namespace negzero::engine

namespace negzero::kernel {

/// A tensor: its element 0, and strides in elements.
struct Operand {
  void* data = nullptr;
  std::int64_t strides[3] = {0, 0, 0};
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

struct ScalarArg {
  std::uint64_t bits = 0;
  template <typename T>
  T as() const {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
  }
};

/// What a launch is given, by name.
struct Args {
  std::map<std::string, std::int64_t> extents;
  std::map<std::string, Operand> operands;
  std::map<std::string, ScalarArg> scalars;
  std::map<std::string, std::int64_t> options;
  std::int64_t extent(const std::string& name) const { return extents.at(name); }
  const Operand& operand(const std::string& name) const { return operands.at(name); }
  ScalarArg scalar(const std::string& name) const { return scalars.at(name); }
  std::int64_t option(const std::string& name) const { return options.at(name); }
};

struct GemmArgs {
  std::int64_t batch, m, n, k;
  Operand a, b, c, d;
  ScalarArg alpha, beta;
};
inline GemmArgs gemm_args(const Args& args) {
  return {args.extent("batch"), args.extent("m"),  args.extent("n"),  args.extent("k"),     args.operand("a"),
          args.operand("b"),    args.operand("c"), args.operand("d"), args.scalar("alpha"), args.scalar("beta")};
}

struct ReduceArgs {
  std::int64_t rows, columns;
  Operand x, y;
};
inline ReduceArgs reduce_args(const Args& args) {
  return {args.extent("rows"), args.extent("columns"), args.operand("x"), args.operand("y")};
}

struct ScatterArgs {
  std::int64_t updates, destinations;
  Operand x, index, out;
};
inline ScatterArgs scatter_args(const Args& args) {
  return {args.extent("updates"), args.extent("destinations"), args.operand("x"), args.operand("index"),
          args.operand("out")};
}

/// Scratch memory, full of poison.
struct Workspace {
  int poison_byte = 0xff;
  void* allocate(std::size_t size_bytes) {
    void* memory = nullptr;
    cudaMalloc(&memory, size_bytes);
    cudaMemset(memory, poison_byte, size_bytes);
    return memory;
  }
};

struct LaunchResult {
  bool refused = false;
  std::string reason;
  static LaunchResult launched() { return {}; }
  static LaunchResult refuse(std::string why) { return {true, why}; }
};

}  // namespace negzero::kernel

namespace negzero {

template <typename... Parameters, typename... Arguments>
void launch(engine::Stream&, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
            Arguments&&... arguments) {
  if (dynamic_shared_bytes > 48u * 1024u) {
    cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(dynamic_shared_bytes));
  }
  kernel<<<grid, block, dynamic_shared_bytes>>>(static_cast<Parameters>(arguments)...);
}

inline void device_copy(engine::Stream&, void* to, const void* from, std::size_t size_bytes) {
  cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDefault);
}

inline void device_fill(engine::Stream&, void* to, int byte, std::size_t size_bytes) {
  cudaMemsetAsync(to, byte, size_bytes);
}

}  // namespace negzero
