"""callpath from Python: read the records that `callpath run`, `callpath walk` and gdb write.

>>> import callpath
>>> recording = callpath.load("01_pow_kernel.json")
>>> recording.events[0].frames[0].name
'lambda(float)'
"""

from callpath._record import Event, Frame, Recording, RecordError, load
from callpath._version import __version__

__all__ = ["Event", "Frame", "RecordError", "Recording", "__version__", "load"]
