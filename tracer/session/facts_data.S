# The table of facts, inside the binary, so that an installed one stands alone.
        .section .rodata
        .globl  callpath_facts_begin
        .globl  callpath_facts_end
callpath_facts_begin:
        .incbin CALLPATH_FACTS_FILE
callpath_facts_end:
        .section .note.GNU-stack,"",@progbits
