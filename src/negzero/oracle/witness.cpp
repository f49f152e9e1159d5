// Loops over outputs that compilers turn into vector code, for each accumulator.

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>

#include <negzero/oracle/witness.hpp>

namespace negzero::oracle {

using number::FormatId;

bool host_rounds_to_nearest() noexcept {
  if (std::fegetround() != FE_TONEAREST) return false;
  // Both factors are read at run time, so this is computed under the settings of now.
  volatile float smallest = 0x1p-126f;
  volatile float half = 0.5f;
  volatile double tiny = 0x1p-1022;
  return smallest * half != 0 && tiny * static_cast<double>(half) != 0;
}

namespace {

/// Columns that are accumulated together: their accumulators stay in registers while k runs.
constexpr std::size_t kBlock = 8;

/// One 32-bit integer a column. (GCC and clang lower it where the machine has no such vectors; loops over integers
/// beside loops over floats are not vectorised.)
using Bits [[gnu::vector_size(kBlock * sizeof(std::int32_t))]] = std::int32_t;

template <class Value>
struct Block {
  const Value* a;  ///< depth factors, next to each other
  const std::int32_t* a_bit;
  const Value* b;  ///< depth rows of kBlock columns
  const std::int32_t* b_bit;
  std::size_t depth;
};

/// The chains of the columns of a block.
template <class Value>
struct BlockChains {
  Value fused[kBlock] = {}, separate[kBlock] = {};
};

/// What is known of the columns of a block.
struct BlockKnown {
  double sum[kBlock] = {}, magnitude[kBlock] = {};
  std::int32_t lowest_bit[kBlock], terms[kBlock];
};

template <class Arithmetic, ChainKinds kKinds>
struct ChainStep {
  static constexpr bool kIsWide = false;
  using Value = typename Arithmetic::Value;
  using Out = BlockChains<Value>;
  [[gnu::always_inline]] static inline void run(const Block<Value>& in, Out& out) {
    Out acc;
    for (std::size_t k = 0; k < in.depth; ++k) {
      const Value a = in.a[k];
      const Value* const b = in.b + k * kBlock;
      if constexpr (kKinds != ChainKinds::Separate) {
        for (std::size_t j = 0; j < kBlock; ++j) acc.fused[j] = Arithmetic::multiply_add(a, b[j], acc.fused[j]);
      }
      if constexpr (kKinds != ChainKinds::Fused) {
        for (std::size_t j = 0; j < kBlock; ++j) {
          acc.separate[j] = Arithmetic::add(Arithmetic::multiply(a, b[j]), acc.separate[j]);
        }
      }
    }
    out = acc;
  }
};

template <class BlockValue>
struct KnownStep {
  static constexpr bool kIsWide = true;  ///< a block of F64 is one vector of 512 bits
  using Value = BlockValue;
  using Out = BlockKnown;
  [[gnu::always_inline]] static inline void run(const Block<Value>& in, Out& out) {
    Out acc;
    Bits lowest_bit = Bits{} + kNoBit, terms{};
    for (std::size_t k = 0; k < in.depth; ++k) {
      const auto a = static_cast<double>(in.a[k]);
      const Value* const b = in.b + k * kBlock;
      for (std::size_t j = 0; j < kBlock; ++j) {
        const double product = a * static_cast<double>(b[j]);
        acc.sum[j] += product;
        acc.magnitude[j] += std::fabs(product);
      }
      Bits bit;
      std::memcpy(&bit, in.b_bit + k * kBlock, sizeof bit);
      bit += in.a_bit[k];
      lowest_bit = bit < lowest_bit ? bit : lowest_bit;
      terms -= bit < kNoBit / 2;  // A true comparison is -1.
    }
    std::memcpy(acc.lowest_bit, &lowest_bit, sizeof lowest_bit);
    std::memcpy(acc.terms, &terms, sizeof terms);
    out = acc;
  }
};

template <class Step>
void run_plain(const Block<typename Step::Value>& in, typename Step::Out& out) {
  Step::run(in, out);
}

#if defined(__x86_64__)
// The same loop for machines with vector FMA; without it each fma is a call.
template <class Step>
__attribute__((target("avx2,fma"))) void run_avx2(const Block<typename Step::Value>& in, typename Step::Out& out) {
  Step::run(in, out);
}
template <class Step>
__attribute__((target("avx512f,avx512vl,fma"))) void run_avx512(const Block<typename Step::Value>& in,
                                                                typename Step::Out& out) {
  Step::run(in, out);
}
#endif

template <class Step>
auto* fastest_run() {
  auto* run = run_plain<Step>;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) run = run_avx2<Step>;
  if constexpr (Step::kIsWide) {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) run = run_avx512<Step>;
  }
#endif
  return run;
}

