// The switch from one stack to another: by hand on x86-64, by Boost.Context on other processors.

#include <negzero/simt/fiber.hpp>

#if defined(__x86_64__) && !defined(NEGZERO_SIMT_BOOST_CONTEXT)

// System V ABI: rbx, rbp and r12 to r15 belong to the caller, everything else may be lost in a call. The context is the
// stack pointer, and on the stack stand, from there upwards: r15 r14 r13 r12 rbx rbp return-address.
//
// One function for both ways of going on: a fiber that left by starting another is then resumed to the same address as
// one that left by resuming another, which is what the processor predicts. A new fiber is entered by a call, not by
// returning into it, for the same reason.
asm(R"(
  .text
  .p2align 4
  .globl negzero_simt_switch
  .hidden negzero_simt_switch
  .type negzero_simt_switch, @function
negzero_simt_switch:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  testq %rdx, %rdx
  jne 1f
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
1:
  .cfi_undefined rip
  xorl %ebp, %ebp
  call *%rdx
  ud2
  .cfi_endproc
  .size negzero_simt_switch, .-negzero_simt_switch
)");

#else

#include <boost/context/detail/fcontext.hpp>

namespace negzero::simt {

namespace {

using boost::context::detail::transfer_t;

struct Jump {
  void** own;
  void (*entry)();
};

// Whoever arrives stores the context of the fiber that was left where that fiber asked for.
Jump arrive(transfer_t from) {
  const Jump jump = *static_cast<const Jump*>(from.data);
  *jump.own = from.fctx;
  return jump;
}

void start(transfer_t from) { arrive(from).entry(); }

// Boost only uses it to align the start of the stack.
constexpr unsigned long kNominalStackBytes = 4096;

}  // namespace

void switch_fiber(void** own, void* target, void (*entry)()) {
  Jump jump{own, entry};
  if (entry != nullptr) target = boost::context::detail::make_fcontext(target, kNominalStackBytes, start);
  arrive(boost::context::detail::jump_fcontext(target, &jump));
}

}  // namespace negzero::simt

#endif
