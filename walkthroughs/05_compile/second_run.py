"""Imports shapes where a run before this one has left a .pyc."""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as cache:
    subprocess.run([sys.executable, "-X", f"pycache_prefix={cache}", "-c", "import shapes"], cwd=here, env={}, check=True)
    sys.pycache_prefix = cache
    import shapes
