"""Python runs this first in each program that a program under `advisor run` starts."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def _run_the_other() -> None:
    """Run the sitecustomize that this one stands before on the path, where there is one."""
    paths = [path for path in sys.path if Path(path or ".").resolve() != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    from advisor.evidence.simulated.launches.processes.child_processes import join_run
except ImportError:
    # Another Python, which does not have this program.
    pass
else:
    join_run()
_run_the_other()