/// Runs a step on every block of columns of every row, and hands its result to `take(out, first, count)`: `count`
/// outputs from row-major index `first` on.
template <class Step, class Take>
void for_each_block(const GemmFactors<typename Step::Value>& factors, const Take& take) {
  auto* const run = fastest_run<Step>();
  const auto m = static_cast<std::size_t>(factors.shape.m), n = static_cast<std::size_t>(factors.shape.n),
             depth = static_cast<std::size_t>(factors.shape.k);
  // The columns of a block are copied to stand next to each other: once for all rows, whose loops then read memory in
  // its order. The last block is filled up with zeros.
  std::vector<typename Step::Value> columns(depth * kBlock);
  std::vector<std::int32_t> columns_bit(depth * kBlock, kNoBit);
  typename Step::Out out;
  for (std::size_t batch = 0; batch < static_cast<std::size_t>(factors.batch); ++batch) {
    for (std::size_t j = 0; j < n; j += kBlock) {
      const std::size_t count = std::min(kBlock, n - j);
      for (std::size_t k = 0; k < depth; ++k) {
        const std::size_t from = (batch * depth + k) * n + j;
        std::copy_n(factors.b.value.data() + from, count, columns.data() + k * kBlock);
        std::copy_n(factors.b.lowest_bit.data() + from, count, columns_bit.data() + k * kBlock);
      }
      for (std::size_t k = 0; k < depth && count < kBlock; ++k) {
        std::fill_n(columns.data() + k * kBlock + count, kBlock - count, 0);
        std::fill_n(columns_bit.data() + k * kBlock + count, kBlock - count, kNoBit);
      }
      for (std::size_t i = 0; i < m; ++i) {
        const std::size_t x = (batch * m + i) * depth;
        run({factors.a.value.data() + x, factors.a.lowest_bit.data() + x, columns.data(), columns_bit.data(), depth},
            out);
        take(out, (batch * m + i) * n + j, count);
      }
    }
  }
}

template <class Arithmetic, ChainKinds kKinds>
void follow(const GemmFactors<typename Arithmetic::Value>& factors, Chains<Arithmetic>& chains) {
  using Value = typename Arithmetic::Value;
  for_each_block<ChainStep<Arithmetic, kKinds>>(
      factors, [&](const BlockChains<Value>& out, std::size_t first, std::size_t count) {
        std::copy_n(out.fused, count, chains.fused.data() + first);
        std::copy_n(out.separate, count, chains.separate.data() + first);
      });
}

template <class Arithmetic>
[[gnu::always_inline]] inline typename Arithmetic::Value add_slices(const typename Arithmetic::Value* a,
                                                                    const typename Arithmetic::Value* b,
                                                                    const Slices& slices) {
  typename Arithmetic::Value sum = 0;
  for (std::size_t begin = 0; begin < slices.depth; begin += slices.length) {
    const std::size_t end = std::min(begin + slices.length, slices.depth);
    typename Arithmetic::Value slice = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const typename Arithmetic::Value factor = b[k * slices.stride];
      slice = slices.fused ? Arithmetic::multiply_add(a[k], factor, slice)
                           : Arithmetic::add(Arithmetic::multiply(a[k], factor), slice);
    }
    sum = Arithmetic::add(sum, slice);
  }
  return sum;
}

#if defined(__x86_64__)
template <class Arithmetic>
__attribute__((target("avx2,fma"))) typename Arithmetic::Value add_slices_avx2(const typename Arithmetic::Value* a,
                                                                               const typename Arithmetic::Value* b,
                                                                               const Slices& slices) {
  return add_slices<Arithmetic>(a, b, slices);
}
#endif

}  // namespace

template <class Arithmetic>
typename Arithmetic::Value sliced_sum(const typename Arithmetic::Value* a, const typename Arithmetic::Value* b,
                                      const Slices& slices) {
#if defined(__x86_64__)
  static const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fma) return add_slices_avx2<Arithmetic>(a, b, slices);
#endif
  return add_slices<Arithmetic>(a, b, slices);
}

template <class Arithmetic>
Chains<Arithmetic> chains_of(const GemmFactors<typename Arithmetic::Value>& factors, ChainKinds kinds) {
  const auto outputs = static_cast<std::size_t>(factors.batch * factors.shape.m * factors.shape.n);
  Chains<Arithmetic> chains;
  chains.fused.resize(outputs);
  chains.separate.resize(outputs);
  switch (kinds) {
    case ChainKinds::Fused:
      follow<Arithmetic, ChainKinds::Fused>(factors, chains);
      break;
    case ChainKinds::Separate:
      follow<Arithmetic, ChainKinds::Separate>(factors, chains);
      break;
    case ChainKinds::Both:
      follow<Arithmetic, ChainKinds::Both>(factors, chains);
      break;
  }
  return chains;
}

