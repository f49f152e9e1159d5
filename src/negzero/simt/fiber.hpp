// The switch from one stack to another.

#pragma once

namespace negzero::simt {

#if defined(__x86_64__) && !defined(NEGZERO_SIMT_BOOST_CONTEXT)

extern "C" void negzero_simt_switch(void** own, void* target, void (*entry)());

/// Stores the context of the running fiber in *own and continues elsewhere: where `target`, a stored context, stopped,
/// or, when `entry` is not null, in entry() on the empty stack that ends at `target` (16-byte aligned). `entry` must
/// not return. Returns when something continues *own.
///
/// By hand on x86-64, by Boost.Context elsewhere. Boost resumes with an indirect jump, which leaves the processor's
/// stack of return addresses off by one, so that the next return is predicted wrongly every time; and it saves the
/// floating-point control words, which device code cannot change.
inline void switch_fiber(void** own, void* target, void (*entry)()) { negzero_simt_switch(own, target, entry); }

#else

void switch_fiber(void** own, void* target, void (*entry)());

#endif

}  // namespace negzero::simt
