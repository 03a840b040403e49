    .macro embed name, files:vararg
    .hidden callpath_\name\()_begin
    .hidden callpath_\name\()_end
    .global callpath_\name\()_begin
    .global callpath_\name\()_end
callpath_\name\()_begin:
    .irp file, \files
    .incbin "\file"
    .endr
callpath_\name\()_end:
    .byte 0
    .endm

    .section .rodata
    embed page_css, "page.css", "events.css", "present.css", "diff.css"
    embed page_js, "page.js", "page_events.js", "page_search.js", "present.js", "page_start.js"
    embed highlight, "highlight_subset.js"
    .section .note.GNU-stack, "", @progbits
