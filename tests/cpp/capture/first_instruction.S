# A function whose first instruction faults: the byte before it belongs to nothing that has unwind information.
        .text
        .skip 64, 0x90
        .globl  faults_first_insn
        .type   faults_first_insn, @function
faults_first_insn:
        .cfi_startproc
        movl    $1, 0
        ret
        .cfi_endproc
        .size   faults_first_insn, . - faults_first_insn
        .section .note.GNU-stack,"",@progbits
