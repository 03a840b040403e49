    .section .rodata
    .hidden callpath_notes_begin
    .hidden callpath_notes_end
    .hidden callpath_phrases_begin
    .hidden callpath_phrases_end
    .global callpath_notes_begin
    .global callpath_notes_end
    .global callpath_phrases_begin
    .global callpath_phrases_end
callpath_notes_begin:
    .incbin "notes_elided.toml"  // first: what left no frame is told apart before its layer's own notes
    .incbin "notes_python.toml"
    .incbin "notes_cpython.toml"
    .incbin "notes_dispatch.toml"
    .incbin "notes_kernel.toml"
    .incbin "notes_rest.toml"
callpath_notes_end:
    .byte 0
callpath_phrases_begin:
    .incbin "phrases.toml"
callpath_phrases_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