template <class Value>
Known known_of(const GemmFactors<Value>& factors, std::int64_t element) {
  const std::size_t a = factors.shape.a_begin(element), b = factors.shape.b_begin(element);
  const auto depth = static_cast<std::size_t>(factors.shape.k), stride = static_cast<std::size_t>(factors.shape.n);
  Known known;
  for (std::size_t k = 0; k < depth; ++k) {
    const double product =
        static_cast<double>(factors.a.value[a + k]) * static_cast<double>(factors.b.value[b + k * stride]);
    const std::int32_t bit = factors.a.lowest_bit[a + k] + factors.b.lowest_bit[b + k * stride];
    known.sum += product;
    known.magnitude += std::fabs(product);
    known.lowest_bit = std::min(known.lowest_bit, bit);
    known.terms += bit < kNoBit / 2 ? 1 : 0;
  }
  return known;
}

template <class Value>
std::vector<Known> known_of(const GemmFactors<Value>& factors) {
  std::vector<Known> known(static_cast<std::size_t>(factors.batch * factors.shape.m * factors.shape.n));
  for_each_block<KnownStep<Value>>(factors, [&](const BlockKnown& out, std::size_t first, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
      known[first + j] = {out.sum[j], out.magnitude[j], out.terms[j], out.lowest_bit[j]};
    }
  });
  return known;
}

template <class Arithmetic>
std::vector<LineSum<Arithmetic>> sums_of_lines(const Values<typename Arithmetic::Value>& x,
                                               const operation::Lines& lines) {
  std::vector<LineSum<Arithmetic>> sums(static_cast<std::size_t>(lines.outputs()));
  for (std::int64_t element = 0; element < lines.outputs(); ++element) {
    const operation::Line line = lines.of(element);
    const std::int64_t before = lines.before(element);
    LineSum<Arithmetic> sum;
    if (before >= 0) sum = sums[static_cast<std::size_t>(before)];
    for (std::int64_t i = before >= 0 ? line.count - 1 : 0; i < line.count; ++i) {
      const auto k = static_cast<std::size_t>(line.at(i));
      sum.add(x.value[k], x.lowest_bit[k]);
    }
    sums[static_cast<std::size_t>(element)] = sum;
  }
  return sums;
}

template <class Arithmetic>
std::vector<LineSum<Arithmetic>> sums_of_updates(const Values<typename Arithmetic::Value>& initial,
                                                 const Values<typename Arithmetic::Value>& x,
                                                 const std::vector<std::uint64_t>& destinations) {
  std::vector<LineSum<Arithmetic>> sums(initial.value.size());
  for (std::size_t d = 0; d < sums.size(); ++d) {
    sums[d].add(initial.value[d], initial.lowest_bit[d]);
    // Not 0 + -0.
    sums[d].chain = initial.value[d];
  }
  for (std::size_t i = 0; i < destinations.size(); ++i)
    sums[static_cast<std::size_t>(destinations[i])].add(x.value[i], x.lowest_bit[i]);
  return sums;
}

template Known known_of<float>(const GemmFactors<float>&, std::int64_t);
template Known known_of<double>(const GemmFactors<double>&, std::int64_t);
template std::vector<Known> known_of<float>(const GemmFactors<float>&);
template std::vector<Known> known_of<double>(const GemmFactors<double>&);

#define NEGZERO_INSTANTIATE(...)                                                                                \
  template Chains<__VA_ARGS__> chains_of<__VA_ARGS__>(const GemmFactors<__VA_ARGS__::Value>&, ChainKinds);      \
  template std::vector<LineSum<__VA_ARGS__>> sums_of_lines<__VA_ARGS__>(const Values<__VA_ARGS__::Value>&,      \
                                                                        const operation::Lines&);               \
  template std::vector<LineSum<__VA_ARGS__>> sums_of_updates<__VA_ARGS__>(                                      \
      const Values<__VA_ARGS__::Value>&, const Values<__VA_ARGS__::Value>&, const std::vector<std::uint64_t>&); \
  template __VA_ARGS__::Value sliced_sum<__VA_ARGS__>(const __VA_ARGS__::Value*, const __VA_ARGS__::Value*,     \
                                                      const Slices&)
NEGZERO_INSTANTIATE(HostF32);
NEGZERO_INSTANTIATE(HostF64);
NEGZERO_INSTANTIATE(HostNarrow<FormatId::F16>);
NEGZERO_INSTANTIATE(HostNarrow<FormatId::BF16>);
#undef NEGZERO_INSTANTIATE

}  // namespace negzero::oracle
