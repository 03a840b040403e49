"""callpath from Python: where the program stands, down to the C++; and the records that `callpath run`, `callpath walk` and gdb write.

>>> import callpath
>>> path = callpath.current_path()
>>> path.frames[0].kind
'python'
>>> with callpath.record(at="float_pow") as recording:
...     result = 2.5 ** 3.5
>>> recording.events[0].frames[0].name
'float_pow'
>>> recording = callpath.load("01_pow_kernel.json")
>>> recording.events[0].frames[0].name
'lambda(float)'
"""

from callpath._here import current_path
from callpath._native import CallpathError
from callpath._record import Event, Frame, Recording, RecordError, load
from callpath._session import record
from callpath._version import __version__

__all__ = ["CallpathError", "Event", "Frame", "RecordError", "Recording", "__version__", "current_path", "load", "record"]
