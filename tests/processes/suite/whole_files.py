"""How pytest-xdist shares out the tests among its workers."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

# Files of few tests that take long. pytest-xdist begins with those of most tests: one of these would come
# last, and the other workers would wait for it.
LONGEST = (
    "tests/fixes/generated/test_generated_programs.py",
    "tests/runs/profiling/test_accuracy.py",
    "tests/lsp_server/numbers/test_simulated_numbers.py",
    "tests/cli/mcp_server/test_mcp_loop.py",
    "tests/runs/verification/test_measurement.py",
)


class WholeFiles(LoadFileScheduling):
    """Gives a file whole to one worker, so that what it sets up for its tests is set up once.

    A test that ended its worker has failed: the next worker is not given it again, to end with it as well.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        for file in reversed(LONGEST):
            if file in self.workqueue:
                self.workqueue.move_to_end(file, last=False)
        super()._assign_work_unit(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Take back what a worker was given, and return the test that ended it."""
        for tests in self.assigned_work.get(node, {}).values():
            for test, done in tests.items():
                if not done:
                    tests[test] = True
                    super().remove_node(node)
                    return str(test)
        return super().remove_node(node)
