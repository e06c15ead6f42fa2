"""Object code kept on disk with what its caller must know of it, so that a text is translated once."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import llvmlite.binding as llvm

from advisor.model.data_files import knowledge_folder
from advisor.model.storage.cache import Cache
from advisor.model.storage.file_stamp import stamps_of

_Facts = TypeVar("_Facts")


@cache
def translator_identity() -> str:
    """A digest that changes with this program's files, with LLVM and with the processor."""
    folder = Path(__file__).parents[1]
    files = sorted(folder.rglob("*.py")) + sorted((knowledge_folder() / "machine").glob("*.toml"))
    features = llvm.get_host_cpu_features().flatten()
    said = repr((stamps_of(files), llvmlite.__version__, llvm.get_host_cpu_name(), features))
    return hashlib.sha256(said.encode()).hexdigest()


def stored_code(
    store: Cache | None,
    text: str,
    translate: Callable[[], tuple[bytes, _Facts]],
    to_data: Callable[[_Facts], Any],
    from_data: Callable[[Any], _Facts],
) -> tuple[bytes, _Facts]:
    """The object code for a text and the facts of its translation, from the store where they are there.

    The store must be the user's own: what is read from it is executed.
    """
    if store is None:
        return translate()
    key = _key(text)
    known = store.get_many([key]).get(key)
    if isinstance(known, dict):
        try:
            code = base64.b64decode(known["code"])
            if known["digest"] == _digest(code):
                return code, from_data(known["facts"])
        except (KeyError, TypeError, ValueError):
            pass
    code, facts = translate()
    keep_code(store, text, code, to_data(facts))
    return code, facts


def keep_code(store: Cache, text: str, code: bytes, facts: Any) -> None:
    """Store the object code for a text, with the facts as data, in place of what is there."""
    encoded = base64.b64encode(code).decode()
    store.put_many({_key(text): {"code": encoded, "digest": _digest(code), "facts": facts}})


def _digest(code: bytes) -> str:
    return hashlib.sha256(code).hexdigest()


def _key(text: str) -> str:
    return "simt-" + hashlib.sha256(f"{translator_identity()}\n{text}".encode()).hexdigest()
