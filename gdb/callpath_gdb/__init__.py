"""callpath's gdb producer: observes a stopped program through gdb, reads memory only, never calls into the program."""

VERSION = "0.1.0"
