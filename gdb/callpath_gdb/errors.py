"""What reading a stopped program may raise: no such memory, no such symbol, an address that is none, a value that cannot be shown."""

from __future__ import annotations

import struct

READ_ERRORS = (RuntimeError, ValueError, OverflowError, struct.error)  # gdb.error and gdb.MemoryError are RuntimeErrors
