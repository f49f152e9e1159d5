// A library whose constructor flushes subnormals, as the object that GCC links in under -ffast-math (crtfastm.o) does.

#include <cstdint>

namespace {

[[gnu::constructor]] void flush_subnormals() {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);  // FTZ, DAZ
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | std::uint64_t{1} << 24));
#endif
}

}  // namespace
