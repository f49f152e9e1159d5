// What happens where the system gives no more memory to map: the same as where it gives none to operator new.

#pragma once

#include <new>

namespace negzero::engine {

/// Calls the std::new_handler, which may end the process, and throws std::bad_alloc.
[[noreturn]] inline void throw_no_memory() {
  if (const std::new_handler handler = std::get_new_handler(); handler != nullptr) handler();
  throw std::bad_alloc();
}

}  // namespace negzero::engine
