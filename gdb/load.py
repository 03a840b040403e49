"""Gives gdb the commands of callpath: `source gdb/load.py`, then `help callpath`.

Only the standard library of the Python inside gdb is used. Nothing is put on sys.path but this file's own folder, which holds `callpath_gdb` and
nothing else that can be imported; never the folder above, where this folder itself would stand in for the module `gdb`.
"""

import os
import sys

import gdb

if sys.version_info < (3, 9):
    raise gdb.GdbError("callpath needs a gdb with Python 3.9 or newer inside; this one has %d.%d." % sys.version_info[:2])

# Not __file__: sourced by another script, that is the other script's.
_here = os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename))
if _here not in sys.path:
    sys.path.append(_here)
for _name in [name for name in sys.modules if name.split(".")[0] == "callpath_gdb"]:
    del sys.modules[_name]  # sourced again: take the files as they are now

import callpath_gdb.commands  # noqa: E402

callpath_gdb.commands.register()
