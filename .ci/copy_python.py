"""Copy the Python that runs this, less what was installed into it: ``python3
copy_python.py FOLDER``.

The copy starts from its own folder. A Python that is built with a shared library names
that library's folder in its program, as pyenv's does, and users who may not enter that
folder would get another Python's library. So the copy names its own.
"""

import shutil
import sys
from pathlib import Path

to, prefix = Path(sys.argv[1]), Path(sys.base_prefix)
version = f"python{sys.version_info.major}.{sys.version_info.minor}"
program = Path(sys.executable).resolve().read_bytes()
left_out = shutil.ignore_patterns(
    "site-packages", "dist-packages", "__pycache__", "test", "config-*"
)
shutil.copytree(prefix / "lib" / version, to / "lib" / version, ignore=left_out)
if libraries := list((prefix / "lib").glob("libpython*.so*")):
    for library in libraries:
        shutil.copy2(library, to / "lib", follow_symlinks=False)
    folder, own = str(prefix / "lib").encode() + b"\0", b"$ORIGIN/../lib\0"
    if prefix != Path("/usr"):  # which everybody may enter
        if len(own) > len(folder) or folder not in program:
            sys.exit(
                f"{sys.executable}: its library in {prefix / 'lib'} cannot be copied; name "
                "another Python in PYTHON"
            )
        program = program.replace(folder, own.ljust(len(folder), b"\0"))
(to / "bin").mkdir()
copy = to / "bin" / "python3"
copy.write_bytes(program)
copy.chmod(0o755)
