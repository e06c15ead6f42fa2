"""The beginning of a Python process that sees no module of the workspace."""

from __future__ import annotations

# Runs before anything else; the folder that this program lies in is the first argument. Only Python's own
# folders and those of installed packages stay on the path: neither PYTHONPATH nor an editable install may
# bring workspace files in under a library's name. `path` has no folder but theirs.
LIBRARIES_ONLY = """\
import os, site, sys
folder = sys.argv[1]
kept = [os.path.realpath(p) for p in site.getsitepackages() + [site.getusersitepackages()]]
roots = [os.path.realpath(p) for p in (sys.prefix, sys.base_prefix)]
own = [os.path.join(root, d) for root in roots for d in ("lib", "Lib", "DLLs")]
def library(entry):
    entry = os.path.realpath(entry)
    return entry in kept or any(entry.startswith(o) for o in own)
path = [p for p in sys.path if p and (library(p) or p.endswith(".zip"))]
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in (getattr(f, "__module__", "") or "")]
sys.path[:] = path + [folder]
"""
