// The switch from one stack to another.

#pragma once

#include <negzero/engine/sanitizer.hpp>

#if defined(__x86_64__) && !defined(NEGZERO_BOOST_CONTEXT)
#define NEGZERO_OWN_SWITCH 1
#ifndef NEGZERO_ADDRESS_SANITIZER
// Threads wait through the entry points in assembly, which keep no frame of ours on the stack of a thread that waits.
// Not under the address sanitizer: it must hear of every switch.
#define NEGZERO_DIRECT_WAITS 1
#endif
/// Assembly: pushes the registers that calls preserve, whose values say where a thread is beside its stack.
#define NEGZERO_PUSH_PRESERVED "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
#endif

namespace negzero::engine {

/// Where to go on: where a stored context stopped, or, when `entry` is not null, in entry() on the empty stack that
/// ends at `address` (16-byte aligned). `entry` must not return.
struct Destination {
  void* address;
  void (*entry)();
};

#ifdef NEGZERO_DIRECT_WAITS
/// End of the stack on which the entry points decide who runs next: the host's own, below the frame that waits for the
/// launch to end. Always the same few lines of cache, whichever thread waits.
extern "C" constinit thread_local void* negzero_engine_waits_stack;
#endif

/// Stores the context of the running fiber in *own and goes on at `to`. Returns when a fiber goes to what is in *own.
///
/// By hand on x86-64, by Boost.Context elsewhere or with NEGZERO_BOOST_CONTEXT. Boost.Context also saves the
/// floating-point control words, which device code has no way to change.
void switch_fiber(void** own, Destination to);

}  // namespace negzero::engine
