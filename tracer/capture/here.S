# Entrances that take their caller's registers before any compiled code has touched them: walk_here and trace_here.
# Each lays a FrameRegisters on the stack (pc, sp, rbx, rbp, r12 to r15) and passes it in front of its own two arguments.

        .macro  entrance name, target
        .globl  \name
        .hidden \name
        .type   \name, @function
\name:
        .cfi_startproc
        subq    $72, %rsp
        .cfi_adjust_cfa_offset 72
        movq    72(%rsp), %rax
        movq    %rax, (%rsp)
        leaq    80(%rsp), %rax
        movq    %rax, 8(%rsp)
        movq    %rbx, 16(%rsp)
        movq    %rbp, 24(%rsp)
        movq    %r12, 32(%rsp)
        movq    %r13, 40(%rsp)
        movq    %r14, 48(%rsp)
        movq    %r15, 56(%rsp)
        movq    %rsi, %rdx
        movq    %rdi, %rsi
        movq    %rsp, %rdi
        call    \target
        addq    $72, %rsp
        .cfi_adjust_cfa_offset -72
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .text
        entrance callpath_walk_here, callpath_walk_from
        entrance callpath_trace_here, callpath_trace_from
        .section .note.GNU-stack,"",@progbits
