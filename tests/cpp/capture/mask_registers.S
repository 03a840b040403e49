# As compilers write vector functions with calls in rare branches (numpy's, from Intel): the frame is realigned, its registers lie at places
# that expressions tell from the CFA, and the rule of a mask register has a number that LLVM's libunwind does not know.
# saves_mask_registers(f) calls f with r12 changed.
        .text
        .globl  saves_mask_registers
        .type   saves_mask_registers, @function
saves_mask_registers:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        movq    %rsp, %rbp
        .cfi_def_cfa 6, 16
        .cfi_offset 6, -16
        andq    $-64, %rsp
        subq    $192, %rsp
        movq    %r12, 56(%rsp)
        # DW_CFA_expression of r12 and of k4: (CFA - 8) & -64, less 136 and 168
        .cfi_escape 0x10, 0x0c, 0x0e, 0x38, 0x1c, 0x0d, 0xc0, 0xff, 0xff, 0xff, 0x1a, 0x0d, 0x78, 0xff, 0xff, 0xff, 0x22
        .cfi_escape 0x10, 0x7a, 0x0e, 0x38, 0x1c, 0x0d, 0xc0, 0xff, 0xff, 0xff, 0x1a, 0x0d, 0x58, 0xff, 0xff, 0xff, 0x22
        movq    $0x5a5a, %r12
        call    *%rdi
        movq    56(%rsp), %r12
        .cfi_restore 12
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa 7, 8
        .cfi_restore 6
        ret
        .cfi_endproc
        .size   saves_mask_registers, . - saves_mask_registers
        .section .note.GNU-stack,"",@progbits
