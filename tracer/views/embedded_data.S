    .macro embed name, file
    .hidden callpath_\name\()_begin
    .hidden callpath_\name\()_end
    .global callpath_\name\()_begin
    .global callpath_\name\()_end
callpath_\name\()_begin:
    .incbin "\file"
callpath_\name\()_end:
    .byte 0
    .endm

    .section .rodata
    embed page_css, "page.css"
    embed page_js, "page.js"
    embed highlight, "highlight_subset.js"
    .section .note.GNU-stack, "", @progbits
