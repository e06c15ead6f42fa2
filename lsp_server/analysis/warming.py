"""What the first question about a kernel needs, loaded while nobody asks anything."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.errors import AdvisorError
from lsp_server.documents.open_documents import first_folder

if TYPE_CHECKING:
    from lsp_server.session import AdvisorServer

# In pieces, so that a question has to wait for one of them only; each brings what the next ones need.
_MODULES = (
    "numpy",
    "advisor.evidence.source.file_analyser",
    "advisor.rules",
    "advisor.check.pipeline",
    "lsp_server.analysis.incremental",
    "lsp_server.answers.diagnostics",
    "lsp_server.answers.hover",
    "lsp_server.numbers.at_place",
    "lsp_server.numbers.hints",
    "lsp_server.numbers.lenses",
    "lsp_server.evidence.collectors",
    "lsp_server.evidence.compiling",
)
_log = logging.getLogger(__name__)


async def warm(ls: AdvisorServer) -> None:
    """Load it piece by piece in the thread of the analyses, behind whatever is asked meanwhile."""
    for step in _steps(ls):
        if ls.shut_down:
            return
        try:
            await ls.analyses.run(step)
        except Exception:
            # Whoever asks a question is told what is wrong.
            _log.debug("Something could not be loaded ahead of the first question.", exc_info=True)


def _steps(ls: AdvisorServer) -> Iterator[Callable[[], object]]:
    for module in _MODULES:
        yield partial(importlib.import_module, module)
    yield partial(_rehearse, ls, first_folder(ls.workspace))


def _rehearse(ls: AdvisorServer, folder: Path) -> None:
    # A configuration or rules that cannot be read are told of where a document needs them.
    with suppress(AdvisorError):
        ls.analyst.rehearse(folder)
