// Loops over outputs that compilers turn into vector code, for each accumulator.

#include <algorithm>
#include <cfenv>
#include <cstring>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/terms.hpp>
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

template <class Value>
Values<Value> values_of(const tensor::Tensor& tensor, contract::Multiplicand multiplicand) {
  Values<Value> values;
  const auto count = static_cast<std::size_t>(tensor.element_count());
  values.value.resize(count);
  values.lowest_bit.assign(count, kNoBit);
  const number::Format* format = &tensor.format();
  std::vector<std::uint64_t> words = tensor.words();
  if (const auto rounded = multiplicand_rounding(multiplicand)) {
    const number::Format& target = number::format(rounded->format);
    for (std::uint64_t& word : words) word = number::convert(*format, word, target, {.rounding = rounded->rounding});
    format = &target;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const number::Decoded d = number::decode(*format, words[i]);
    values.value[i] = static_cast<Value>(number::to_double(*format, words[i]));
    if (d.is_finite() && d.significand != 0) values.lowest_bit[i] = d.exponent + std::countr_zero(d.significand);
  }
  return values;
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
  const Value* b;  ///< depth rows, `stride` apart, of which kBlock columns count
  const std::int32_t* b_bit;
  std::size_t depth, stride;
};

template <class Value>
struct Accumulated {
  Value fused[kBlock] = {}, separate[kBlock] = {};
  double sum[kBlock] = {}, magnitude[kBlock] = {};
  std::int32_t lowest_bit[kBlock], terms[kBlock] = {};
};

template <class Arithmetic, Chains kChains>
[[gnu::always_inline]] inline void add_block(const Block<typename Arithmetic::Value>& in,
                                             Accumulated<typename Arithmetic::Value>& out) {
  using Value = typename Arithmetic::Value;
  Accumulated<Value> acc;
  Bits lowest_bit = Bits{} + kNoBit, terms{};
  for (std::size_t k = 0; k < in.depth; ++k) {
    const Value a = in.a[k];
    const std::int32_t a_bit = in.a_bit[k];
    const Value* const b = in.b + k * in.stride;
    const std::int32_t* const b_bit = in.b_bit + k * in.stride;
    if constexpr (kChains != Chains::Separate) {
      for (std::size_t j = 0; j < kBlock; ++j) acc.fused[j] = Arithmetic::multiply_add(a, b[j], acc.fused[j]);
    }
    if constexpr (kChains != Chains::Fused) {
      for (std::size_t j = 0; j < kBlock; ++j) {
        acc.separate[j] = Arithmetic::add(Arithmetic::multiply(a, b[j]), acc.separate[j]);
      }
    }
    for (std::size_t j = 0; j < kBlock; ++j) {
      const double product = static_cast<double>(a) * static_cast<double>(b[j]);
      acc.sum[j] += product;
      acc.magnitude[j] += std::fabs(product);
    }
    Bits bit;
    std::memcpy(&bit, b_bit, sizeof bit);
    bit += a_bit;
    lowest_bit = bit < lowest_bit ? bit : lowest_bit;
    terms -= bit < kNoBit / 2;  // A true comparison is -1.
  }
  std::memcpy(acc.lowest_bit, &lowest_bit, sizeof lowest_bit);
  std::memcpy(acc.terms, &terms, sizeof terms);
  out = acc;
}

template <class Arithmetic>
using AddBlock = void (*)(const Block<typename Arithmetic::Value>&, Accumulated<typename Arithmetic::Value>&);

template <class Arithmetic, Chains kChains>
void add_block_plain(const Block<typename Arithmetic::Value>& in, Accumulated<typename Arithmetic::Value>& out) {
  add_block<Arithmetic, kChains>(in, out);
}

#if defined(__x86_64__)
// The same loop for machines with vector FMA; without it each fma is a call.
template <class Arithmetic, Chains kChains>
__attribute__((target("avx2,fma"))) void add_block_avx2(const Block<typename Arithmetic::Value>& in,
                                                        Accumulated<typename Arithmetic::Value>& out) {
  add_block<Arithmetic, kChains>(in, out);
}
#endif

template <class Arithmetic, Chains kChains>
AddBlock<Arithmetic> best_of_machine() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_block_avx2<Arithmetic, kChains>;
#endif
  return add_block_plain<Arithmetic, kChains>;
}

