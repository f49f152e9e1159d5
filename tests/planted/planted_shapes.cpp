// The program of the planted kernels: `planted_shapes check 'planted.*' --seed 3 --first-finding --shrink-time 0s` says
// which of them a seed finds, and bench/planted_shapes.py counts them.

#include <negzero/campaign/examiner.hpp>
#include <negzero/cli/app.hpp>

int main(int argc, char** argv) {
  if (const auto status = negzero::campaign::serve_if_called(argc, argv)) return *status;
  return negzero::cli::run(argc, argv);
}
