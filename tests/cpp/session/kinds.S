# Functions whose first instruction is of one kind each. All take a number in rdi and give one in rax.
        .text
        .macro  begin name
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        .endm
        .macro  end name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        begin   kind_push
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        leaq    1(%rdi), %rax
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        ret
        end     kind_push

        begin   kind_load_relative
        movq    number(%rip), %rax
        addq    %rdi, %rax
        ret
        end     kind_load_relative

        begin   kind_address_relative
        leaq    number(%rip), %rax
        movq    (%rax), %rax
        addq    %rdi, %rax
        ret
        end     kind_address_relative

        begin   kind_compare_relative           # The displacement is followed by an immediate.
        cmpl    $40, number(%rip)
        sete    %al
        movzbl  %al, %eax
        addq    %rdi, %rax
        ret
        end     kind_compare_relative

        begin   kind_vector
        vpcmpeqd %ymm1, %ymm1, %ymm1
        vmovd   %xmm1, %eax
        negl    %eax
        addq    %rdi, %rax
        vzeroupper
        ret
        end     kind_vector

        begin   kind_call                       # Gives whether the return address that the callee saw is the instruction behind the call.
        call    takes_return_address
after_call:
        leaq    after_call(%rip), %rcx
        cmpq    %rcx, %rax
        sete    %al
        movzbl  %al, %eax
        addq    %rdi, %rax
        ret
        end     kind_call

        .type   takes_return_address, @function
takes_return_address:
        movq    (%rsp), %rax
        ret
        .size   takes_return_address, . - takes_return_address

        .macro  calling name, operand:vararg
        .cfi_startproc
        leaq    increments(%rip), %rax
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        xorl    %edx, %edx
        .cfi_endproc
        begin   \name                          # Entered by falling into it.
        .cfi_def_cfa_offset 16
        call    *\operand
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        ret
        end     \name
        .endm
        .globl  enter_call_register, enter_call_stack, enter_call_indexed
        .type   enter_call_register, @function
enter_call_register:
        calling kind_call_register, %rax
        .type   enter_call_stack, @function
enter_call_stack:
        calling kind_call_stack, (%rsp)
        .type   enter_call_indexed, @function
enter_call_indexed:
        calling kind_call_indexed, (%rsp,%rdx,8)

        begin   kind_call_relative_memory
        call    *pointer(%rip)
        ret
        end     kind_call_relative_memory

        .type   increments, @function
increments:
        leaq    1(%rdi), %rax
        ret
        .size   increments, . - increments

        begin   kind_jump
        jmp     increments
        end     kind_jump

        begin   kind_jump_memory
        jmp     *pointer(%rip)
        end     kind_jump_memory

        begin   kind_ret
        ret
        end     kind_ret

        .globl  enter_ret_pop
        .type   enter_ret_pop, @function
enter_ret_pop:
        .cfi_startproc
        leaq    1(%rdi), %rax
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        call    kind_ret_pop
        .cfi_adjust_cfa_offset -16
        ret
        .cfi_endproc
        .size   enter_ret_pop, . - enter_ret_pop
        begin   kind_ret_pop
        ret     $16
        end     kind_ret_pop

# Every condition: the flags come from comparing rdi with rsi; 1 if the jump was taken.
        .macro  condition name
        .globl  enter_\name
        .type   enter_\name, @function
enter_\name:
        .cfi_startproc
        cmpq    %rsi, %rdi
        .cfi_endproc
        .size   enter_\name, . - enter_\name
        begin   kind_\name
        \name   1f
        xorl    %eax, %eax
        ret
1:      movl    $1, %eax
        ret
        end     kind_\name
        .endm
        .irp    name, jo, jno, jb, jae, je, jne, jbe, ja, js, jns, jp, jnp, jl, jge, jle, jg
        condition \name
        .endr

# Counting jumps: rcx comes from rsi, the zero flag from comparing rdi with 0; twice the count that is left, plus 1 if the jump was taken.
        .macro  counting name
        .globl  enter_\name
        .type   enter_\name, @function
enter_\name:
        .cfi_startproc
        movq    %rsi, %rcx
        testq   %rdi, %rdi
        .cfi_endproc
        .size   enter_\name, . - enter_\name
        begin   kind_\name
        \name   1f
        leaq    (%rcx,%rcx), %rax
        ret
1:      leaq    1(%rcx,%rcx), %rax
        ret
        end     kind_\name
        .endm
        .irp    name, loop, loope, loopne, jrcxz
        counting \name
        .endr

# What no probe can stand on.
        begin   kind_syscall
        syscall
        ret
        end     kind_syscall
        begin   kind_undefined
        ud2
        end     kind_undefined
        begin   kind_breakpoint
        int3
        ret
        end     kind_breakpoint
        begin   kind_thread_local
        jmp     *%fs:0
        end     kind_thread_local

        .data
        .balign 8
number: .quad   40
pointer:
        .quad   increments
        .section .note.GNU-stack,"",@progbits