template <class Arithmetic>
AddBlock<Arithmetic> best_add_block(Chains chains) {
  switch (chains) {
    case Chains::Fused:
      return best_of_machine<Arithmetic, Chains::Fused>();
    case Chains::Separate:
      return best_of_machine<Arithmetic, Chains::Separate>();
    case Chains::Both:
      break;
  }
  return best_of_machine<Arithmetic, Chains::Both>();
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
void Sums<Arithmetic>::add_products(const Values<typename Arithmetic::Value>& a, std::size_t a_begin, std::size_t rows,
                                    std::size_t depth, const Values<typename Arithmetic::Value>& b, std::size_t b_begin,
                                    std::size_t columns, std::size_t first) {
  using Value = typename Arithmetic::Value;
  const AddBlock<Arithmetic> add = best_add_block<Arithmetic>(chains);
  // The last columns are copied beside zeros, so that every block is full.
  const std::size_t full = columns / kBlock * kBlock, rest = columns - full;
  std::vector<Value> tail(rest != 0 ? depth * kBlock : 0);
  std::vector<std::int32_t> tail_bit(tail.size(), kNoBit);
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t j = 0; j < rest; ++j) {
      tail[k * kBlock + j] = b.value[b_begin + k * columns + full + j];
      tail_bit[k * kBlock + j] = b.lowest_bit[b_begin + k * columns + full + j];
    }
  }
  Accumulated<Value> block;
  for (std::size_t j = 0; j < columns; j += kBlock) {
    const bool whole = j < full;
    const Value* const b_value = whole ? b.value.data() + b_begin + j : tail.data();
    const std::int32_t* const b_bit = whole ? b.lowest_bit.data() + b_begin + j : tail_bit.data();
    const std::size_t count = whole ? kBlock : rest;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t x = a_begin + i * depth;
      add({a.value.data() + x, a.lowest_bit.data() + x, b_value, b_bit, depth, whole ? columns : kBlock}, block);
      const auto at = static_cast<std::ptrdiff_t>(first + i * columns + j);
      std::copy_n(block.fused, count, fused.begin() + at);
      std::copy_n(block.separate, count, separate.begin() + at);
      std::copy_n(block.sum, count, sum.begin() + at);
      std::copy_n(block.magnitude, count, magnitude.begin() + at);
      std::copy_n(block.lowest_bit, count, lowest_bit.begin() + at);
      std::copy_n(block.terms, count, terms.begin() + at);
    }
  }
}

template <class Arithmetic>
void Sums<Arithmetic>::add_values(const Values<typename Arithmetic::Value>& x, std::size_t begin, std::size_t count,
                                  std::size_t output) {
  for (std::size_t k = begin; k < begin + count; ++k) {
    const auto value = static_cast<double>(x.value[k]);
    separate[output] = Arithmetic::add(x.value[k], separate[output]);
    sum[output] += value;
    magnitude[output] += std::fabs(value);
    lowest_bit[output] = std::min(lowest_bit[output], x.lowest_bit[k]);
    terms[output] += x.lowest_bit[k] < kNoBit / 2 ? 1 : 0;
  }
  fused[output] = separate[output];
}

template Values<float> values_of<float>(const tensor::Tensor&, contract::Multiplicand);
template Values<double> values_of<double>(const tensor::Tensor&, contract::Multiplicand);
template struct Sums<HostF32>;
template struct Sums<HostF64>;
template struct Sums<HostNarrow<FormatId::F16>>;
template struct Sums<HostNarrow<FormatId::BF16>>;
template HostF32::Value sliced_sum<HostF32>(const HostF32::Value*, const HostF32::Value*, const Slices&);
template HostF64::Value sliced_sum<HostF64>(const HostF64::Value*, const HostF64::Value*, const Slices&);
template HostNarrow<FormatId::F16>::Value sliced_sum<HostNarrow<FormatId::F16>>(const HostNarrow<FormatId::F16>::Value*,
                                                                                const HostNarrow<FormatId::F16>::Value*,
                                                                                const Slices&);
template HostNarrow<FormatId::BF16>::Value sliced_sum<HostNarrow<FormatId::BF16>>(
    const HostNarrow<FormatId::BF16>::Value*, const HostNarrow<FormatId::BF16>::Value*, const Slices&);

}  // namespace negzero::oracle
