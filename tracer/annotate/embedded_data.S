/* Files as they are, between two labels each. */
    .section .rodata
    .macro embed name, file
    .global callpath_embedded_\name\()_begin, callpath_embedded_\name\()_end
    .hidden callpath_embedded_\name\()_begin, callpath_embedded_\name\()_end
callpath_embedded_\name\()_begin:
    .incbin "\file"
callpath_embedded_\name\()_end:
    .endm

    embed facts, facts.json
    embed layers, layers.toml
    embed decisions, decisions.toml
    embed schema, callpath-1.schema.json
    .section .note.GNU-stack, "", @progbits
