// The program `negzero`.

#include <negzero/cli/app.hpp>

int main(int argc, char** argv) { return negzero::cli::run(argc, argv); }
