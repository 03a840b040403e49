"""The same, but the source has changed since."""
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as folder:
    source = shutil.copy(os.path.join(here, "shapes.py"), folder)
    subprocess.run([sys.executable, "-X", f"pycache_prefix={folder}/cache", "-c", "import shapes"], cwd=folder, env={}, check=True)
    with open(source, "a") as file:
        file.write("# touched\n")
    sys.pycache_prefix = folder + "/cache"
    sys.path.insert(0, folder)
    import shapes
