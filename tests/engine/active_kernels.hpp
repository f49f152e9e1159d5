// Launch wrappers of kernels whose lanes come together.

#pragma once

#include <negzero/engine/stream.hpp>

namespace negzero_tests {

using negzero::engine::Stream;

/// Words that each thread of loops() may write.
inline constexpr unsigned kLoopRow = 16;

namespace host {
void all_together(Stream&, int threads, bool synchronises, unsigned* out);
void long_after(Stream&, int threads, bool barrier, unsigned* out);
void branch(Stream&, int threads, unsigned* out);
void two_ways(Stream&, int threads, unsigned* out, unsigned* behind);
void elsewhere(Stream&, int threads, int place, unsigned* out);
void loops(Stream&, int threads, unsigned* out);
void asks(Stream&, int threads, bool counts, unsigned* words, unsigned* out);
void locks(Stream&, int threads, unsigned* lock, unsigned* sum);
void two_counts(Stream&, int threads, bool out_of_line, unsigned* counts);
void aggregate(Stream&, int threads, int n, const int* in, unsigned* count, unsigned* sizes);
}  // namespace host

}  // namespace negzero_tests
