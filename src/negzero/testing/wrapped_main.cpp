// Comes before main() of a test program that is linked with --wrap=main: where `negzero` has called it as a worker, it
// serves its kernels, and the program's own main() does not run.

#include <negzero/worker/worker_program.hpp>

extern "C" int __real_main(int argc, char** argv);

extern "C" int __wrap_main(int argc, char** argv) {
  if (const auto status = negzero::worker::worker_if_called(argc, argv)) return *status;
  return __real_main(argc, argv);
}
