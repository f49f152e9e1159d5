// A stand-in for libcuda.so.1 with two GPUs, on the second of which no context can be made. It answers after as many
// milliseconds as NEGZERO_STAND_IN_DELAY has.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>

extern "C" {

int cuInit(unsigned) {
  const char* const delay = std::getenv("NEGZERO_STAND_IN_DELAY");
  std::this_thread::sleep_for(std::chrono::milliseconds(delay != nullptr ? std::atoi(delay) : 0));
  return 0;
}
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 2;
  return 0;
}
int cuDeviceGet(int* device, int number) {
  *device = number;
  return 0;
}
int cuDeviceGetName(char* name, int size, int device) {
  std::snprintf(name, static_cast<std::size_t>(size), "stand-in %d", device);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : attribute == 76 ? 1 : -1;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = nullptr;
  return device == 0 ? 0 : 2;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = std::size_t{70} << 20;
  *total = std::size_t{80} << 20;
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return error == 2 ? 0 : 1;
}

}  // extern "C"
