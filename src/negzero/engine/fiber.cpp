// The switch from one stack to another: by hand on x86-64, by Boost.Context on other processors.

#include <negzero/engine/fiber.hpp>

#ifdef NEGZERO_OWN_SWITCH

// System V ABI: rbx, rbp and r12 to r15 belong to the caller, everything else may be lost in a call. The context is the
// stack pointer, and on the stack lie, from there upwards: r15 r14 r13 r12 rbx rbp return-address.
//
// What costs time here is wrong predictions, not instructions. The processor predicts a `ret` by the calls before it,
// and after a switch those were made on another stack. So a fiber is resumed by a jump (threads of a block wait at few
// places, and these are predicted by history), a new fiber is entered by a call, and a thread that waits at a barrier
// or a warp operation has no frame but the kernel's: it is resumed in the kernel, with no `ret` on the way. Measured
// for a tiled GEMM of 16 x 16 threads: 1.3 times the launches of the same engine on Boost.Context.
asm(R"(
  .text

  .macro negzero_save
  .cfi_startproc
  )" NEGZERO_PUSH_PRESERVED R"(
  .endm

  # Goes on at rax, or calls rdx on the stack that ends at rax.
  .macro negzero_go_on
  movq %rax, %rsp
  testq %rdx, %rdx
  jne 1f
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
1:
  .cfi_undefined rip
  xorl %ebp, %ebp
  call *%rdx
  ud2
  .cfi_endproc
  .endm

  # void negzero_engine_switch(void** own, void* address, void (*entry)())
  .p2align 4
  .globl negzero_engine_switch
  .hidden negzero_engine_switch
  .type negzero_engine_switch, @function
negzero_engine_switch:
  negzero_save
  movq %rsp, (%rdi)
  movq %rsi, %rax
  negzero_go_on
  .size negzero_engine_switch, .-negzero_engine_switch
)");

#ifdef NEGZERO_DIRECT_WAITS
asm(R"(
  # void negzero_engine_wait_at_barrier(BarrierKind, bool, CallSite): one more argument says where this stops. A
  # CallSite comes in two registers.
  .p2align 4
  .globl negzero_engine_wait_at_barrier
  .type negzero_engine_wait_at_barrier, @function
negzero_engine_wait_at_barrier:
  negzero_save
  movq %rsp, %r8
  movq negzero_engine_waits_stack@gottpoff(%rip), %rax
  movq %fs:(%rax), %rsp
  call negzero_engine_arrive_at_barrier@PLT
  negzero_go_on
  .size negzero_engine_wait_at_barrier, .-negzero_engine_wait_at_barrier

  # void negzero_engine_exchange(WarpRequest*, CallSite): one more argument says where this stops.
  .p2align 4
  .globl negzero_engine_exchange
  .type negzero_engine_exchange, @function
negzero_engine_exchange:
  negzero_save
  movq %rsp, %rcx
  movq negzero_engine_waits_stack@gottpoff(%rip), %rax
  movq %fs:(%rax), %rsp
  call negzero_engine_arrive_at_warp_operation@PLT
  negzero_go_on
  .size negzero_engine_exchange, .-negzero_engine_exchange
)");
#endif

#ifdef NEGZERO_DIRECT_WAITS
asm(R"(
  # void negzero_engine_with_context(void (*function)(const void*))
  .p2align 4
  .globl negzero_engine_with_context
  .type negzero_engine_with_context, @function
negzero_engine_with_context:
  negzero_save
  movq %rdi, %rax
  movq %rsp, %rdi
  subq $8, %rsp
  call *%rax
  addq $56, %rsp
  ret
  .cfi_endproc
  .size negzero_engine_with_context, .-negzero_engine_with_context
)");
#endif

extern "C" void negzero_engine_switch(void** own, void* address, void (*entry)());

namespace negzero::engine {

void switch_fiber(void** own, Destination to) { negzero_engine_switch(own, to.address, to.entry); }

}  // namespace negzero::engine

#else

#include <boost/context/detail/fcontext.hpp>

namespace negzero::engine {

namespace {

using boost::context::detail::transfer_t;

struct Jump {
  void** own;
  void (*entry)();
};

// The fiber that arrives stores the context of the fiber that was left, at the place that the latter named.
Jump arrive(transfer_t from) {
  const Jump jump = *static_cast<const Jump*>(from.data);
  *jump.own = from.fctx;
  return jump;
}

void start(transfer_t from) { arrive(from).entry(); }

// Boost.Context does not use the size.
constexpr unsigned long kNominalStackBytes = 4096;

}  // namespace

void switch_fiber(void** own, Destination to) {
  Jump jump{own, to.entry};
  if (to.entry != nullptr) to.address = boost::context::detail::make_fcontext(to.address, kNominalStackBytes, start);
  arrive(boost::context::detail::jump_fcontext(to.address, &jump));
}

}  // namespace negzero::engine

#endif

#ifndef NEGZERO_DIRECT_WAITS
extern "C" void negzero_engine_with_context(void (*function)(const void*)) { function(nullptr); }
#endif
