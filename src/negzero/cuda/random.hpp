// cuRAND's generators of a device on the host: XORWOW and Philox4_32_10, with uniform and normal numbers.
//
// Raw words are those of a GPU, bit for bit. XORWOW is Marsaglia's ("Xorshift RNGs", 2003) and Philox that of Salmon et
// al. ("Parallel random numbers: as easy as 1, 2, 3", 2011), whose constants and test vectors are public; how a seed, a
// sequence and an offset become a state is as the cuRAND documentation has it: sequences of XORWOW are 2^67 words
// apart, those of Philox 2^66, and an offset counts words. Numbers made of words are in (0, 1] and by Box and Muller,
// with the host's logarithm, sine and cosine: they differ from a GPU's by their rounding.

#pragma once

#include <cmath>
#include <cstdint>

#include <negzero/cuda/random_skip.hpp>
#include <negzero/cuda/types.hpp>

// NOLINTNEXTLINE: cuRAND has it at global scope.
inline namespace NEGZERO_BUILD {

struct curandStateXORWOW {
  unsigned d, v[5];
  bool negzero_has_normal, negzero_has_normal_double;
  float negzero_normal;
  double negzero_normal_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  bool negzero_has_normal, negzero_has_normal_double;
  float negzero_normal;
  double negzero_normal_double;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

namespace negzero_random {

/// Ten rounds of Philox 4x32.
NEGZERO_INLINE uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53u} * counter.x, second = std::uint64_t{0xCD9E8D57u} * counter.z;
    counter = make_uint4(static_cast<unsigned>(second >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(second),
                         static_cast<unsigned>(first >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(first));
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

/// Adds to the 128 bits of a counter: `low` to its first half, `high` to its second.
NEGZERO_INLINE void add(uint4& counter, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t before = counter.x | std::uint64_t{counter.y} << 32, after = before + low;
  const std::uint64_t top = (counter.z | std::uint64_t{counter.w} << 32) + high + (after < before ? 1 : 0);
  counter = make_uint4(static_cast<unsigned>(after), static_cast<unsigned>(after >> 32), static_cast<unsigned>(top),
                       static_cast<unsigned>(top >> 32));
}

NEGZERO_INLINE unsigned word(const uint4& four, unsigned i) {
  return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

/// In (0, 1]: the middle of the word's part of it.
NEGZERO_INLINE float uniform(unsigned word) { return static_cast<float>(word) * 0x1p-32f + 0x1p-33f; }
NEGZERO_INLINE double uniform(unsigned low, unsigned high) {
  const std::uint64_t bits = std::uint64_t{low} ^ std::uint64_t{high} << 21;
  return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

/// Two normal numbers, of two uniform ones (Box and Muller, 1958).
NEGZERO_INLINE float2 normal(unsigned first, unsigned second) {
  constexpr float kTurn = 6.2831855f;
  const float angle = static_cast<float>(second) * (0x1p-32f * kTurn) + 0x1p-33f * kTurn;
  const float radius = std::sqrt(-2.0f * std::log(uniform(first)));
  return make_float2(std::sin(angle) * radius, std::cos(angle) * radius);
}
NEGZERO_INLINE double2 normal(double first, double second) {
  constexpr double kTurn = 6.283185307179586;
  const double radius = std::sqrt(-2.0 * std::log(first)), angle = second * kTurn;
  return make_double2(std::sin(angle) * radius, std::cos(angle) * radius);
}

}  // namespace negzero_random

// Words.
NEGZERO_INLINE unsigned curand(curandStateXORWOW* state) {
  const unsigned mixed = state->v[0] ^ (state->v[0] >> 2);
  for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (mixed ^ (mixed << 1));
  state->d += 362437;
  return state->v[4] + state->d;
}
NEGZERO_INLINE void skipahead(unsigned long long words, curandStateXORWOW* state) {
  negzero::cuda_on_host::skip_xorwow(state->v, words, 0);
  state->d += 362437u * static_cast<unsigned>(words);
}
NEGZERO_INLINE void skipahead_sequence(unsigned long long sequences, curandStateXORWOW* state) {
  negzero::cuda_on_host::skip_xorwow(state->v, sequences, 67);
}
NEGZERO_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStateXORWOW* state) {
  const unsigned low = static_cast<unsigned>(seed) ^ 0xaad26b49u,
                 high = static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu;
  const unsigned first = 1099087573u * low, second = 2591861531u * high;
  *state = {6615241u + second + first,
            {123456789u + first, 362436069u ^ first, 521288629u + second, 88675123u ^ second, 5783321u + first},
            false,
            false,
            0,
            0};
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

NEGZERO_INLINE unsigned curand(curandStatePhilox4_32_10* state) {
  const unsigned result = negzero_random::word(state->output, state->STATE++);
  if (state->STATE == 4) {
    negzero_random::add(state->ctr, 1, 0);
    state->output = negzero_random::philox(state->ctr, state->key);
    state->STATE = 0;
  }
  return result;
}
NEGZERO_INLINE uint4 curand4(curandStatePhilox4_32_10* state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return make_uint4(x, y, z, w);
}
NEGZERO_INLINE void skipahead(unsigned long long words, curandStatePhilox4_32_10* state) {
  const unsigned long long place = state->STATE + (words & 3);
  negzero_random::add(state->ctr, (words >> 2) + (place >> 2), 0);
  state->STATE = static_cast<unsigned>(place & 3);
  state->output = negzero_random::philox(state->ctr, state->key);
}
NEGZERO_INLINE void skipahead_sequence(unsigned long long sequences, curandStatePhilox4_32_10* state) {
  negzero_random::add(state->ctr, 0, sequences);
  state->output = negzero_random::philox(state->ctr, state->key);
}
NEGZERO_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStatePhilox4_32_10* state) {
  *state = {make_uint4(0, 0, 0, 0),
            make_uint4(0, 0, 0, 0),
            make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)),
            0,
            false,
            false,
            0,
            0};
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// Numbers, of any of the two states.
template <typename State>
NEGZERO_INLINE float curand_uniform(State* state) {
  return negzero_random::uniform(curand(state));
}
/// Of two words; of Philox, of one, with 32 bits.
NEGZERO_INLINE double curand_uniform_double(curandStateXORWOW* state) {
  const unsigned low = curand(state), high = curand(state);
  return negzero_random::uniform(low, high);
}
NEGZERO_INLINE double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return static_cast<double>(curand(state)) * 0x1p-32 + 0x1p-32;
}
NEGZERO_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 words = curand4(state);
  return make_double2(negzero_random::uniform(words.x, words.y), negzero_random::uniform(words.z, words.w));
}
NEGZERO_INLINE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 words = curand4(state);
  return make_float4(negzero_random::uniform(words.x), negzero_random::uniform(words.y),
                     negzero_random::uniform(words.z), negzero_random::uniform(words.w));
}
template <typename State>
NEGZERO_INLINE float2 curand_normal2(State* state) {
  const unsigned first = curand(state), second = curand(state);
  return negzero_random::normal(first, second);
}
template <typename State>
NEGZERO_INLINE double2 curand_normal2_double(State* state) {
  const unsigned a = curand(state), b = curand(state), c = curand(state), d = curand(state);
  return negzero_random::normal(negzero_random::uniform(a, b), negzero_random::uniform(c, d));
}
/// Every second call gives the other number of a pair.
template <typename State>
NEGZERO_INLINE float curand_normal(State* state) {
  if (state->negzero_has_normal) return state->negzero_has_normal = false, state->negzero_normal;
  const float2 two = curand_normal2(state);
  state->negzero_has_normal = true;
  state->negzero_normal = two.y;
  return two.x;
}
template <typename State>
NEGZERO_INLINE double curand_normal_double(State* state) {
  if (state->negzero_has_normal_double) return state->negzero_has_normal_double = false, state->negzero_normal_double;
  const double2 two = curand_normal2_double(state);
  state->negzero_has_normal_double = true;
  state->negzero_normal_double = two.y;
  return two.x;
}
NEGZERO_INLINE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 words = curand4(state);
  const float2 low = negzero_random::normal(words.x, words.y), high = negzero_random::normal(words.z, words.w);
  return make_float4(low.x, low.y, high.x, high.y);
}
template <typename State>
NEGZERO_INLINE float curand_log_normal(State* state, float mean, float deviation) {
  return std::exp(mean + deviation * curand_normal(state));
}
template <typename State>
NEGZERO_INLINE double curand_log_normal_double(State* state, double mean, double deviation) {
  return std::exp(mean + deviation * curand_normal_double(state));
}

}  // namespace NEGZERO_BUILD
