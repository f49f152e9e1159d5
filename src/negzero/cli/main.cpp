// The program `negzero`, which is also what its examiners run.

#include <negzero/campaign/examiner.hpp>
#include <negzero/cli/app.hpp>

int main(int argc, char** argv) {
  if (const auto status = negzero::campaign::serve_if_called(argc, argv)) return *status;
  return negzero::cli::run(argc, argv);
}
