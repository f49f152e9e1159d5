// Launch wrappers of the kernels of these tests. Each exists once an executor: host:: here, cuda:: in nvcc's objects.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/engine/stream.hpp>

namespace negzero_tests {

using negzero::engine::Coordinates;
using negzero::engine::Stream;

/// What each thread of write_places leaves: its own idea of where it is.
struct Place {
  Coordinates thread, block;
  Coordinates block_dim, grid_dim;
};

enum class ShuffleKind : int { Index, Up, Down, Xor };
enum class VoteKind : int { Ballot, Any, All, MatchAny, MatchAll, ReduceAdd, ReduceMin, ReduceMax, ReduceXor };

#define NEGZERO_TESTS_WRAPPERS(executor)                                                              \
  namespace executor {                                                                                \
  void write_places(Stream&, Coordinates grid, Coordinates block, Place* out);                        \
  void tile_product(Stream&, int m, int n, int k, const float* a, const float* b, float* c);          \
  void scale(Stream&, int n, float alpha, const float* x, float* y);                                  \
  void empty(Stream&, Coordinates grid, Coordinates block, std::size_t dynamic_bytes);                \
  void take_tickets(Stream&, int blocks, int threads, int* counter, int* tickets);                    \
  void rotate_in_shared(Stream&, int blocks, int threads, int rounds, const int* in, int* out);       \
  void shared_addresses(Stream&, int blocks, int threads, std::uint64_t* out);                        \
  void read_unwritten_shared(Stream&, int threads, std::uint32_t* out);                               \
  void write_beside_shared(Stream&, int array, int index);                                            \
  void use_much_shared(Stream&, std::size_t dynamic_bytes, int* out);                                 \
  void different_barriers(Stream&, int blocks, int threads, int first);                               \
  void two_barriers_on_a_line(Stream&, int threads, int first);                                       \
  void exit_before_barrier(Stream&, int threads, int live, int* out);                                 \
  void barrier_against_warp(Stream&, int threads);                                                    \
  void barrier_votes(Stream&, int threads, int modulus, int* counts, int* alls, int* anys);           \
  void spin_forever(Stream&, int blocks, int threads, unsigned* flag);                                \
  void count_tries_forever(Stream&, int threads, unsigned* words);                                    \
  void look_while_working(Stream&, int threads, int steps, unsigned* words);                          \
  void wait_for_cycles(Stream&, int threads, long long cycles, int* out);                             \
  void large_local_array(Stream&, int threads, int* out);                                             \
  void wait_for_other_block(Stream&, int blocks, unsigned* flags);                                    \
  void wait_for_other_block_at_barriers(Stream&, int blocks, int threads, unsigned* flags);           \
  void wait_for_other_warp(Stream&, int threads, int first, unsigned* flags);                         \
  void wait_for_each_other(Stream&, int threads, unsigned* flags);                                    \
  void wait_by_volatile(Stream&, int blocks, int threads, unsigned* flags);                           \
  void pipeline(Stream&, const float* in, float* out, int tiles);                                     \
  void write_left(Stream&, unsigned* out);                                                            \
  void write_right(Stream&, unsigned* out);                                                           \
  void spin_on_volatile(Stream&, unsigned* flag);                                                     \
  void shuffle(Stream&, ShuffleKind kind, int threads, int width, unsigned mask, const int* operands, \
               const std::uint32_t* in, std::uint32_t* out);                                          \
  void shuffle_double(Stream&, int threads, int delta, const double* in, double* out);                \
  void vote(Stream&, VoteKind kind, int threads, unsigned mask, const unsigned* in, unsigned* out);   \
  void uneven_shuffles(Stream&, int threads, const int* in, int* out);                                \
  }
NEGZERO_TESTS_WRAPPERS(host)
NEGZERO_TESTS_WRAPPERS(cuda)
#undef NEGZERO_TESTS_WRAPPERS

}  // namespace negzero_tests
